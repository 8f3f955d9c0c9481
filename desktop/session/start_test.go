//go:build linux

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"golang.org/x/sys/unix"

	"github.com/opendesk/opendesk/desktop"
)

// failToStart starts a session that must not start, in its own time, and
// leave nothing.
func failToStart(ctx context.Context, o Options) *StartError {
	GinkgoHelper()
	began := time.Now()
	s, err := Start(ctx, o)
	if s != nil {
		_ = s.Close(ctx)
	}
	var failed *StartError
	Expect(errors.As(err, &failed)).To(BeTrue(), "%v", err)
	Expect(time.Since(began)).To(BeNumerically("<", o.StartTimeout+time.Second), "%v", failed)
	Expect(os.ReadDir(o.TempDir)).To(BeEmpty())
	Expect(running(o.TempDir)).To(BeEmpty())
	return failed
}

var _ = Describe("the start of a session", func() {
	forBothIsolations(func(isolation Isolation) {
		options := func() Options {
			o := optionsForTest(isolation, shortTempDir())
			o.StartTimeout = 3 * time.Second
			return o
		}

		It("names an X server that never answers", func(ctx SpecContext) {
			withPath(program("Xvfb", "echo starting slowly >&2; exec sleep 1000"))
			o := options()
			o.StartTimeout = 2 * time.Second
			failed := failToStart(ctx, o)
			Expect(failed.Part).To(Equal(PartXvfb))
			Expect(failed.Reason).To(ContainSubstring("did not get ready in time"))
			Expect(failed.Output).To(ContainSubstring("starting slowly"))
		})

		It("names an X server that dies", func(ctx SpecContext) {
			withPath(program("Xvfb", "echo cannot do that >&2; exit 3"))
			failed := failToStart(ctx, options())
			Expect(failed).To(MatchError(ContainSubstring("Xvfb: ended at once: exit status 3")))
			Expect(failed.Output).To(Equal("cannot do that\n"))
		})

		It("waits for an X server that is slow", func(ctx SpecContext) {
			withPath(program("Xvfb", "sleep 3; exec "+lookPath("Xvfb")+` "$@"`))
			s := start(ctx, isolation)
			Expect(s.Info().StartTook).To(BeNumerically(">", 3*time.Second))
			Expect(errorOf(runToEnd(ctx, s, "exit"))).To(MatchError(ContainSubstring("exit code 7")))
		})

		for part, name := range map[string]string{
			PartXvfb: "Xvfb", PartSessionBus: "dbus-daemon", PartWindowManager: "openbox",
		} {
			It("says how to install a missing "+name, func(ctx SpecContext) {
				withPath(pathWithout(name))
				failed := failToStart(ctx, options())
				Expect(failed.Part).To(Equal(part))
				Expect(failed.Reason).To(Equal(name + " is not installed"))
				Expect(failed.Hint).To(ContainSubstring("apt-get install"))
			})
		}

		It("names the part of the accessibility bus that dies", func(ctx SpecContext) {
			withPath(program("at-spi-bus-launcher", "echo no bus today >&2; exit 1"))
			failed := failToStart(ctx, options())
			Expect(failed.Part).To(Equal(PartA11yBus))
			Expect(failed.Output).To(ContainSubstring("no bus today"))
		})

		It("names a registry that dies", func(ctx SpecContext) {
			withPath(program("at-spi2-registryd", "exit 1"))
			Expect(failToStart(ctx, options()).Part).To(Equal(PartRegistry))
		})

		It("ends with its context", func(ctx SpecContext) {
			withPath(program("Xvfb", "exec sleep 1000"))
			soon, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			failed := failToStart(soon, options())
			Expect(failed).To(MatchError(context.DeadlineExceeded))
		})

		It("says that the executable is no host", func(ctx SpecContext) {
			o := options()
			o.Executable, o.HostArgs = lookPath("false"), nil
			failed := failToStart(ctx, o)
			Expect(failed.Part).To(Equal(PartHost))
			Expect(failed.Reason).To(ContainSubstring("exit status 1"))
		})

		It("gives each of several sessions a display of its own", func(ctx SpecContext) {
			var sessions [3]*Session
			var group sync.WaitGroup
			for i := range sessions {
				group.Go(func() {
					defer GinkgoRecover()
					sessions[i] = start(ctx, isolation)
				})
			}
			group.Wait()
			displays, ids := map[string]bool{}, map[string]bool{}
			for _, s := range sessions {
				displays[s.Info().Display], ids[s.Info().ID] = true, true
				health, err := s.Probe(ctx)
				Expect(err).NotTo(HaveOccurred())
				Expect(health.OK()).To(BeTrue(), "%v", health)
			}
			Expect(displays).To(HaveLen(3))
			Expect(ids).To(HaveLen(3))
		})

		It("tells the accessibility bus's address on the root window, whatever the launcher saw of the X server", func(ctx SpecContext) {
			var launcher string
			for _, path := range LauncherPrograms[1:] {
				if exists(path) {
					launcher = path
					break
				}
			}
			Expect(launcher).NotTo(BeEmpty())
			withPath(program("at-spi-bus-launcher", `unset DISPLAY; exec `+launcher+` "$@"`))
			s := start(ctx, isolation)
			exit, err := runToEnd(ctx, s, "run", "xprop", "-root", "-notype", "AT_SPI_BUS")
			Expect(err).NotTo(HaveOccurred())
			Expect(exit.Output).To(Equal("AT_SPI_BUS = \"" + s.Info().A11yBus + "\"\n"))
		})

		It("marks its display and switches accessibility on", func(ctx SpecContext) {
			s := start(ctx, isolation, func(o *Options) { o.ID = "my-session" })
			exit, err := runToEnd(ctx, s, "run", "xprop", "-root", "-notype", IdentityProperty)
			Expect(err).NotTo(HaveOccurred())
			Expect(exit.Output).To(Equal(IdentityProperty + " = \"my-session\"\n"))
			for _, property := range []string{"IsEnabled", "ScreenReaderEnabled"} {
				exit, err = runToEnd(ctx, s, "run", "dbus-send", "--print-reply=literal", "--dest="+a11yName, a11yPath,
					"org.freedesktop.DBus.Properties.Get", "string:"+a11yStatus, "string:"+property)
				Expect(err).NotTo(HaveOccurred())
				Expect(exit.Output).To(ContainSubstring("boolean true"))
			}
			exit, err = runToEnd(ctx, s, "run", "sh", "-c", "xdpyinfo | grep dimensions")
			Expect(err).NotTo(HaveOccurred())
			Expect(exit.Output).To(ContainSubstring("1280x800 pixels"))
		})
	})

	for part, name := range map[string]string{PartSessionBus: "dbus-daemon", PartWindowManager: "openbox", PartRegistry: "at-spi2-registryd"} {
		It("names a "+name+" that hangs", func(ctx SpecContext) {
			withPath(program(name, "exec sleep 1000"))
			o := optionsForTest(None, shortTempDir())
			o.StartTimeout = 3 * time.Second
			Expect(failToStart(ctx, o).Part).To(Equal(part))
		})
	}

	It("takes no notice of stale lock files and sockets, and leaves them", func(ctx SpecContext) {
		Expect(os.MkdirAll(socketFolder, 0o777|os.ModeSticky)).To(Succeed())
		var next int
		Eventually(func() error { // others on this machine have displays, too
			next = firstDisplay() + 1 // what the next session tries first
			if err := makeNew(lockFile(next)); err != nil {
				return err
			}
			if err := makeNew(socketFile(next + 1)); err != nil {
				return errors.Join(err, os.Remove(lockFile(next)))
			}
			return nil
		}).Should(Succeed())
		DeferCleanup(func() error { return errors.Join(os.Remove(lockFile(next)), os.Remove(socketFile(next+1))) })
		s := start(ctx, None)
		Expect(s.Info().Display).NotTo(BeElementOf(fmt.Sprint(":", next), fmt.Sprint(":", next+1)))
		Expect(s.Close(ctx)).To(Succeed())
		Expect(lockFile(next)).To(BeAnExistingFile())
		Expect(socketFile(next + 1)).To(BeAnExistingFile())
	})

	It("holds its display's number against everybody", func(ctx SpecContext) {
		dir := shortTempDir()
		r, err := reserveDisplay(firstDisplay(), dir)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _ = unix.Close(r.abstract); releaseDisplay(dir) })
		_, err = reserve(r.number, shortTempDir())
		Expect(err).To(MatchError(unix.EADDRINUSE))
		again, err := reserveDisplay(r.number, shortTempDir())
		Expect(err).NotTo(HaveOccurred())
		Expect(again.number).NotTo(Equal(r.number))
		DeferCleanup(func() { _ = unix.Close(again.abstract); _ = os.Remove(lockFile(again.number)) })
	})

	DescribeTable("refuses options that make no sense", func(ctx SpecContext, change func(*Options), reason string) {
		o := optionsForTest(Auto, shortTempDir())
		o.StartTimeout = time.Second
		change(&o)
		_, err := Start(ctx, o)
		Expect(err).To(MatchError(ContainSubstring(reason)))
		Expect(err).To(BeAssignableToTypeOf(&StartError{}))
	},
		Entry(nil, func(o *Options) { o.Geometry = "1280x800" }, `geometry "1280x800" is not WIDTHxHEIGHTxDEPTH`),
		Entry(nil, func(o *Options) { o.Isolation = "docker" }, `isolation "docker" is unknown`),
		Entry(nil, func(o *Options) { o.ID = "a b" }, `session id "a b"`),
		Entry(nil, func(o *Options) { o.Executable = "opendesk" }, "not an absolute path"),
		Entry(nil, func(o *Options) { o.Executable = "/nowhere/opendesk" }, "no such file"),
		Entry(nil, func(o *Options) { o.Spool = "spool" }, "not an absolute path"),
		Entry(nil, func(o *Options) { o.HomeSkeleton = "/nowhere" }, "home skeleton"),
		Entry(nil, func(o *Options) { o.TempDir = "/nowhere" }, "no such file"),
		Entry(nil, func(o *Options) {
			o.TempDir = filepath.Join(o.TempDir, "a-name-that-is-far-too-long-for-the-sockets-that-are-to-lie-below-it-as-anybody-can-see")
			Expect(os.Mkdir(o.TempDir, 0o700)).To(Succeed())
		}, "too deep"),
	)
})

