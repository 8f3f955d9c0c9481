//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
	"golang.org/x/sys/unix"
)

// told is an event in one line: what was done, and to what.
func told(e trajectory.Event) string {
	s := string(e.Action)
	if e.Action == trajectory.Type {
		s += fmt.Sprintf(" %q", e.Text)
	}
	if e.Key != "" {
		s += " " + e.Key
	}
	if e.ScrollDX != 0 || e.ScrollDY != 0 {
		s += fmt.Sprintf(" %d,%d", e.ScrollDX, e.ScrollDY)
	}
	if c := e.Context; c != nil {
		s += fmt.Sprintf(" [%s] '%s' in %s", c.Role, c.Title, c.App)
		if len(c.MenuPath) > 0 {
			s += " " + strings.Join(c.MenuPath, ">")
		}
	}
	return s
}

func toldAll(r *trajectory.Recording) string {
	var lines []string
	for _, e := range r.Events {
		lines = append(lines, told(e))
	}
	return strings.Join(lines, "\n")
}

func wantEvents(t *testing.T, r *trajectory.Recording, want ...string) {
	t.Helper()
	if got, want := toldAll(r), strings.Join(want, "\n"); got != want {
		for _, e := range r.Events {
			data, _ := json.Marshal(e)
			t.Logf("%s", data)
		}
		t.Errorf("recorded\n%s\n\nwant\n%s", got, want)
	}
}

// What is clicked is named. (Whether it was looked up in time depends on how
// busy the machine is: the tests of desktop/record are about that.)
func TestRecordClicks(t *testing.T) {
	s := newStudio(t)
	s.open("Calculator", "gnome-calculator")
	s.record("sum")
	for _, key := range []string{"7", "+", "5"} {
		s.point("button", key)
		s.do("click 1 sleep 0.4")
	}
	s.do("key Return sleep 0.5")
	wantEvents(t, s.stop("sum"),
		"click [push button] '7' in Calculator", "click [push button] '+' in Calculator", "click [push button] '5' in Calculator",
		"key return [text] '' in Calculator")
	result := s.read("sum").Events[3]
	if result.After == nil || result.After.Value == nil || *result.After.Value != "12" {
		t.Errorf("nothing tells of the result: %+v", result.After)
	}
}

// Menus, texts, clicks of all sorts, a chord, a dialog.
func TestRecordLetter(t *testing.T) {
	wantsFull(t)
	s := newStudio(t)
	s.open("Untitled", "mousepad")
	s.record("letter")
	s.point("entry", "")
	s.do("click 1 sleep 0.7 type --delay 60 'Dear reader'")
	s.do("sleep 0.8")
	s.point("menu", "Edit")
	s.do("click 1 sleep 0.6")
	s.point("menu item", "Select All")
	s.do("click 1 sleep 0.6")
	s.point("entry", "")
	s.do("click --repeat 2 --delay 70 1 sleep 0.8 click 3 sleep 0.8 key Escape sleep 0.6 click --repeat 3 --delay 90 5 sleep 0.3 key ctrl+shift+s")
	s.find("button", "Save")
	s.do("sleep 3 key Escape sleep 0.6")
	const text = "[text] '' in Mousepad"
	wantEvents(t, s.stop("letter"),
		"click "+text, `type "Dear reader" `+text,
		"click [menu] 'Edit' in Mousepad Edit", "click [menu item] 'Select All' in Mousepad Edit>Select All",
		"double_click "+text, "right_click "+text, s.escapeOfMenu(), "scroll 0,-3 "+text, "key ctrl+shift+s "+text,
		"key escape [text] '' in Mousepad")
	events := s.read("letter").Events
	if typed := events[1]; typed.Before.Window != "Untitled 1 - Mousepad" || typed.After == nil || typed.After.Front == nil ||
		typed.After.Front.Window != "*Untitled 1 - Mousepad" || typed.After.Value == nil || *typed.After.Value != "Dear reader" {
		t.Errorf("what came of typing: %+v %+v", typed.Before, typed.After)
	}
	if chord := events[8]; chord.After == nil || len(chord.After.Windows) != 1 || chord.After.Windows[0].Title != "Save As" {
		t.Errorf("what came of the chord: %+v", chord.After)
	}
}

// escapeOfMenu is the key that closes a context menu, which has the focus in no
// way that GTK 3 tells.
func (s *studio) escapeOfMenu() string {
	for _, e := range s.read("letter").Events {
		if e.Key == "escape" {
			return told(e)
		}
	}
	return "no escape"
}

