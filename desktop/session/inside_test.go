//go:build linux

package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("a worker", func() {
	forBothIsolations(func(isolation Isolation) {
		It("has the session's environment, an event pipe and its last words", func(ctx SpecContext) {
			GinkgoT().Setenv("SECRET_OF_THE_USER", "x")
			GinkgoT().Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
			GinkgoT().Setenv("WAYLAND_DISPLAY", "wayland-0")
			s := start(ctx, isolation, func(o *Options) {
				o.Environment = []string{"FROM_PROJECT=1", "TZ=Asia/Tokyo"}
				o.Locale = "de_DE.UTF-8"
			})
			read, write, err := os.Pipe()
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = read.Close() }()
			w, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "environment"}, Env: []string{"FROM_SPEC=2"}, Events: write})
			Expect(err).NotTo(HaveOccurred())
			Expect(write.Close()).To(Succeed())
			line, err := bufio.NewReader(read).ReadString('\n')
			Expect(err).NotTo(HaveOccurred())
			env, err := environmentOf(line)
			Expect(err).NotTo(HaveOccurred())
			exit, err := w.Wait(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(exit).To(Equal(Exit{Output: "to stdout\nto stderr\n"}))

			Expect(env).To(ConsistOf(append([]string{"FROM_SPEC=2"}, s.Info().Env...)))
			Expect(env).To(ContainElements("DISPLAY="+s.Info().Display, "FROM_PROJECT=1", "TZ=Asia/Tokyo", "LANGUAGE=de_DE:de",
				"DBUS_SESSION_BUS_ADDRESS="+s.Info().SessionBus, "PATH="+os.Getenv("PATH")))
			Expect(env).NotTo(ContainElement(HavePrefix("SECRET_OF_THE_USER")))
			Expect(env).NotTo(ContainElement(HavePrefix("AT_SPI_BUS_ADDRESS")), "Qt 6 publishes nothing where it is set")
			Expect(env).NotTo(ContainElement(HavePrefix("WAYLAND_DISPLAY")))
		})

		It("may crash, and costs the session nothing", func(ctx SpecContext) {
			spool := shortTempDir()
			s := start(ctx, isolation, func(o *Options) { o.Spool = spool })
			exit, err := runToEnd(ctx, s, "crash")
			Expect(err).To(HaveOccurred())
			Expect(exit.Code).To(Equal(2))
			Expect(exit.Output).To(And(ContainSubstring("about to crash"), ContainSubstring("nil pointer")))

			picture := filepath.Join(spool, "after.png")
			Expect(s.Screenshot(ctx, picture)).To(Succeed())
			Expect(os.ReadFile(picture)).To(BeEquivalentTo("picture of " + s.Info().Display))
			Expect(s.Screenshot(ctx, filepath.Join(spool, "fail.png"))).To(MatchError(ContainSubstring("cannot take a picture")))
			health, err := s.Probe(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(health.OK()).To(BeTrue())
		})

		It("is killed alone", func(ctx SpecContext) {
			s := start(ctx, isolation)
			sleep := sleepArgument()
			_, err := runToEnd(ctx, s, "detached", "/bin/sleep", sleep)
			Expect(err).NotTo(HaveOccurred())
			w, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "run", "/bin/sleep", "1" + sleep}})
			Expect(err).NotTo(HaveOccurred())
			Eventually(func() []int { return running("sleep 1" + sleep) }).Should(HaveLen(2))
			soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			_, err = w.Wait(soon)
			Expect(err).To(MatchError(context.DeadlineExceeded))
			w.Kill()
			exit, err := w.Wait(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(exit).To(Equal(Exit{Code: -1, Signal: "killed"}))
			w.Kill()
			Expect(running("sleep " + sleep)).To(HaveLen(1))
			Expect(running("sleep 1" + sleep)).To(HaveLen(1)) // what it started goes on
		})
	})

	It("may talk much", func(ctx SpecContext) {
		s := start(ctx, None)
		exit, err := runToEnd(ctx, s, "chatter")
		Expect(err).NotTo(HaveOccurred())
		Expect(len(exit.Output)).To(BeNumerically("<=", MaxOutput))
		Expect(exit.Output).To(HaveSuffix("line 499998\nline 499999\n"))
	})

	It("is refused where the request is too long", func(ctx SpecContext) {
		s := start(ctx, None)
		_, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "exit", strings.Repeat("x", 1<<20)}})
		Expect(err).To(MatchError(ContainSubstring("bytes, more than")))
		Expect(errorOf(runToEnd(ctx, s, "exit"))).To(MatchError(ContainSubstring("exit code 7")))
	})
})

