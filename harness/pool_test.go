package harness_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
)

// slow makes sessions take a second to start and programs two to run.
func slow(d *desk) *desk {
	d.lease = func(int) error { time.Sleep(time.Second); return nil }
	d.launch = func(string) { time.Sleep(2 * time.Second) }
	return d
}

// The start of a session is hidden behind the program before, whatever the
// number of workers; sessions are used once and never more than workers + 1.
func TestSessionsAreStartedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slow(newDesk(nil))
		begun := time.Now()
		got := run(t, d, plan(t, names(5)...), harness.Options{Workers: 1})
		if took := time.Since(begun); took != 11*time.Second {
			t.Errorf("took %v", took)
		}
		if d.mostOpen != 2 || len(d.sessions) != 5 {
			t.Errorf("%d sessions at a time, %d in all", d.mostOpen, len(d.sessions))
		}
		for i, p := range got.Programs {
			if warm := p.Attempts[0].Session.Warm; warm != (i > 0) {
				t.Errorf("program %d: warm %t", i, warm)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := slow(newDesk(nil))
		run(t, d, plan(t, names(12)...), harness.Options{Workers: 3})
		if d.mostOpen > 4 || len(d.sessions) != 12 {
			t.Errorf("%d sessions at a time, %d in all", d.mostOpen, len(d.sessions))
		}
	})
}

// A session that died while it waited is replaced and costs no attempt, and
// nor does one that did not start while nobody waited for it.
func TestASessionThatDiedWhileItWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slow(newDesk(nil))
		d.launch = func(name string) {
			time.Sleep(2 * time.Second)
			if name == "p00" {
				d.mu.Lock()
				d.sessions[1].dead = true
				d.mu.Unlock()
			}
		}
		got := run(t, d, plan(t, names(3)...), harness.Options{})
		if statuses(got) != "passed passed passed" || len(got.Programs[1].Attempts) != 1 {
			t.Errorf("%s, %d attempts", statuses(got), len(got.Programs[1].Attempts))
		}
		if s := got.Programs[1].Attempts[0].Session; s.Warm || s.Display != ":3" {
			t.Errorf("session %+v", s)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := slow(newDesk(nil))
		d.lease = func(number int) error {
			time.Sleep(time.Second)
			if number == 2 {
				return errors.New("no Xvfb")
			}
			return nil
		}
		got := run(t, d, plan(t, names(3)...), harness.Options{})
		if statuses(got) != "passed passed passed" || len(got.Programs[1].Attempts) != 1 {
			t.Errorf("%s, %d attempts", statuses(got), len(got.Programs[1].Attempts))
		}
	})
}

// One that does not start while its program waits for it breaks the attempt.
func TestASessionThatDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(nil)
		d.lease = func(number int) error {
			time.Sleep(time.Second)
			if number == 2 {
				return errors.New("no Xvfb")
			}
			return nil
		}
		got := run(t, d, plan(t, names(3)...), harness.Options{EnvRetries: 1})
		if statuses(got) != "passed passed passed" || len(got.Programs[1].Attempts) != 2 {
			t.Errorf("%s, %d attempts", statuses(got), len(got.Programs[1].Attempts))
		}
		if at := got.Programs[1].Attempts[0]; at.Status != results.Broken || at.Fault.Kind != results.SessionNotStarted {
			t.Errorf("%+v", at)
		}
	})
	d := newDesk(nil)
	d.lease = func(int) error { return errors.New("no Xvfb") }
	got := run(t, d, plan(t, names(2)...), harness.Options{EnvRetries: 1})
	if statuses(got) != "broken broken" || got.ExitCode != results.ExitBroken {
		t.Errorf("%s, exit %d", statuses(got), got.ExitCode)
	}
}

// Programs get sessions of the kind that they need.
func TestSessionsOfSeveralKinds(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		d := newDesk(map[string]string{"p02": "failed,passed", "p03": "failed,passed"})
		d.kind = func(it harness.Item) string {
			if it.Program.Name < "p03" || it.Program.Name > "p06" {
				return "small"
			}
			return "large " + it.Program.Name
		}
		got := run(t, d, plan(t, names(10)...), harness.Options{Workers: workers, Retries: 1})
		for i, p := range got.Programs {
			for _, at := range p.Attempts {
				if want := d.kind(plan(t, fmt.Sprintf("p%02d", i)).Items[0]); at.Session.Geometry != want {
					t.Errorf("%d workers: program %d ran in a session of the kind %q", workers, i, at.Session.Geometry)
				}
			}
		}
		if d.mostOpen > workers+1+5 { // those that are being ended count
			t.Errorf("%d sessions at a time", d.mostOpen)
		}
	}
}

// BenchmarkPool is the time that a program waits for its session (100 ms to
// start) when programs take 150 ms.
func BenchmarkPool(b *testing.B) {
	var warm atomic.Int64
	d := newDesk(nil)
	d.lease = func(int) error { time.Sleep(100 * time.Millisecond); return nil }
	d.launch = func(string) { time.Sleep(150 * time.Millisecond) }
	var list []string
	for i := range b.N {
		list = append(list, fmt.Sprintf("p%d", i))
	}
	got := run(b, d, plan(b, list...), harness.Options{})
	for _, p := range got.Programs {
		if p.Attempts[0].Session.Warm {
			warm.Add(1)
		}
	}
	b.ReportMetric(float64(warm.Load())/float64(b.N), "warm/op")
}