// A Qt application, and what a drag selects.
func TestRecordQt(t *testing.T) {
	wantsFull(t)
	s := newStudio(t)
	s.open("KCalc", "kcalc")
	s.record("product")
	for _, key := range []string{"6", "×", "7"} {
		s.point("button", key)
		s.do("click 1 sleep 0.3")
	}
	s.do("mousemove 300 300 mousedown 1 sleep 0.1 mousemove 340 310 sleep 0.05 mousemove 400 330 sleep 0.1 mouseup 1 sleep 0.4")
	r := s.stop("product")
	if len(r.Events) != 4 {
		t.Fatalf("recorded\n%s", toldAll(r))
	}
	for i, key := range []string{"6", "×", "7"} {
		if want := fmt.Sprintf("click [push button] '%s' in KCalc", key); told(r.Events[i]) != want {
			t.Errorf("recorded %s, want %s", told(r.Events[i]), want)
		}
	}
	drag := r.Events[3]
	x, y, _ := drag.End()
	if drag.Action != trajectory.Drag || *drag.X != 300 || *drag.Y != 300 || x != 400 || y != 330 || drag.Button != "left" {
		t.Errorf("recorded %+v", drag)
	}
}

// What is recorded is what the application got, whatever the keyboard.
func TestRecordKeyboards(t *testing.T) {
	s := newStudio(t)
	s.open("Untitled", "mousepad")
	text := s.find("entry", "")
	for i, test := range []struct{ name, layout, keys, want string }{
		// y and z, ä, AltGr with q, and a dead accent before e: by keycode.
		{"german", "de", "key --delay 40 29 52 48 keydown 108 key 24 keyup 108 key 21 key 26", "zyä@é"},
		{"us", "us", "type --delay 40 'Hello, World #2'", "Hello, World #2"},
		{"dead keys", "us -variant intl", "key --delay 40 48 26 key --delay 40 48 65 keydown 50 key 48 keyup 50 key 32", "é'ö"},
		{"compose", "us -option compose:ralt", "key --delay 40 108 40 40 108 32 38 sleep 0.05 key 26", ""},
		{"caps lock", "us", "key --delay 40 66 38 10 keydown 50 key 38 keyup 50 key 66 38", "A1aa"},
		{"a key held down", "us", "keydown 38 sleep 0.9 keyup 38", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if i > 0 {
				wantsFull(t)
			}
			s.sh("setxkbmap -option; setxkbmap " + test.layout)
			s.do("sleep 0.3")
			s.must("learn", "start", "typed", "--session", "desk", "--force")
			s.do(test.keys)
			s.do("sleep 0.9")
			r := s.stop("typed")
			var typed strings.Builder
			for _, e := range r.Events {
				typed.WriteString(e.Text)
			}
			if err := s.eyes.Fill(context.Background(), []*desktop.Element{text}, desktop.NeedText); err != nil {
				t.Fatal(err)
			}
			if typed.String() != text.Text || text.Text == "" || test.want != "" && text.Text != test.want {
				t.Errorf("recorded %q, the application got %q, want %q", typed.String(), text.Text, test.want)
			}
			s.sh("setxkbmap -option; setxkbmap us")
			s.do("key ctrl+a sleep 0.1 key Delete sleep 0.3")
		})
	}
}

// A password is written down nowhere.
func TestRecordPassword(t *testing.T) {
	s := newStudio(t)
	s.record("sign-in")
	s.open("Sign in", "zenity", "--password", "--title", "Sign in")
	s.do("sleep 0.5 type --delay 60 hunter22")
	s.do("sleep 0.8 key Tab sleep 0.3 key Escape sleep 0.5")
	r := s.stop("sign-in")
	if e := r.Events[0]; e.Action != trajectory.Type || !e.Password || e.Text != "${env:SIGN_IN_PASSWORD}" || e.Context.Value != "" {
		t.Errorf("recorded %s", toldAll(r))
	}
	for _, dir := range []string{s.project, s.folder, s.info.Dir} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte("hunter")) {
				t.Errorf("%s holds the password", path)
			}
			return nil
		})
	}
}

// Whoever is killed, what was done until then is there, and learn stop says so.
func TestRecordKilled(t *testing.T) {
	s := newStudio(t)
	s.open("Untitled", "mousepad")
	for i, victim := range []struct {
		name string
		pid  func() int
	}{{"recorder", s.recorder}, {"keeper", s.keeper}} {
		t.Run(victim.name, func(t *testing.T) {
			if i > 0 {
				wantsFull(t)
			}
			s.record(victim.name)
			s.do("type --delay 50 one")
			s.do("key Return type --delay 50 two")
			s.do("sleep 0.8 key Return type --delay 50 lost")
			signal(t, victim.pid(), unix.SIGKILL)
			s.do("sleep 0.3 type --delay 30 after")
			s.await("the end of all that recorded", func() bool {
				return len(s.processes("learn", "recorder")) == 0 && len(s.processes("learn", "recording")) == 0
			})
			r := s.read(victim.name)
			if got := toldAll(r); len(r.Events) < 4 || !strings.HasPrefix(got, `type "one"`) || !strings.Contains(got, "\ntype \"two\"") || strings.Contains(got, "after") {
				t.Errorf("recorded\n%s", got)
			}
			if out, _ := s.run("session", "list"); strings.Contains(out, "recording") {
				t.Errorf("told to be recorded still:\n%s", out)
			}
			out := s.must("learn", "stop")
			if !strings.Contains(out, "ended by itself") || !strings.Contains(out, "compiled") {
				t.Errorf("learn stop says:\n%s", out)
			}
			s.must("learn", "validate", victim.name)
		})
	}
}