var _ = Describe("isolation bwrap", func() {
	It("hides /tmp but for what is asked for, and is read-only", func(ctx SpecContext) {
		project, hidden, spool := shortTempDir(), shortTempDir(), shortTempDir()
		for _, dir := range []string{project, hidden} {
			Expect(os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o644)).To(Succeed())
		}
		link := project + "-link"
		Expect(os.Symlink(project, link)).To(Succeed())
		DeferCleanup(os.Remove, link)
		s := start(ctx, Bwrap, func(o *Options) { o.Spool, o.Readable = spool, []string{project, link, "/nowhere"} })
		for _, dir := range []string{project, link} {
			exit, err := runToEnd(ctx, s, "run", "cat", filepath.Join(dir, "file"))
			Expect(err).NotTo(HaveOccurred())
			Expect(exit.Output).To(Equal("text"))
		}
		for _, refused := range []string{
			"cat " + hidden + "/file", "touch " + project + "/file2", "touch /usr/file", "touch /root/file", "ls /run/dbus",
		} {
			Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", refused))).To(HaveOccurred(), refused)
		}
		for _, allowed := range []string{
			"touch " + spool + "/file", "touch /tmp/file", "touch /var/tmp/file", "touch $HOME/file", "touch $TMPDIR/file", "touch /dev/shm/file",
			"echo > /dev/null", "test ! -e /proc/" + fmt.Sprint(os.Getpid()) + " || ! grep -q session.test /proc/" + fmt.Sprint(os.Getpid()) + "/comm",
		} {
			Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", allowed))).NotTo(HaveOccurred(), allowed)
		}
		Expect(filepath.Join(spool, "file")).To(BeAnExistingFile())
	})

	It("keeps other X servers out of reach", func(ctx SpecContext) {
		other := start(ctx, None)
		outside := exec.Command("xdpyinfo")
		outside.Env = []string{"PATH=" + os.Getenv("PATH"), "DISPLAY=" + other.Info().Display, "XAUTHORITY=" + xauthorityOf(other.Info().Dir)}
		Expect(outside.Run()).To(Succeed())

		s := start(ctx, Bwrap, func(o *Options) { o.Readable = []string{xauthorityOf(other.Info().Dir)} })
		reach := "DISPLAY=" + other.Info().Display + " XAUTHORITY=" + xauthorityOf(other.Info().Dir) + " xdpyinfo"
		Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", reach))).To(MatchError(ContainSubstring("unable to open display")))
	})

	It("keeps the learned folder from applications, wherever the project lies", func(ctx SpecContext) {
		elsewhere, err := os.MkdirTemp("/var/lib", "odt") // not in a part that is made private
		if err != nil {
			elsewhere = shortTempDir()
		}
		DeferCleanup(os.RemoveAll, elsewhere)
		for _, project := range []string{shortTempDir(), elsewhere} {
			learned := filepath.Join(project, ".opendesk", "learned")
			Expect(os.MkdirAll(learned, 0o777)).To(Succeed())
			file := filepath.Join(learned, "a.program.json")
			Expect(os.WriteFile(file, []byte("text"), 0o666)).To(Succeed())
			s := start(ctx, Bwrap, func(o *Options) { o.Readable = []string{project} })
			Expect(errorOf(runToEnd(ctx, s, "run", "cat", file))).NotTo(HaveOccurred())
			for _, refused := range []string{"echo x > " + file, "touch " + learned + "/new", "rm " + file, "mount -o remount,rw,bind " + project,
				"mv " + project + "/.opendesk " + project + "/other"} {
				Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", refused))).To(HaveOccurred(), refused)
			}
			Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", "mknod $HOME/disk b 7 0"))).To(HaveOccurred())
			Expect(os.ReadFile(file)).To(BeEquivalentTo("text"))
			Expect(s.Close(ctx)).To(Succeed())
		}
	})

	It("is an error where it does not work, and None with the reason for Auto", func() {
		withPath(program("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"))
		_, err := tryBwrap()
		Expect(err).To(MatchError("bwrap does not work here: No permissions to create new namespace"))
		o := Options{Isolation: Auto, Executable: "/bin/true"}
		box, err := decideIsolation(o, "", func() (string, error) { return tryBwrap() }, aloneWorks)
		Expect(err).NotTo(HaveOccurred())
		Expect(box).To(Equal(sandbox{mode: None, reason: "bwrap does not work here: No permissions to create new namespace"}))
		o.Isolation = Bwrap
		_, err = decideIsolation(o, "", func() (string, error) { return tryBwrap() }, aloneWorks)
		var failed *StartError
		Expect(errors.As(err, &failed)).To(BeTrue())
		Expect(failed.Part).To(Equal(PartIsolation))
		Expect(failed.Hint).To(ContainSubstring("bubblewrap"))

		o.Isolation, o.Readable = Auto, []string{"/tmp"}
		box, err = decideIsolation(o, "", func() (string, error) { return "/usr/bin/bwrap", nil }, aloneWorks)
		Expect(err).NotTo(HaveOccurred())
		Expect(box.mode).To(Equal(None))
		Expect(box.reason).To(ContainSubstring("/tmp cannot be both private and readable"))
	})
})

