//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/trajectory"
	"golang.org/x/sys/unix"
)

// studio is a session in which tests record, with a project of its own.
type studio struct {
	t       *testing.T
	env     []string // of commands
	inside  []string // of programs on the session's display
	project string
	folder  string // of what runs
	info    session.Info
	eyes    *linux.Desktop
}

// newStudio starts a session that is not isolated, so that somebody else can
// move its pointer.
func newStudio(t *testing.T) *studio {
	t.Helper()
	for _, needed := range []string{"Xvfb", "xdotool", "setxkbmap", "xkbcomp"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Fatal("the machine has no " + needed + " (ci/install-deps.sh installs it)")
		}
	}
	run, err := os.MkdirTemp("", "od-rec-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	s := &studio{t: t, project: t.TempDir(), folder: run}
	s.env = append(os.Environ(), "XDG_RUNTIME_DIR="+run, "TMPDIR="+run, "NO_COLOR=1", "DISPLAY=", "WAYLAND_DISPLAY=")
	t.Cleanup(func() {
		if t.Failed() {
			s.run("learn", "stop")
		}
		s.run("session", "stop", "--all")
		for _, left := range []string{"opendesk/recordings", "opendesk/sessions/desk"} {
			if _, err := os.Stat(filepath.Join(run, left)); err == nil {
				t.Errorf("%s is left behind", left)
			}
		}
		_ = os.RemoveAll(run)
	})
	s.must("session", "start", "--name", "desk", "--isolation", "none")
	data, err := os.ReadFile(filepath.Join(run, "opendesk", "sessions", "desk", "session.json"))
	if err != nil {
		t.Fatal(err)
	}
	var named session.Named
	if err := json.Unmarshal(data, &named); err != nil {
		t.Fatal(err)
	}
	s.info = named.Info
	s.inside = append(os.Environ(), named.Info.Env...)
	s.eyes, err = linux.Open(context.Background(), linux.Options{
		Display: s.info.Display, SessionBus: s.info.SessionBus, A11yBus: s.info.A11yBus, Env: s.info.Env, NoInput: true, KeepStatus: true,
	})
	if err != nil {
		// The server wants the session's cookie.
		t.Setenv("XAUTHORITY", valueOf(s.info.Env, "XAUTHORITY"))
		if s.eyes, err = linux.Open(context.Background(), linux.Options{
			Display: s.info.Display, SessionBus: s.info.SessionBus, A11yBus: s.info.A11yBus, Env: s.info.Env, NoInput: true, KeepStatus: true,
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = s.eyes.Close() })
	return s
}

func valueOf(env []string, name string) string {
	for _, pair := range env {
		if value, is := strings.CutPrefix(pair, name+"="); is {
			return value
		}
	}
	return ""
}

// run runs the command and gives what it printed, and its exit code.
func (s *studio) run(args ...string) (out string, code int) {
	cmd := exec.Command("opendesk", args...)
	cmd.Env, cmd.Dir = s.env, s.project
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		s.t.Errorf("opendesk %v: %v", args, err)
	}
	return b.String(), cmd.ProcessState.ExitCode()
}

func (s *studio) must(args ...string) string {
	s.t.Helper()
	out, code := s.run(args...)
	if code != 0 {
		s.t.Fatalf("opendesk %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// sh runs a shell command on the session's display.
func (s *studio) sh(command string) string {
	s.t.Helper()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Env = s.inside
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// do is sh for xdotool.
func (s *studio) do(arguments string) { s.t.Helper(); s.sh("xdotool " + arguments) }

// open starts a program on the display, and waits for its window.
func (s *studio) open(title string, argv ...string) {
	s.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = s.inside
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.await("window "+title, func() bool {
		w, err := s.eyes.FocusedWindow(context.Background())
		return err == nil && w != nil && strings.Contains(w.Title, title)
	})
}

func (s *studio) await(what string, there func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !there(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s is not there", what)
		}
	}
}

// find waits for an element that shows, of the app with the focus.
func (s *studio) find(role, title string) (found *desktop.Element) {
	s.t.Helper()
	s.await(role+" "+title, func() bool {
		found = nil
		ctx := context.Background()
		w, err := s.eyes.FocusedWindow(ctx)
		if err != nil || w == nil {
			return false
		}
		snap, err := s.eyes.Snapshot(ctx, w.App.Display(), desktop.NeedBounds|desktop.NeedText)
		if err != nil {
			return false
		}
		for _, app := range snap.Apps {
			app.Root.Walk(func(e *desktop.Element) bool {
				// GTK 4 doubles names ("7 7"), GTK 3 leaves room for a shortcut.
				name := strings.TrimSpace(e.Name)
				if e.Role == role && (name == title || name == title+" "+title) && e.BoundsKnown {
					found = e
				}
				return found == nil
			})
		}
		return found != nil
	})
	return found
}

// point moves the pointer onto an element as people do: along a path, and
// stopping there.
func (s *studio) point(role, title string) {
	s.t.Helper()
	c := s.find(role, title).Bounds.Centre()
	at := func(x, y int) string { return "mousemove " + strconv.Itoa(x) + " " + strconv.Itoa(y) + " " }
	s.do(at(c.X-60, c.Y-30) + "sleep 0.03 " + at(c.X-20, c.Y-10) + "sleep 0.03 " + at(c.X, c.Y) + "sleep 0.3")
}

// record begins a recording of the task.
func (s *studio) record(task string) {
	s.t.Helper()
	s.must("learn", "start", task, "--session", "desk")
}

// stop ends it, and gives it.
func (s *studio) stop(task string) *trajectory.Recording {
	s.t.Helper()
	s.must("learn", "stop")
	return s.read(task)
}

func (s *studio) read(task string) *trajectory.Recording {
	s.t.Helper()
	f, err := os.Open(s.file(task))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	r, notes, err := trajectory.Read(f)
	if err != nil || len(notes) > 0 {
		s.t.Fatalf("the recording cannot be read: %v %v", err, notes)
	}
	return r
}

func (s *studio) file(task string) string {
	return filepath.Join(s.project, ".opendesk", "learned", task+".trajectory.json")
}

// processes are those of the session whose arguments have all of these words.
func (s *studio) processes(words ...string) (pids []int) {
	s.t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		args := " " + strings.ReplaceAll(string(line), "\x00", " ")
		ours := strings.Contains(string(environ), s.info.Dir) || strings.Contains(string(environ), s.project)
		for _, word := range words {
			ours = ours && strings.Contains(args, " "+word+" ")
		}
		if ours {
			pids = append(pids, pid)
		}
	}
	return pids
}

// recorder is the process that records, keeper the one that it belongs to.
func (s *studio) recorder() int { s.t.Helper(); return s.theOne("learn", "recorder") }
func (s *studio) keeper() int   { s.t.Helper(); return s.theOne("learn", "recording") }

func (s *studio) theOne(words ...string) int {
	s.t.Helper()
	pids := s.processes(words...)
	if len(pids) != 1 {
		s.t.Fatalf("processes %v: %v", words, pids)
	}
	return pids[0]
}

func signal(t *testing.T, pid int, sig unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

// wantsFull leaves out what takes long, unless that is wanted.
func wantsFull(t *testing.T) {
	t.Helper()
	if os.Getenv("OPENDESK_FULL") == "" {
		t.Skip("takes long: set OPENDESK_FULL=1")
	}
}