// A recorder that hangs delays no input, and loses none.
func TestRecordDelaysNothing(t *testing.T) {
	wantsFull(t)
	s := newStudio(t)
	s.open("Untitled", "mousepad")
	text := s.find("entry", "")
	s.record("typed")
	recorder := s.recorder()
	signal(t, recorder, unix.SIGSTOP)
	began := time.Now()
	s.do("type --delay 10 'nobody waits for the recorder'")
	s.await("the text", func() bool {
		err := s.eyes.Fill(context.Background(), []*desktop.Element{text}, desktop.NeedText)
		return err == nil && text.Text == "nobody waits for the recorder"
	})
	took := time.Since(began)
	signal(t, recorder, unix.SIGCONT)
	if took > 10*time.Second {
		t.Errorf("typing took %v", took)
	}
	s.do("sleep 0.8")
	if r := s.stop("typed"); len(r.Events) == 0 || r.Events[0].Text != "nobody waits for the recorder" {
		t.Errorf("recorded\n%s", toldAll(r))
	}
}

// On somebody's own display, in the foreground: what is done in the terminal
// that it was started from is no part of the task, and what was changed of the
// display is put back.
func TestRecordRealDisplay(t *testing.T) {
	wantsFull(t)
	u := newUserDesktop(t)
	project := t.TempDir()
	u.env = append(u.env, "TMPDIR="+u.home)
	before := u.state(t)
	script := filepath.Join(u.home, "record.sh")
	text := "#!/bin/sh\ntrap : INT\nopendesk learn record letter --display real --project " + project + " >" + u.home + "/out 2>&1\necho $? >" + u.home + "/code\nexec sleep 600\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	u.run(t, "xterm", "-T", "recording", "-geometry", "40x5+700+500", "-e", script)
	out := func() string { data, _ := os.ReadFile(filepath.Join(u.home, "out")); return string(data) }
	u.await(t, "the recording", func() bool { return strings.Contains(out(), "until Ctrl-C") })
	u.sh(t, "xdotool search --onlyvisible --name letter.txt windowactivate --sync; sleep 0.5; xdotool key ctrl+End; xdotool type --delay 60 yz; sleep 1")
	u.sh(t, "xdotool search --onlyvisible --name '^recording$' windowactivate --sync; sleep 0.5; xdotool type --delay 60 ls; sleep 0.8; xdotool key ctrl+c")
	u.await(t, "the end of the command", func() bool { _, err := os.Stat(filepath.Join(u.home, "code")); return err == nil })
	if code, _ := os.ReadFile(filepath.Join(u.home, "code")); strings.TrimSpace(string(code)) != "0" {
		t.Fatalf("exit code %s\n%s", code, out())
	}
	s := &studio{t: t, project: project}
	wantEvents(t, s.read("letter"), "key ctrl+end [text] '' in Mousepad", `type "yz" [text] '' in Mousepad`)
	if !strings.Contains(out(), "letter: 2 events recorded") {
		t.Errorf("told:\n%s", out())
	}
	if after := u.state(t); !strings.Contains(after, "recording") || strings.Contains(before, "recording") {
		t.Errorf("the display is another one:\n%s", after)
	}
	for _, left := range []string{"opendesk/recordings", "opendesk/displays"} {
		if _, err := os.Stat(filepath.Join(u.home, left)); err == nil {
			t.Errorf("%s is left behind", left)
		}
	}
}

// Recording costs little. Where the machine is busy nothing can be measured.
func TestRecordCosts(t *testing.T) {
	wantsFull(t)
	s := newStudio(t)
	s.open("Calculator", "gnome-calculator")
	s.record("busy")
	pid := s.recorder()
	began, used := time.Now(), cpuOf(t, pid)
	keys := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	var where []desktop.Point
	for _, key := range keys {
		where = append(where, s.find("button", key).Bounds.Centre())
	}
	for i := range 100 {
		at := where[i%len(where)]
		if i%5 < 3 { // typing
			s.do("key " + keys[i%len(keys)])
		} else {
			s.do(fmt.Sprintf("mousemove %d %d click 1", at.X, at.Y))
		}
		time.Sleep(time.Until(began.Add(time.Duration(i+1) * 100 * time.Millisecond)))
	}
	took, cost := time.Since(began), cpuOf(t, pid)-used
	share := 100 * cost.Seconds() / took.Seconds()
	t.Logf("%.1f %% of a core at %.1f events a second", share, 100/took.Seconds())
	if share >= 5 {
		t.Errorf("recording takes %.1f %% of a core", share)
	}
	s.stop("busy")
}

// cpuOf is the time that a process has used.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		var n int64
		if _, err := fmt.Sscan(field, &n); err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