var _ = Describe("a session without a network", func() {
	forBothIsolations(func(isolation Isolation) {
		It("has a loopback and nothing else", func(ctx SpecContext) {
			if isolation == None && aloneWorks() != nil {
				Skip(aloneWorks().Error())
			}
			s := start(ctx, isolation, func(o *Options) { o.Network = NetworkNone })
			exit, err := runToEnd(ctx, s, "run", "sh", "-c", "cat /proc/net/dev | tail -n +3 | cut -d: -f1; cat /proc/net/route | tail -n +2; readlink /proc/self/ns/net")
			Expect(err).NotTo(HaveOccurred())
			interfaces, network, _ := strings.Cut(strings.TrimSpace(exit.Output), "\n")
			Expect(strings.TrimSpace(interfaces)).To(Equal("lo"))
			outside, err := os.Readlink("/proc/self/ns/net")
			Expect(err).NotTo(HaveOccurred())
			Expect(network).To(And(HavePrefix("net:"), Not(Equal(outside))))
			// The loopback is up, and nothing of the right to change networks is left.
			exit, err = runToEnd(ctx, s, "run", "/usr/bin/python3", "-c",
				"import socket; l = socket.create_server(('127.0.0.1', 0)); socket.create_connection(l.getsockname()); print(open('/proc/self/status').read())")
			Expect(err).NotTo(HaveOccurred(), exit.Output)
			if os.Geteuid() != 0 {
				Expect(exit.Output).To(MatchRegexp(`CapEff:\s+0+\n`))
			}
			Expect(errorOf(runToEnd(ctx, s, "run", "xdpyinfo"))).NotTo(HaveOccurred())
		})
	})
})

var _ = Describe("without isolation", func() {
	It("asks for the session's cookie", func(ctx SpecContext) {
		s := start(ctx, None)
		Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", "XAUTHORITY=/dev/null xdpyinfo"))).To(MatchError(ContainSubstring("unable to open display")))
		Expect(errorOf(runToEnd(ctx, s, "run", "xdpyinfo"))).NotTo(HaveOccurred())
	})
})

var _ = Describe("the private home", func() {
	It("has the defaults, then the project's skeleton", func(ctx SpecContext) {
		skeleton := shortTempDir()
		Expect(os.MkdirAll(filepath.Join(skeleton, ".config", "gtk-3.0"), 0o755)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(skeleton, ".config", "kdeglobals"), []byte("own"), 0o444)).To(Succeed())
		Expect(os.Chmod(filepath.Join(skeleton, ".config"), 0o555)).To(Succeed())
		DeferCleanup(os.Chmod, filepath.Join(skeleton, ".config"), os.FileMode(0o755))
		Expect(os.Symlink("Documents", filepath.Join(skeleton, "Docs"))).To(Succeed())
		s := start(ctx, Bwrap, func(o *Options) { o.HomeSkeleton = skeleton })
		home := s.Info().Home
		Expect(os.ReadFile(filepath.Join(home, ".config", "kdeglobals"))).To(BeEquivalentTo("own"))
		Expect(os.ReadFile(filepath.Join(home, ".config", "gtk-3.0", "settings.ini"))).To(ContainSubstring("gtk-enable-animations=0"))
		Expect(os.Readlink(filepath.Join(home, "Docs"))).To(Equal("Documents"))
		info, err := os.Stat(s.Info().RuntimeDir)
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o700)))
		Expect(errorOf(runToEnd(ctx, s, "run", "sh", "-c", "mkdir -p $HOME/closed/inner && touch $HOME/closed/inner/file && chmod 0 $HOME/closed/inner"))).NotTo(HaveOccurred())
	})
})

var _ = Describe("real applications", func() {
	forBothIsolations(func(isolation Isolation) {
		for name, args := range map[string][]string{
			"mousepad":         {"tree", "mousepad"},
			"gnome-calculator": {"tree", "gnome-calculator"},
			"kcalc":            {"tree", "kcalc"},
			"xterm":            {"window", "xterm", "-e", "tty; exec sleep 1000"},
			"python3-gi": {"tree", "/usr/bin/python3", "-c",
				"import gi; gi.require_version('Gtk','3.0'); from gi.repository import Gtk; w=Gtk.Window(); w.show_all(); Gtk.main()"},
		} {
			It("show a window and their tree: "+name, func(ctx SpecContext) {
				if _, err := exec.LookPath(args[1]); err != nil {
					Fail(args[1] + " is not installed: make setup installs it")
				}
				s := start(ctx, isolation)
				exit, err := runToEnd(ctx, s, "app", args...)
				Expect(err).NotTo(HaveOccurred(), exit.Output)
			})
		}
	})
})
