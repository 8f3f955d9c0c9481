//go:build linux

package linux

import (
	"os"
	"os/exec"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

func TestParseStat(t *testing.T) {
	const rest = " S 10 42 41 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 2 0 98765 1 1"
	tests := []struct {
		in   string
		want process
		ok   bool
	}{
		{"42 (sh)" + rest, process{pid: 42, parent: 10, session: 41, name: "sh", state: 'S', started: 98765, threads: 2, cpu: 70 * time.Millisecond}, true},
		{"42 (a) (b) Z)" + rest, process{pid: 42, parent: 10, session: 41, name: "a) (b) Z", state: 'S', started: 98765, threads: 2, cpu: 70 * time.Millisecond}, true},
		{"42 ()" + rest, process{pid: 42, parent: 10, session: 41, state: 'S', started: 98765, threads: 2, cpu: 70 * time.Millisecond}, true},
		{"42 (sh) S 10", process{}, false},
		{"x (sh)" + rest, process{}, false},
		{"", process{}, false},
		{")(", process{}, false},
	}
	for _, tc := range tests {
		got, err := parseStat([]byte(tc.in))
		if (err == nil) != tc.ok || got != tc.want {
			t.Errorf("parseStat(%q) = %+v, %v; want %+v", tc.in, got, err, tc.want)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (a) b) S 10 42 41 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = parseStat(b) })
}

func TestFamily(t *testing.T) {
	p := func(pid, parent, session int) process {
		return process{pid: pid, parent: parent, session: session, state: 'S'}
	}
	dead := p(15, 10, 10)
	dead.state = 'Z'
	all := map[int]process{}
	for _, x := range []process{
		p(1, 0, 1), p(5, 1, 5),
		p(10, 5, 10), p(11, 10, 10), p(12, 11, 12), // a child with a session of its own
		p(13, 1, 10), // an orphan of the session
		p(14, 13, 14), dead,
		p(20, 5, 5), p(21, 20, 21),
	} {
		all[x.pid] = x
	}
	want := map[int]bool{10: true, 11: true, 12: true, 13: true, 14: true}
	if got := family(all, processKey{pid: 10}); !reflect.DeepEqual(got, want) {
		t.Errorf("family = %v, want %v", got, want)
	}
	delete(all, 10) // the launcher has gone, its grandchild's parent with it
	want = map[int]bool{11: true, 12: true, 13: true, 14: true}
	if got := family(all, processKey{pid: 10}); !reflect.DeepEqual(got, want) {
		t.Errorf("family without its root = %v, want %v", got, want)
	}
	if got := family(all, processKey{pid: 99}); len(got) != 0 {
		t.Errorf("family of nobody = %v", got)
	}
}

func TestFamilyAfterItsNumberWasGivenToAnotherProcess(t *testing.T) {
	all := map[int]process{}
	for _, p := range []process{
		{pid: 1, session: 1, state: 'S', started: 1},
		{pid: 10, parent: 1, session: 10, state: 'S', started: 500}, // another one
		{pid: 11, parent: 10, session: 10, state: 'S', started: 501},
	} {
		all[p.pid] = p
	}
	if got := family(all, processKey{pid: 10, started: 300}); len(got) != 0 {
		t.Errorf("the family of a process that has ended takes in %v", got)
	}
	if got := family(all, processKey{pid: 10, started: 500}); len(got) != 2 {
		t.Errorf("family = %v", got)
	}
}

func TestFactsOfAProcess(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "60")
	cmd.Env = []string{SessionIDVariable + "=here"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	pid := cmd.Process.Pid
	for i := 0; len(environment(pid)) == 0 && i < 1000; i++ { // being started
		time.Sleep(time.Millisecond)
	}
	p, err := readProcess(pid)
	if err != nil || p.parent != os.Getpid() || p.session != pid || !p.alive() || p.stopped() {
		t.Errorf("%+v, %v", p, err)
	}
	if !family(processes(), processKey{pid: pid})[pid] {
		t.Error("not in its own family")
	}
	if name, program := programNames(pid); name != "sleep" || program != "sleep" {
		t.Errorf("names %q, %q", name, program)
	}
	if !runs(pid, "/bin/sleep") || runs(pid, "/bin/true") {
		t.Error("runs is wrong about /bin/sleep or /bin/true")
	}
	if got := variable(pid, SessionIDVariable); got != "here" {
		t.Errorf("session %q", got)
	}
	if got := variable(pid, "HOME"); got != "" {
		t.Errorf("HOME %q", got)
	}
}

func TestFamilyIsNotAnotherDesktops(t *testing.T) {
	start := func() (*openedApps, *openedApp) {
		d := &Desktop{opened: &openedApps{aliases: map[processKey][]string{}, marks: map[processKey]string{}, names: map[string]string{}}}
		a, err := d.start(&command{args: []string{"/bin/sleep", "60"}}, desktop.Launch{Name: "sleep", Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = a.cmd.Process.Kill()
			<-a.done
		})
		return d.opened, a
	}
	mine, a := start()
	_, b := start()
	if got := mine.family(a); !reflect.DeepEqual(got, map[int]bool{a.root.pid: true}) {
		t.Errorf("family of %d = %v", a.root.pid, got)
	}
	if mine.started(b.root.pid) {
		t.Error("took another Desktop's application for its own")
	}
}

// One process is told to belong to an application exactly where it is in its
// family: below it, in its session, or with its mark wherever it went.
func TestBelongsIsBeingInTheFamily(t *testing.T) {
	o := &openedApps{aliases: map[processKey][]string{}, marks: map[processKey]string{}, names: map[string]string{}}
	d := &Desktop{opened: o, env: environ{"PATH=/usr/bin:/bin"}}
	// A child; a child of a child in a session of its own, whose parent has ended.
	a, err := d.start(&command{args: []string{"/bin/sh", "-c", "sleep 60 & (setsid sleep 61 &); wait"}}, desktop.Launch{Name: "sleep", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for pid := range o.family(a) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		<-a.done
	})
	// The grandchild is there for good once it runs sleep, and nothing above it
	// is left but who takes orphans: before that its parent can be counted in its
	// place, and while it turns into sleep its environment, with the mark, is not
	// to be read.
	orphaned := func(family map[int]bool) bool {
		for pid := range family {
			p, err := readProcess(pid)
			if err == nil && p.session == pid && pid != a.root.pid && !family[p.parent] && reflect.DeepEqual(arguments(pid), []string{"sleep", "61"}) {
				return true
			}
		}
		return false
	}
	family := o.family(a)
	for i := 0; (len(family) != 3 || !orphaned(family)) && i < 5000; i++ {
		time.Sleep(time.Millisecond)
		family = o.family(a)
	}
	if len(family) != 3 || !orphaned(family) {
		t.Fatalf("family %v, want three", family)
	}
	for pid := range processes() {
		if got := o.belongs(a, pid); got != family[pid] {
			if now := o.family(a); got != now[pid] { // it may have come or gone
				t.Errorf("%d belongs: %v, in the family: %v", pid, got, now[pid])
			}
		}
	}
	if o.belongs(a, 0) || o.belongs(a, -5) {
		t.Error("no process belongs")
	}
	another := &openedApp{mark: "another", root: process{pid: a.root.pid, started: a.root.started + 1}}
	if o.belongs(another, a.root.pid) || len(o.family(another)) != 0 {
		t.Error("a number that is used again is taken for the process that had it")
	}
}