var _ = Describe("the parts of a session", func() {
	for part, program := range map[desktop.Part]string{
		desktop.PartDisplay: "Xvfb", desktop.PartWindowManager: "openbox", desktop.PartSessionBus: "dbus-daemon --nofork --nopidfile",
		desktop.PartA11yBus: "at-spi-bus-launcher", desktop.PartRegistry: "at-spi2-registryd",
	} {
		It("are reported when they die: "+string(part), func(ctx SpecContext) {
			s := start(ctx, None)
			health, err := s.Probe(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(health.OK()).To(BeTrue(), "%v", health)
			Expect(health).To(HaveLen(len(desktop.Parts)))

			var killed int
			for _, p := range belonging(s.Info().Dir, s.Info().Groups) {
				for _, pid := range running(program) {
					if p.pid == pid {
						Expect(unix.Kill(pid, unix.SIGKILL)).To(Succeed())
						killed++
					}
				}
			}
			Expect(killed).To(Equal(1))
			Eventually(func() string {
				health, err = s.Probe(ctx)
				Expect(err).NotTo(HaveOccurred())
				for _, p := range health {
					if p.Part == part && !p.OK {
						return p.Detail
					}
				}
				return ""
			}).Should(ContainSubstring("signal: killed"))
			Expect(s.Died()).NotTo(BeClosed())
			Expect(errorOf(runToEnd(ctx, s, "exit"))).To(MatchError(ContainSubstring("exit code 7")))
		})
	}
})

// makeNew makes a file that must not be there yet.
func makeNew(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// pathWithout is a PATH with everything on it but one program.
func pathWithout(name string) string {
	GinkgoHelper()
	dir := shortTempDir()
	for _, folder := range []string{"/usr/bin", "/bin"} {
		entries, err := os.ReadDir(folder)
		Expect(err).NotTo(HaveOccurred())
		for _, e := range entries {
			if e.Name() != name && !exists(filepath.Join(dir, e.Name())) {
				Expect(os.Symlink(filepath.Join(folder, e.Name()), filepath.Join(dir, e.Name()))).To(Succeed())
			}
		}
	}
	return dir
}
