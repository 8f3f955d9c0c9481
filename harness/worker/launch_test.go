//go:build unix

package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// host is a session whose workers are functions that write to the pipe.
type host struct {
	spool  string
	work   func(spool string, events *os.File)
	how    string // how the worker ends
	output string
	start  error
	ended  string // how the host ended
	killed chan struct{}
	done   chan struct{}
	health desktop.Health
	// reached are limits that the session has run into.
	reached []ReachedLimit
}

func newHost(t *testing.T, work func(spool string, events *os.File)) *host {
	return &host{spool: t.TempDir(), work: work, killed: make(chan struct{}, 9), done: make(chan struct{}),
		health: desktop.Health{{Part: desktop.PartDisplay, OK: true}}}
}

func (h *host) Describe() results.Session    { return results.Session{} }
func (h *host) Check(context.Context) error  { return nil }
func (h *host) Return(context.Context) error { return nil }
func (h *host) Fill(job *Job)                { job.Spool = h.spool }
func (h *host) Ended() string                { return h.ended }

func (h *host) Start(_ context.Context, _, _ []string, events *os.File) (Process, error) {
	if h.start != nil {
		return nil, h.start
	}
	copied, err := duplicate(events)
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(h.done)
		defer copied.Close() //nolint:errcheck // a pipe's end
		h.work(h.spool, copied)
	}()
	return h, nil
}

func (h *host) Wait(ctx context.Context) (string, string, error) {
	select {
	case <-h.done:
		return h.how, h.output, nil
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
}

func (h *host) Reached() []ReachedLimit { return h.reached }

func (h *host) Kill() { h.killed <- struct{}{} }

func (h *host) Probe(context.Context) (desktop.Health, error) { return h.health, nil }

func (h *host) Screenshot(_ context.Context, path string) error {
	return os.WriteFile(path, []byte("a picture"), 0o600)
}

// told is what a launch gave: the failure, and the events.
type told struct {
	failure *results.Failure
	events  []results.Event
	runDir  string
}

func (d told) types() string {
	var types []string
	for _, e := range d.events {
		types = append(types, string(e.Type))
	}
	return strings.Join(types, " ")
}

func launch(t *testing.T, ctx context.Context, h *host) told {
	t.Helper()
	p, problems := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	d := told{runDir: t.TempDir()}
	l := &Launcher{RunDir: d.runDir, TimeoutScale: 1}
	d.failure = l.Launch(ctx, h, harness.Attempt{Program: p, Number: 1, ArtifactDir: "artifacts/p/attempt-1"},
		func(e results.Event) { d.events = append(d.events, e) })
	return d
}

func tell(t *testing.T, events *os.File, list ...results.Event) {
	t.Helper()
	w := results.NewEventWriter(events)
	for _, e := range list {
		if err := w.Write(&e); err != nil {
			t.Error(err)
		}
	}
}

var (
	stepDone = results.Event{Type: results.EventStepFinished, Step: &results.Step{ID: "s1", Tool: "wait", Status: results.StepPassed}}
	passed   = results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: results.Passed}}
)

func TestAVerdictIsPassedOn(t *testing.T) {
	h := newHost(t, func(_ string, events *os.File) { tell(t, events, stepDone, passed) })
	d := launch(t, t.Context(), h)
	if d.failure != nil || d.types() != "step_finished attempt_finished" {
		t.Fatalf("%v, events %s", d.failure, d.types())
	}
	if slices.ContainsFunc(d.events, func(e results.Event) bool { return e.Seq != 0 }) {
		t.Error("the worker's own numbers were passed on")
	}
}

func TestAVerdictStandsWhenTheWorkerHangsAfterIt(t *testing.T) {
	end := make(chan struct{})
	h := newHost(t, func(_ string, events *os.File) {
		tell(t, events, stepDone, passed)
		<-end
	})
	time.AfterFunc(closingGrace+time.Second, func() { close(end) })
	d := launch(t, t.Context(), h)
	if d.failure != nil || d.types() != "step_finished attempt_finished" {
		t.Fatalf("%v, events %s", d.failure, d.types())
	}
}

