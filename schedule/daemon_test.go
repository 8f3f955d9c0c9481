package schedule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// rig is a daemon whose clock is that of the bubble, moved by shift.
type rig struct {
	*Daemon
	t     *testing.T
	mutex sync.Mutex
	shift time.Duration
	lines []string
	runs  []string // name and time
	// does is what a run does, nil for nothing.
	does func(ctx context.Context, name string) string
	zone *time.Location
	stop context.CancelFunc
	over chan error
}

func newRig(t *testing.T, s *Store) *rig {
	r := &rig{t: t, zone: time.UTC}
	s.Now = r.now
	r.Daemon = &Daemon{
		Store: s,
		Log: func(format string, args ...any) {
			r.mutex.Lock()
			defer r.mutex.Unlock()
			r.lines = append(r.lines, fmt.Sprintf(format, args...))
		},
		Run: func(ctx context.Context, e Entry) string {
			r.mutex.Lock()
			r.runs = append(r.runs, e.Name+" "+r.nowLocked().In(r.zone).Format("01-02 15:04:05"))
			does := r.does
			r.mutex.Unlock()
			if does == nil {
				return StatusOK
			}
			return does(ctx, e.Name)
		},
	}
	return r
}

func (r *rig) nowLocked() time.Time { return time.Now().Add(r.shift) }

func (r *rig) now() time.Time {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.nowLocked()
}

func (r *rig) jump(by time.Duration) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.shift += by
}

func (r *rig) start() {
	ctx, stop := context.WithCancel(context.Background())
	r.stop, r.over = stop, make(chan error, 1)
	go func() { r.over <- r.Serve(ctx) }()
	synctest.Wait()
}

func (r *rig) end() {
	r.t.Helper()
	r.stop()
	if err := <-r.over; err != nil {
		r.t.Error(err)
	}
}

func (r *rig) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ran gives what was run since it was asked last.
func (r *rig) ran() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	list := strings.Join(r.runs, ", ")
	r.runs = nil
	return list
}

func (r *rig) wants(want string) {
	r.t.Helper()
	if got := r.ran(); got != want {
		r.t.Errorf("ran %q, want %q\n%s", got, want, strings.Join(r.lines, "\n"))
	}
}

func (r *rig) told(text string) {
	r.t.Helper()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !slices.ContainsFunc(r.lines, func(l string) bool { return strings.Contains(l, text) }) {
		r.t.Errorf("%q was not told:\n%s", text, strings.Join(r.lines, "\n"))
	}
}

func (r *rig) add(name, timing, zone string) {
	r.t.Helper()
	if _, err := r.Store.Add(Entry{Name: name, Task: "t", Timing: timing, Timezone: zone}, true); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) status(name string) string {
	r.t.Helper()
	entries, err := r.Store.Load()
	if err != nil {
		r.t.Fatal(err)
	}
	e, err := Find(entries, name)
	if err != nil {
		r.t.Fatal(err)
	}
	return e.LastStatus
}

// The clock of a bubble begins at midnight, UTC, of 1 January 2000, a Saturday.

// TestFourHundredDaysOfTheDaemon: it begins everything exactly when it is due.
func TestFourHundredDaysOfTheDaemon(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Sydney"}
	for _, name := range zones {
		zone(t, name)
	}
	synctest.Test(t, func(t *testing.T) {
		from := time.Now()
		r := newRig(t, store(t, ""))
		r.poll = 12 * time.Hour
		want := map[string]int{}
		for _, name := range zones {
			z := zone(t, name)
			r.add(path.Base(name), "every sunday at 02:30", name)
			due := func(w time.Time) bool { return w.Weekday() == time.Sunday && w.Hour() == 2 && w.Minute() == 30 }
			for _, at := range expectedOf(from.In(z), from.AddDate(0, 0, 400), rule{due: due})[0] {
				want[path.Base(name)+" "+at.In(z).Format(time.RFC3339)]++
			}
		}
		got := map[string]int{}
		r.Run = func(_ context.Context, e Entry) string {
			z, err := e.Zone()
			if err != nil {
				t.Error(err)
			}
			got[e.Name+" "+r.now().In(z).Format(time.RFC3339)]++
			return StatusOK
		}
		r.start()
		r.pass(400 * 24 * time.Hour)
		r.end()
		if len(want) < 3*57 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v\nwant\n%v", got, want)
		}
	})
}

