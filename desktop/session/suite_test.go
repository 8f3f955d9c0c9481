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
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

// The test binary is also the session host, its workers, and a parent that is
// to be killed: the first argument says what.
const (
	asHost   = "test-session-host"
	asWorker = "test-worker"
	asParent = "test-parent"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asHost:
			os.Exit(hostForTest())
		case asWorker:
			os.Exit(workerForTest(os.Args[2], os.Args[3:]))
		case asParent:
			os.Exit(parentForTest(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

func TestSession(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "session")
}

func hostForTest() int {
	return HostMain(context.Background(), HostOptions{
		ControlFD: 3, Errand: errandForTest,
		Capture: func(_ context.Context, display, path string) error {
			if strings.HasSuffix(path, "fail.png") {
				return fmt.Errorf("cannot take a picture of %s", display)
			}
			return os.WriteFile(path, []byte("picture of "+display), 0o600)
		},
		Probe: func(ctx context.Context, env Info) desktop.Health {
			x, err := openDisplay(ctx, env.Display)
			if err != nil {
				return desktop.Health{{Part: desktop.PartDisplay, Detail: err.Error()}}
			}
			defer x.Close()
			return desktop.Health{{Part: desktop.PartDisplay, OK: true, Detail: "answered"}}
		},
	})
}

// parentForTest starts a session with a detached application in it, prints
// what it is, and waits to be killed. Its arguments are the isolation, the
// temporary folder and for how many seconds the application sleeps.
func parentForTest(args []string) int {
	ctx := context.Background()
	s, err := Start(ctx, optionsForTest(Isolation(args[0]), args[1]))
	if err == nil {
		_, err = runToEnd(ctx, s, "detached", "/bin/sleep", args[2])
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(s.Info())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	<-time.After(time.Hour)
	return 0
}

func optionsForTest(isolation Isolation, tempDir string) Options {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	o := Options{Isolation: isolation, TempDir: tempDir, Executable: self, HostArgs: []string{asHost}}
	if race, ok := os.LookupEnv("GORACE"); ok {
		// A race-checked process sleeps for 1 s at its end, which is more than
		// some of these tests have: run them with GORACE=atexit_sleep_ms=0.
		o.Environment = []string{"GORACE=" + race}
	}
	return o
}

// runToEnd runs a worker and gives an error where it did not exit with 0.
func runToEnd(ctx context.Context, s *Session, task string, args ...string) (Exit, error) {
	w, err := s.RunWorker(ctx, WorkerSpec{Args: append([]string{asWorker, task}, args...)})
	if err != nil {
		return Exit{}, err
	}
	exit, err := w.Wait(ctx)
	if err == nil && (exit.Code != 0 || exit.Signal != "") {
		err = fmt.Errorf("worker %s: exit code %d, signal %q: %s", task, exit.Code, exit.Signal, exit.Output)
	}
	return exit, err
}

// errorOf is the error of runToEnd alone.
func errorOf(_ Exit, err error) error { return err }

// start starts a session in a temporary folder of its own, and checks at the
// end of the test that nothing is left of it.
func start(ctx context.Context, isolation Isolation, change ...func(*Options)) *Session {
	GinkgoHelper()
	o := optionsForTest(isolation, shortTempDir())
	for _, c := range change {
		c(&o)
	}
	s, err := Start(ctx, o)
	var failed *StartError
	if errors.As(err, &failed) {
		GinkgoWriter.Println(failed.Output)
	}
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) {
		began := time.Now()
		Expect(s.Close(ctx)).To(Succeed())
		Expect(time.Since(began)).To(BeNumerically("<", 2*time.Second))
		Expect(leftOf(s.Info())).To(BeEmpty())
	})
	return s
}

// shortTempDir is a temporary folder whose path leaves room for sockets.
func shortTempDir() string {
	GinkgoHelper()
	dir, err := os.MkdirTemp("", "odt")
	Expect(err).NotTo(HaveOccurred())
	Expect(os.Chmod(dir, 0o755)).To(Succeed())
	DeferCleanup(os.RemoveAll, dir)
	return dir
}

// leftOf lists what is left of a session.
func leftOf(info Info) []string {
	var left []string
	for _, p := range belonging(info.Dir, info.Groups) {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		left = append(left, fmt.Sprintf("process %d: %s", p.pid, strings.ReplaceAll(string(cmdline), "\x00", " ")))
	}
	for _, dir := range info.Groups {
		if exists(dir) {
			left = append(left, "control group "+dir)
		}
	}
	if exists(info.Dir) {
		left = append(left, "folder "+info.Dir)
	}
	if info.Isolation == None {
		var n int
		_, _ = fmt.Sscanf(info.Display, ":%d", &n)
		for _, path := range []string{lockFile(n), socketFile(n)} {
			if exists(path) {
				left = append(left, path)
			}
		}
	}
	return left
}

// running lists the processes whose command line contains the text.
func running(text string) []int {
	var pids []int
	for _, p := range allProcesses() {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if p.pid != os.Getpid() && strings.Contains(strings.ReplaceAll(string(cmdline), "\x00", " "), text) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// promptly is how long an end may take here, where other tests keep the machine
// busy. That it takes no more than 2 s is what the chaos test watches.
const promptly = 6 * time.Second

// program writes an executable script that shadows a program, and gives a
// PATH on which it comes first.
func program(name, script string) (path string) {
	GinkgoHelper()
	dir := shortTempDir()
	Expect(os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755)).To(Succeed())
	return dir + ":" + os.Getenv("PATH")
}

// withPath sets PATH for the rest of the test.
func withPath(path string) {
	GinkgoHelper()
	GinkgoT().Setenv("PATH", path)
}

func lookPath(name string) string {
	GinkgoHelper()
	path, err := exec.LookPath(name)
	Expect(err).NotTo(HaveOccurred())
	return path
}
