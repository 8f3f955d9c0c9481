//go:build linux

package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"golang.org/x/sys/unix"
)

var _ = Describe("a named session", func() {
	var temp string
	BeforeEach(func() {
		temp = shortTempDir()
		GinkgoT().Setenv("TMPDIR", temp)
		GinkgoT().Setenv("XDG_RUNTIME_DIR", "")
	})

	named := func(ctx context.Context, name string) *Named {
		GinkgoHelper()
		n, err := StartNamed(ctx, name, json.RawMessage(`{"a":1}`), optionsForTest(Auto, temp))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx SpecContext) {
			if err := StopNamed(ctx, name); err != nil {
				Expect(err).To(BeAssignableToTypeOf(&UnknownNameError{}))
			}
			Eventually(func() []string { return leftOf(n.Info) }).WithTimeout(3 * time.Second).Should(BeEmpty())
			Eventually(func() bool { // the last that it does is to remove its folder
				_, running := readProcess(n.PID)
				return running
			}).Should(BeFalse())
			Expect(os.ReadDir(filepath.Join(temp, "opendesk-"+strconv.Itoa(os.Geteuid()), "sessions"))).To(BeEmpty())
		})
		return n
	}
	list := func(ctx context.Context) []Named {
		GinkgoHelper()
		all, err := ListNamed(ctx)
		Expect(err).NotTo(HaveOccurred())
		return all
	}
	attach := func(ctx context.Context, name string) *Session {
		GinkgoHelper()
		s, _, err := Attach(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(s.Close)
		return s
	}

	It("is found by its name, runs workers one at a time, and goes on after them", func(ctx SpecContext) {
		n := named(ctx, "desk")
		Expect(n.Info.Display).NotTo(BeEmpty())
		all := list(ctx)
		Expect(all).To(HaveLen(1))
		Expect(all[0].State).To(Equal(StateIdle), all[0].Detail)
		Expect(all[0].PID).To(Equal(n.PID))
		Expect(all[0].Notes).To(MatchJSON(`{"a":1}`))

		s := attach(ctx, "desk")
		Expect(s.Info().Display).To(Equal(n.Info.Display))
		exit, err := runToEnd(ctx, s, "exit")
		Expect(err).To(HaveOccurred())
		Expect(exit.Code).To(Equal(7))
		Expect(s.Probe(ctx)).NotTo(BeEmpty())
		picture := filepath.Join(s.Info().Spool, "picture.png")
		Expect(s.Screenshot(ctx, picture)).To(Succeed())
		Expect(picture).To(BeARegularFile())

		read, write, err := os.Pipe()
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = read.Close() }()
		w, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "wait"}, Events: write})
		Expect(err).NotTo(HaveOccurred())
		Expect(write.Close()).To(Succeed())
		Expect(list(ctx)[0].State).To(Equal(StateInUse))
		other := attach(ctx, "desk")
		_, err = other.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "exit"}})
		Expect(err).To(MatchError(ContainSubstring("in use by process")))

		// A guest that goes takes its worker along, and frees the session.
		Expect(s.Close(ctx)).To(Succeed())
		_, err = w.Wait(ctx)
		Expect(err).To(MatchError(ErrHostEnded))
		Eventually(func() string { return list(ctx)[0].State }).WithTimeout(promptly).Should(Equal(StateIdle))
		Expect(runToEnd(ctx, other, "run", "/bin/true")).To(BeZero())
		Expect(other.Died()).NotTo(BeClosed())

		Expect(StopNamed(ctx, "desk")).To(Succeed())
		Eventually(other.Died()).Should(BeClosed())
		Expect(list(ctx)).To(BeEmpty())
		_, _, err = Attach(ctx, "desk")
		Expect(err).To(MatchError(`there is no session "desk"`))
	})

	It("shares its name with no other", func(ctx SpecContext) {
		named(ctx, "desk")
		_, err := StartNamed(ctx, "desk", nil, optionsForTest(Auto, temp))
		Expect(err).To(MatchError(ErrNameTaken))
		for _, bad := range []string{"", ".", "../x", "a/b", "a b"} {
			_, err := StartNamed(ctx, bad, nil, optionsForTest(Auto, temp))
			Expect(err).To(HaveOccurred(), bad)
			Expect(StopNamed(ctx, bad)).NotTo(Succeed(), bad)
		}
		Expect(list(ctx)).To(HaveLen(1))
	})

	DescribeTable("is swept after a crash", func(ctx SpecContext, kill func(*Named)) {
		n := named(ctx, "desk")
		kill(n)
		Eventually(func(g Gomega) {
			_, err := Sweep("")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ListNamed(ctx)).To(BeEmpty())
			g.Expect(leftOf(n.Info)).To(BeEmpty())
		}).WithTimeout(4 * time.Second).Should(Succeed())
	},
		Entry("of its process", func(n *Named) { killed(n.PID) }),
		Entry("of its process and its keeper", func(n *Named) {
			for _, p := range descendants(n.PID) {
				if p.ppid == n.PID {
					killed(p.pid)
				}
			}
			killed(n.PID)
		}),
		Entry("of its host", func(n *Named) { killed(n.Info.HostPID) }),
	)

	It("is ended also when its process does not answer", func(ctx SpecContext) {
		n := named(ctx, "desk")
		Expect(unix.Kill(n.PID, unix.SIGSTOP)).To(Succeed())
		Expect(StopNamed(ctx, "desk")).To(Succeed())
		Expect(list(ctx)).To(BeEmpty())
		Expect(leftOf(n.Info)).To(BeEmpty())
	})

	It("leaves nothing when it does not start", func(ctx SpecContext) {
		withPath(program("Xvfb", "exit 3"))
		_, err := StartNamed(ctx, "desk", nil, optionsForTest(None, temp))
		Expect(err).To(MatchError(ContainSubstring("Xvfb")))
		Expect(list(ctx)).To(BeEmpty())
		Expect(os.ReadDir(temp)).To(HaveLen(2)) // the shadowing program and the registry
	})

	It("leaves nothing when starting it is interrupted", func(ctx SpecContext) {
		withPath(program("Xvfb", "sleep 60"))
		interrupted, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := StartNamed(interrupted, "desk", nil, optionsForTest(None, temp))
		Expect(err).To(HaveOccurred())
		Expect(list(ctx)).To(BeEmpty())
		Eventually(func() ([]os.DirEntry, error) { return os.ReadDir(temp) }).WithTimeout(4 * time.Second).Should(HaveLen(2))
	})

	It("is in a folder that nobody else gets into, or can have made", func(ctx SpecContext) {
		Expect(list(ctx)).To(BeEmpty())
		Expect(sweepNamed()).To(BeEmpty())
		Expect(os.ReadDir(temp)).To(BeEmpty(), "looking for sessions makes no folder")
		root, err := makeRegistry()
		Expect(err).NotTo(HaveOccurred())
		for _, dir := range []string{root, filepath.Dir(root)} {
			info, err := os.Stat(dir)
			Expect(err).NotTo(HaveOccurred())
			Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o700)))
		}
		open := filepath.Dir(root)
		Expect(os.Chmod(open, 0o755)).To(Succeed())
		_, err = registry()
		Expect(err).To(MatchError(ContainSubstring("open to other users")))
		Expect(os.RemoveAll(open)).To(Succeed())
		Expect(os.Symlink("/", open)).To(Succeed())
		_, err = registry()
		Expect(err).To(MatchError(ContainSubstring("not a folder")))
		Expect(os.Remove(open)).To(Succeed())
		if os.Geteuid() == 0 {
			Expect(os.Mkdir(open, 0o700)).To(Succeed())
			Expect(os.Chown(open, 65534, 65534)).To(Succeed())
			_, err = registry()
			Expect(err).To(MatchError(ContainSubstring("another user")))
		}
		runtime := filepath.Join(temp, "runtime")
		Expect(os.Mkdir(runtime, 0o700)).To(Succeed())
		GinkgoT().Setenv("XDG_RUNTIME_DIR", runtime)
		Expect(registry()).To(Equal(filepath.Join(runtime, "opendesk", "sessions")))
	})
})

func killed(pid int) {
	GinkgoHelper()
	Expect(unix.Kill(pid, unix.SIGKILL)).To(Succeed())
}