func TestIntervalsKeepTheirRhythm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.add("a", "every 10m", "")
		r.does = func(context.Context, string) string { time.Sleep(90 * time.Second); return StatusOK }
		r.start()
		r.pass(31 * time.Minute)
		r.wants("a 01-01 00:10:00, a 01-01 00:20:00, a 01-01 00:30:00")
		r.end()
		if r.status("a") != StatusOK {
			t.Error(r.status("a"))
		}
	})
}

func TestNoTaskOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.Parallel = 3
		r.add("a", "every 1m", "")
		r.does = func(context.Context, string) string { time.Sleep(150 * time.Second); return StatusOK }
		r.start()
		r.pass(2*time.Minute + time.Second)
		if r.status("a") != StatusRunning {
			t.Error(r.status("a"))
		}
		r.pass(4 * time.Minute)
		r.wants("a 01-01 00:01:00, a 01-01 00:04:00")
		r.told("still being run: left out")
		r.end()
	})
}

// TestOneAfterTheOther: what is due while another schedule is being run is run
// after it; with room for two it is not kept waiting.
func TestOneAfterTheOther(t *testing.T) {
	for parallel, want := range map[int]string{
		1: "a 01-01 00:10:00, b 01-01 00:13:00", 2: "a 01-01 00:10:00, b 01-01 00:11:00",
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, store(t, ""))
			r.Parallel = parallel
			r.add("a", "every day at 00:10", "UTC")
			r.add("b", "every day at 00:11", "UTC")
			r.does = func(context.Context, string) string { time.Sleep(3 * time.Minute); return StatusOK }
			r.start()
			r.pass(20 * time.Minute)
			r.wants(want)
			r.end()
		})
	}
}

// TestSleep: the machine sleeps for days; what was missed is run once.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.add("daily", "every day at 06:00", "UTC")
		r.add("often", "every 30m", "")
		r.add("weekly", "every friday at 06:00", "UTC")
		r.start()
		r.jump(75*time.Hour + 10*time.Minute) // to Tuesday
		r.pass(6 * time.Second)
		r.wants("often 01-04 03:10:05, daily 01-04 03:10:05")
		r.told("made up for, once")
		r.pass(3 * time.Hour)
		r.wants("often 01-04 03:30:00, often 01-04 04:00:00, often 01-04 04:30:00, often 01-04 05:00:00, often 01-04 05:30:00, daily 01-04 06:00:00, often 01-04 06:00:00")
		r.end()
	})
}

// TestAClockThatIsPutBack does not keep anything from being run.
func TestAClockThatIsPutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.add("a", "every 1h", "")
		r.shift = 1000 * 24 * time.Hour
		r.start()
		r.jump(-1000 * 24 * time.Hour)
		r.pass(61 * time.Minute)
		r.wants("a 01-01 01:00:05")
		r.end()
	})
}

// TestAnotherDaemonGoesOn: what was due while none was running is made up for
// once, and only what was known and switched on before.
func TestAnotherDaemonGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store(t, "")
		first := newRig(t, s)
		for _, name := range []string{"known", "off", "changed", "gone"} {
			first.add(name, "every day at 06:00", "UTC")
		}
		first.start()
		first.pass(time.Hour)
		first.end()
		first.wants("")
		if err := errors.Join(s.Enable("off", false), s.Remove("gone")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(48 * time.Hour)
		first.add("late", "every day at 06:00", "UTC")
		first.add("changed", "every day at 05:00", "UTC")
		if err := s.Enable("off", true); err != nil {
			t.Fatal(err)
		}
		second := newRig(t, s)
		second.start()
		second.pass(time.Minute)
		second.wants("known 01-03 01:00:00")
		second.pass(4*time.Hour + time.Minute)
		second.wants("changed 01-03 05:00:00")
		second.end()
	})
}