func TestAWorkerWithoutVerdict(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*host)
		kind   results.FailureKind
		reason string
	}{
		{"crashed", func(h *host) { h.how, h.output = "signal: segmentation fault", "SIGSEGV" },
			results.WorkerCrashed, "segmentation fault"},
		{"ended cleanly", func(*host) {}, results.InternalFault, "without a verdict"},
		{"the host died", func(h *host) { h.how, h.ended = "signal: killed", "signal: killed" },
			results.HostCrashed, "the session host ended"},
		{"cannot be started", func(h *host) { h.start = errors.New("no memory") }, results.HostCrashed, "no memory"},
		{"writes nonsense", func(h *host) {
			h.work = func(_ string, events *os.File) { _, _ = events.WriteString("nonsense\n{}\n") }
		}, results.InternalFault, "events"},
		{"is torn off", func(h *host) {
			h.how = "signal: killed"
			h.work = func(_ string, events *os.File) {
				tell(t, events, stepDone)
				_, _ = events.WriteString(`{"type":"attempt_fin`)
			}
		}, results.WorkerCrashed, "killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHost(t, func(_ string, events *os.File) { tell(t, events, stepDone) })
			h.health = append(h.health, desktop.Probe{Part: desktop.PartWindowManager, Detail: "silent"})
			test.change(h)
			d := launch(t, t.Context(), h)
			if d.failure == nil || d.failure.Kind != test.kind || !strings.Contains(d.failure.Reason, test.reason) {
				t.Fatalf("failure %+v", d.failure)
			}
			if len(d.failure.Probes) != 2 || !strings.Contains(strings.Join(d.failure.Details, " "), "window manager does not answer: silent") {
				t.Errorf("probes %v, details %q", d.failure.Probes, d.failure.Details)
			}
			last := d.events[len(d.events)-1]
			if last.Type != results.EventArtifact || last.Artifact.Name != "artifacts/p/attempt-1/last-screen.png" {
				t.Fatalf("the host's picture is missing: %s", d.types())
			}
			if _, err := os.Stat(filepath.Join(d.runDir, last.Artifact.Name)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAWorkerThatTellsNothingIsStopped(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // a pipe's end
	defer writer.Close() //nolint:errcheck // a pipe's end
	tell(t, writer, stepDone, stepDone)
	told := 0
	p := &pipe{launcher: &Launcher{TimeoutScale: 1}, patience: 50 * time.Millisecond, emit: func(results.Event) {
		told++
		time.Sleep(80 * time.Millisecond) // a slow reader of the output is not the worker's fault
	}}
	err = p.read(t.Context(), reader)
	if told != 2 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d events, then %v", told, err)
	}
	h := newHost(t, nil)
	close(h.done)
	f := (&Launcher{RunDir: t.TempDir()}).diagnose(t.Context(), h, h, harness.Attempt{}, err, p.patience, func(results.Event) {})
	if f.Kind != results.BudgetExceeded || !strings.Contains(f.Reason, "told nothing for 50ms") {
		t.Errorf("%+v", f)
	}
}

// How long a worker may be silent does not grow with the program.
func TestTheBudgetIsTheSteps(t *testing.T) {
	p, problems := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[
	  {"id":"s1","tool":"wait","params":{"ms":600000}},
	  {"id":"s2","tool":"app","params":{"action":"open","name":"x"},"wait_ms":1000,
	   "postcondition":{"kind":"app_frontmost","value":"x","timeout_ms":20000}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	for _, row := range []struct {
		step  int
		scale float64
		want  time.Duration
	}{
		{0, 1, 600*time.Second + 5*time.Second + stepAllowance},
		{1, 1, time.Second + 25*time.Second + stepAllowance},
		{1, 2, time.Second + 2*(25*time.Second+stepAllowance)},
		{1, 0.1, time.Second + 25*time.Second + stepAllowance},
	} {
		if got := budget(p.Steps[row.step], row.scale); got != row.want {
			t.Errorf("step %d × %g: %v, want %v", row.step, row.scale, got, row.want)
		}
	}
	h := newHost(t, func(_ string, events *os.File) {
		tell(t, events, results.Event{Type: results.EventStepStarted, Step: &results.Step{ID: "s1", Index: 1}}, stepDone, passed)
	})
	l := &Launcher{RunDir: t.TempDir(), TimeoutScale: 1}
	if f := l.Launch(t.Context(), h, harness.Attempt{Program: p, Number: 1}, func(results.Event) {}); f != nil {
		t.Error(f)
	}
}

func TestAnInterruptEndsTheWorker(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHost(t, nil)
	h.work = func(_ string, events *os.File) {
		tell(t, events, stepDone)
		cancel()
		<-h.killed
	}
	if d := launch(t, ctx, h); d.failure == nil {
		t.Fatal("no failure")
	}
}

func TestArtifactsAreVerified(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(dir string, a *results.Artifact)
		note   string
	}{
		{"as announced", func(string, *results.Artifact) {}, ""},
		{"outside the spool folder", func(_ string, a *results.Artifact) { a.Name = "../job.json" }, "not a name inside"},
		{"missing", func(dir string, a *results.Artifact) { _ = os.Remove(filepath.Join(dir, a.Name)) }, "no such file"},
		{"of another size", func(dir string, a *results.Artifact) { a.Size++ }, "not the file that was announced"},
		{"of other content", func(dir string, a *results.Artifact) { a.SHA256 = strings.Repeat("0", 64) }, "content"},
		{"a link", func(dir string, a *results.Artifact) {
			_ = os.Remove(filepath.Join(dir, a.Name))
			_ = os.Symlink("/etc/passwd", filepath.Join(dir, a.Name))
		}, "not the file that was announced"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHost(t, func(dir string, events *os.File) {
				a, err := spool{dir: dir}.save("screenshot", "s1.png", "image/png", []byte("pixels"))
				if err != nil {
					t.Error(err)
				}
				test.change(dir, &a)
				tell(t, events, results.Event{Type: results.EventStepFinished, Step: &results.Step{
					ID: "s1", Tool: "wait", Status: results.StepFailed, Artifacts: []results.Artifact{a},
					Failure: &results.Failure{Kind: results.TargetNotFound, Reason: "r", SelfHeal: &results.SelfHeal{Screenshot: a.Name}},
				}}, results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: results.Failed, Reason: "r"}})
			})
			d := launch(t, t.Context(), h)
			if d.failure != nil || d.events[0].Step.Status != results.StepFailed {
				t.Fatalf("the verdict changed: %v", d.failure)
			}
			s := d.events[0].Step
			if test.note == "" {
				if len(s.Artifacts) != 1 || s.Failure.SelfHeal.Screenshot != s.Artifacts[0].Name {
					t.Errorf("%+v", s)
				}
				return
			}
			if len(s.Artifacts) != 0 || !strings.Contains(strings.Join(s.Notes, " "), test.note) {
				t.Errorf("artifacts %v, notes %q", s.Artifacts, s.Notes)
			}
			if s.Failure.SelfHeal.Screenshot != "" {
				t.Error("the repair context names a picture that is not there")
			}
		})
	}
}
