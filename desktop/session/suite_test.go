//go:build linux

package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

// The test binary is also the session host, the worker, and a parent that is
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
			os.Exit(workerForTest(os.Args[2:]))
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
		ControlFD: 3,
		Capture: func(ctx context.Context, display, path string) error {
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

// workerForTest does one thing inside a session. Its descriptor 3 is the
// event pipe.
func workerForTest(args []string) int {
	events := os.NewFile(3, "events")
	switch args[0] {
	case "environment":
		if err := json.NewEncoder(events).Encode(os.Environ()); err != nil {
			return 1
		}
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
		return 7
	case "crash":
		fmt.Fprintln(os.Stderr, "about to crash")
		var p *int
		*p = 1
	case "wait":
		fmt.Fprintln(events, "waiting")
		<-time.After(time.Hour)
	case "run":
		// Runs a command, the way a worker starts an application, and leaves
		// it running: "run detached sleep 1000".
		cmd := exec.Command(args[2], args[3:]...)
		if args[1] == "detached" {
			cmd = exec.Command("setsid", append([]string{"--fork", "env", "-i"}, args[2:]...)...)
		}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if args[1] == "wait" {
			if err := cmd.Run(); err != nil {
				fmt.Println(err)
				return 1
			}
			return 0
		}
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Fprintln(events, "started")
	}
	return 0
}

// parentForTest starts a session with a detached application in it, prints
// what it is, and waits to be killed.
func parentForTest(args []string) int {
	s, err := Start(context.Background(), optionsForTest(Isolation(args[0]), args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	w, err := s.RunWorker(context.Background(), WorkerSpec{Args: []string{asWorker, "run", "detached", "/bin/sleep", args[2]}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if exit, err := w.Wait(context.Background()); err != nil || exit.Code != 0 {
		fmt.Fprintln(os.Stderr, exit, err)
		return 1
	}
	if err := json.NewEncoder(os.Stdout).Encode(s.Info()); err != nil {
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
	return Options{Isolation: isolation, TempDir: tempDir, Executable: self, HostArgs: []string{asHost}}
}
