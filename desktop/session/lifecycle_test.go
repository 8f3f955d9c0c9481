//go:build linux

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"golang.org/x/sys/unix"
)

// sleepArgument is a number of seconds that names one sleep on the machine.
func sleepArgument() string {
	return fmt.Sprintf("9%05d.%d", os.Getpid()%100000, time.Now().UnixNano()%1_000_000_000)
}

func forBothIsolations(body func(isolation Isolation)) {
	for _, isolation := range []Isolation{Bwrap, None} {
		Describe("isolation "+string(isolation), func() { body(isolation) })
	}
}

var _ = Describe("the end of a session", func() {
	forBothIsolations(func(isolation Isolation) {
		It("leaves nothing, however often it is closed", func(ctx SpecContext) {
			temp := shortTempDir()
			s := start(ctx, isolation, func(o *Options) { o.TempDir = temp })
			Expect(leftOf(s.Info())).NotTo(BeEmpty())
			Expect(s.Close(ctx)).To(Succeed())
			Expect(leftOf(s.Info())).To(BeEmpty())
			Expect(os.ReadDir(temp)).To(BeEmpty())
			Expect(s.Close(ctx)).To(Succeed())
			Expect(s.Died()).To(BeClosed())
			Expect(s.HostExit()).To(Equal("exit status 0"))
			_, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "exit"}})
			Expect(err).To(MatchError(ErrHostEnded))
			_, err = s.Probe(ctx)
			Expect(err).To(MatchError(ErrHostEnded))
		})

		It("takes detached, stubborn and stopped applications along", func(ctx SpecContext) {
			s := start(ctx, isolation)
			sleep := sleepArgument()
			_, err := runToEnd(ctx, s, "detached", "/bin/sleep", sleep)
			Expect(err).NotTo(HaveOccurred())
			_, err = runToEnd(ctx, s, "start", "/bin/sh", "-c", "trap '' TERM; sleep "+sleep+"; sleep "+sleep)
			Expect(err).To(HaveOccurred()) // it has no event pipe to write to
			_, err = runToEnd(ctx, s, "detached", "/bin/sh", "-c", "kill -STOP $$; sleep "+sleep)
			Expect(err).NotTo(HaveOccurred())
			Eventually(func() []int { return running(sleep) }).Should(HaveLen(4))
			began := time.Now()
			Expect(s.Close(ctx)).To(Succeed())
			Expect(time.Since(began)).To(BeNumerically("<", 2*time.Second))
			Expect(running(sleep)).To(BeEmpty())
		})

		It("comes with the end of its host", func(ctx SpecContext) {
			s := start(ctx, isolation)
			sleep := sleepArgument()
			_, err := runToEnd(ctx, s, "detached", "/bin/sleep", sleep)
			Expect(err).NotTo(HaveOccurred())
			w, err := s.RunWorker(ctx, WorkerSpec{Args: []string{asWorker, "run", "/bin/sleep", sleep}})
			Expect(err).NotTo(HaveOccurred())
			Eventually(func() []int { return running("sleep " + sleep) }).ShouldNot(BeEmpty())

			Expect(unix.Kill(s.Info().HostPID, unix.SIGKILL)).To(Succeed())
			Eventually(s.Died()).WithTimeout(promptly).Should(BeClosed())
			Expect(s.HostExit()).To(Equal("signal: killed"))
			Expect(leftOf(s.Info())).To(BeEmpty())
			Expect(running(sleep)).To(BeEmpty())
			_, err = w.Wait(ctx)
			Expect(err).To(MatchError(ErrHostEnded))
			Expect(err).To(MatchError(ContainSubstring("killed")))
			Expect(s.Screenshot(ctx, "/nowhere.png")).To(MatchError(ErrHostEnded))
		})

		It("comes with the end of its keeper", func(ctx SpecContext) {
			s := start(ctx, isolation)
			_, err := runToEnd(ctx, s, "start", "/bin/sleep", sleepArgument())
			Expect(err).To(HaveOccurred())
			Expect(s.keeper.Process.Kill()).To(Succeed())
			Eventually(s.Died()).WithTimeout(promptly).Should(BeClosed())
			Expect(s.Close(ctx)).To(Succeed())
		})

		It("comes with the end of its parent", func(ctx SpecContext) {
			temp, sleep := shortTempDir(), sleepArgument()
			parent, info := startParent(isolation, temp, sleep)
			Expect(running("sleep " + sleep)).NotTo(BeEmpty())
			Expect(leftOf(info)).NotTo(BeEmpty())

			Expect(parent.Process.Kill()).To(Succeed())
			_ = parent.Wait()
			Eventually(func() []string { return leftOf(info) }).WithTimeout(promptly).WithPolling(20 * time.Millisecond).Should(BeEmpty())
			Eventually(func() []int { return running(sleep) }).WithTimeout(time.Second).Should(BeEmpty())
			Expect(os.ReadDir(temp)).To(BeEmpty())
		})

		It("comes with the end of its parent and its host", func(ctx SpecContext) {
			temp, sleep := shortTempDir(), sleepArgument()
			parent, info := startParent(isolation, temp, sleep)
			Expect(unix.Kill(info.HostPID, unix.SIGSTOP)).To(Succeed())
			Expect(parent.Process.Kill()).To(Succeed())
			_ = parent.Wait()
			Eventually(func() []string { return leftOf(info) }).WithTimeout(promptly).WithPolling(20 * time.Millisecond).Should(BeEmpty())
			Expect(running(sleep)).To(BeEmpty())
		})

		It("waits for nobody where there is no time", func(ctx SpecContext) {
			s := start(ctx, isolation)
			Expect(unix.Kill(s.Info().HostPID, unix.SIGSTOP)).To(Succeed())
			now, cancel := context.WithCancel(ctx)
			cancel()
			began := time.Now()
			Expect(s.Close(now)).To(Succeed())
			Expect(time.Since(began)).To(BeNumerically("<", time.Second))
		})
	})

	It("is done by Sweep where everybody was killed", func(ctx SpecContext) {
		temp := shortTempDir()
		alive := start(ctx, None, func(o *Options) { o.TempDir = temp })
		o := optionsForTest(None, temp)
		o.ID = "abandoned"
		f, err := newFolder(o, None)
		Expect(err).NotTo(HaveOccurred())
		r, err := reserveDisplay(firstDisplay(), f.dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(unix.Close(r.abstract)).To(Succeed())
		unfinished := filepath.Join(temp, folderPrefix+"unfinished")
		Expect(os.Mkdir(unfinished, 0o700)).To(Succeed())
		other := filepath.Join(temp, "other-folder")
		Expect(os.Mkdir(other, 0o700)).To(Succeed())

		Expect(Sweep(temp)).To(BeEmpty()) // its owner file is still locked
		ours := sleeping(MarkerDir + "=" + f.dir)
		theirs := sleeping(MarkerDir + "=" + f.dir + "-not")
		f.unlock()
		Expect(Sweep(temp)).To(Equal([]string{f.dir}))
		Eventually(ours).Should(BeClosed())
		Consistently(theirs, "100ms").ShouldNot(BeClosed())
		Expect(lockFile(r.number)).NotTo(BeAnExistingFile())
		Expect(f.dir).NotTo(BeAnExistingFile())
		Expect(other).To(BeADirectory())
		Expect(unfinished).To(BeADirectory()) // it may be about to be filled

		// Whoever made it tells whether it still will be.
		ended := exec.Command("true")
		Expect(ended.Run()).To(Succeed())
		begun := filepath.Join(temp, fmt.Sprintf("%s%d-1", folderPrefix, os.Getpid()))
		givenUp := filepath.Join(temp, fmt.Sprintf("%s%d-2", folderPrefix, ended.Process.Pid))
		Expect(os.Mkdir(begun, 0o700)).To(Succeed())
		Expect(os.Mkdir(givenUp, 0o700)).To(Succeed())
		Expect(Sweep(temp)).To(Equal([]string{givenUp}))
		Expect(os.Remove(begun)).To(Succeed())

		long := time.Now().Add(-time.Hour)
		Expect(os.Chtimes(unfinished, long, long)).To(Succeed())
		Expect(Sweep(temp)).To(Equal([]string{unfinished}))
		_, err = alive.Probe(ctx)
		Expect(err).NotTo(HaveOccurred())
	})
})

// startParent starts a process that has a session with a detached sleep.
func startParent(isolation Isolation, temp, sleep string) (*exec.Cmd, Info) {
	GinkgoHelper()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	parent := exec.Command(self, asParent, string(isolation), temp, sleep)
	parent.Stderr = GinkgoWriter
	out, err := parent.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(parent.Start()).To(Succeed())
	DeferCleanup(func() { _ = parent.Process.Kill() })
	var info Info
	Expect(json.NewDecoder(out).Decode(&info)).To(Succeed())
	return parent, info
}

// sleeping starts a process with one variable in its environment and gives a
// channel that is closed when it has ended.
func sleeping(variable string) <-chan struct{} {
	GinkgoHelper()
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{variable}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	Expect(cmd.Start()).To(Succeed())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	DeferCleanup(func() {
		if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			Expect(err).NotTo(HaveOccurred())
		}
		<-ended
	})
	return ended
}