// TestChangesAreSeen while the daemon runs.
func TestChangesAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.start()
		r.add("a", "every 10s", "")
		r.pass(16 * time.Second)
		r.wants("a 01-01 00:00:15")
		if err := r.Store.Enable("a", false); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		r.wants("")
		if err := r.Store.Enable("a", true); err != nil {
			t.Fatal(err)
		}
		r.pass(16 * time.Second)
		r.wants("a 01-01 00:01:30")
		r.end()
	})
}

// TestAStoreThatBreaks meanwhile is told of once and left alone, and what was
// read before stays in force.
func TestAStoreThatBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.add("a", "every 10s", "")
		r.start()
		good, err := os.ReadFile(r.Store.File)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.Store.File, []byte("[{"), 0o644); err != nil {
			t.Fatal(err)
		}
		r.pass(21 * time.Second)
		r.wants("a 01-01 00:00:10, a 01-01 00:00:20")
		r.told("stays in force")
		if data, err := os.ReadFile(r.Store.File); string(data) != "[{" || err != nil {
			t.Errorf("%q %v", data, err)
		}
		if err := os.WriteFile(r.Store.File, good, 0o644); err != nil {
			t.Fatal(err)
		}
		r.pass(10 * time.Second)
		r.told("can be read again")
		r.end()
		count := 0
		for _, l := range r.lines {
			if strings.Contains(l, "stays in force") {
				count++
			}
		}
		if count != 1 || r.status("a") != StatusOK {
			t.Error(count, r.status("a"), r.lines)
		}
	})
	s := store(t, "[{")
	var broken *BrokenError
	if err := (&Daemon{Store: s, Log: t.Logf}).Serve(t.Context()); !errors.As(err, &broken) {
		t.Error(err)
	}
}

// TestStop: what is under way is told to end, waited for, and noted.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.add("a", "every 10s", "")
		r.add("b", "every 10s", "")
		r.does = func(ctx context.Context, _ string) string {
			<-ctx.Done()
			time.Sleep(3 * time.Second)
			return "interrupted (x)"
		}
		r.start()
		r.pass(11 * time.Second)
		r.end()
		r.wants("a 01-01 00:00:10")
		if r.status("a") != "interrupted (x)" || r.status("b") != "" {
			t.Error(r.status("a"), r.status("b"))
		}
		entries, err := r.Store.Load()
		if err != nil {
			t.Fatal(err)
		}
		if pid, err := r.Store.Running(&entries[0]); pid != 0 || err != nil {
			t.Error(pid, err)
		}
	})
}

// TestWhoeverRunsItElsewhere keeps the daemon from running it as well, and what
// nobody runs any more was cut short.
func TestWhoeverRunsItElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, ""))
		r.add("a", "every 10s", "")
		entries, err := r.Store.Load()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Store.Began("a", r.now()); err != nil {
			t.Fatal(err)
		}
		release, err := r.Store.HoldTask(&entries[0])
		if err != nil {
			t.Fatal(err)
		}
		r.start()
		r.pass(11 * time.Second)
		r.wants("")
		r.told(fmt.Sprintf(`"a" is being run already (process %d): left out`, os.Getpid()))
		if r.status("a") != StatusRunning {
			t.Error(r.status("a"))
		}
		r.end()
		if err := release(); err != nil {
			t.Fatal(err)
		}
		r.start()
		if !strings.HasPrefix(r.status("a"), "interrupted: ") {
			t.Error(r.status("a"))
		}
		r.pass(time.Second)
		r.end()
	})
}

// TestTimingsThatCannotBeRead are told of and never due; the others are.
func TestTimingsThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, store(t, `[{"name": "a", "timing": "at dawn"}, {"name": "b", "cron": "*/5 * * * *"}, {"name": "c", "interval_seconds": 240},
			{"name": "d"}, {"name": "e", "timing": "1", "timezone": "Nowhere"}]`))
		r.start()
		r.pass(5*time.Minute + time.Second)
		r.wants("c 01-01 00:04:00, b 01-01 00:05:00")
		r.told(`a: timing:1: "at dawn" is no timing`)
		r.told("d: timing:1: the timing is empty")
		r.told(`e: the time zone "Nowhere" is unknown`)
		r.end()
	})
}
