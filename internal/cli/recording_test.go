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
	if e.Late {
		s += " late"
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

// What is clicked is named, in three toolkits, and nothing of it is late.
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
	s.do("sleep 1.5 key Escape sleep 0.6")
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
	for _, test := range []struct{ name, layout, keys, want string }{
		{"us", "us", "type --delay 40 'Hello, World #2'", "Hello, World #2"},
		// y and z, ä, AltGr with q, and a dead accent before e: by keycode.
		{"german", "de", "key --delay 40 29 52 48 keydown 108 key 24 keyup 108 key 21 key 26", "zyä@é"},
		{"dead keys", "us -variant intl", "key --delay 40 48 26 key --delay 40 48 65 keydown 50 key 48 keyup 50 key 32", "é'ö"},
		{"compose", "us -option compose:ralt", "key --delay 40 108 40 40 108 32 38 sleep 0.05 key 26", ""},
		{"caps lock", "us", "key --delay 40 66 38 10 keydown 50 key 38 keyup 50 key 66 38", "A1aa"},
		{"a key held down", "us", "keydown 38 sleep 0.9 keyup 38", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
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
	for _, victim := range []struct {
		name string
		pid  func() int
	}{{"recorder", s.recorder}, {"keeper", s.keeper}} {
		t.Run(victim.name, func(t *testing.T) {
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
