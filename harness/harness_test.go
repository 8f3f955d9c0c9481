package harness_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

func TestAttempts(t *testing.T) {
	for _, row := range []struct {
		ends         string
		status       results.Status
		reason, note string
		code         int
	}{
		{"passed", results.Passed, "", "", 0},
		{"failed,passed", results.Flaky, "failed, then passed on a retry: not found (1)", "", 0},
		{"failed,failed", results.Failed, "not found (2)", "", 1},
		{"failed,broken,broken", results.Failed, "not found (1)", "", 1},
		{"broken,passed", results.Passed, "", results.PassedAfterBroken, 0},
		{"broken,failed,failed", results.Failed, "not found (3)", "", 1},
		{"broken,broken", results.Broken, "no bus", "", 3},
		{"no session,passed", results.Passed, "", results.PassedAfterBroken, 0},
		{"no session,no session", results.Broken, "no Xvfb", "", 3},
		{"crash,crash", results.Broken, "the worker ended", "", 3},
		{"fail then crash,failed", results.Failed, "not found (2)", "", 1},
		{"silent,silent", results.Broken, "the worker ended without a verdict", "", 3},
		{"over budget,failed", results.Failed, "not found (2)", "", 1},
		{"over budget,passed", results.Flaky, "failed, then passed on a retry: too long", "", 0},
		{"no answer,no answer", results.Broken, "too long", "", 3},
		{"interrupt", results.Skipped, "interrupted", "", 130},
	} {
		t.Run(row.ends, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			d := newDesk(map[string]string{"p": row.ends})
			d.cancel = cancel
			var types []string
			run, err := harness.Run(ctx, results.Run{Suite: "x"}, plan(t, "p"),
				harness.Options{Retries: 1, EnvRetries: 1, Leaser: d, Launcher: d, Sink: func(e results.Event) error {
					types = append(types, string(e.Type))
					return nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			d.allReturned(t)
			got := run.Programs[0]
			if got.Status != row.status || got.Reason != row.reason || run.ExitCode != row.code {
				t.Errorf("%s %q exit %d, want %s %q exit %d", got.Status, got.Reason, run.ExitCode, row.status, row.reason, row.code)
			}
			if want := strings.Count(row.ends, ",") + 1; len(got.Attempts) != want {
				t.Errorf("%d attempts, want %d", len(got.Attempts), want)
			}
			note := ""
			for _, w := range got.Warnings {
				note += w.Message
			}
			if note != row.note {
				t.Errorf("note %q, want %q", note, row.note)
			}
			if types[0] != "run_started" || types[len(types)-1] != "run_finished" {
				t.Errorf("events %v", types)
			}
		})
	}
}

func TestInvalidProgramsAreToldAndNotRun(t *testing.T) {
	content := []byte(`{"version":2,"steps":[],"name":"a/b"}`)
	p, problems := program.Parse("bad.program.json", content)
	if p != nil {
		t.Fatal("the test's program is valid")
	}
	d := newDesk(nil)
	run, err := harness.Run(context.Background(), results.Run{}, harness.Plan{Items: []harness.Item{{Path: "bad.program.json", Problems: problems, Refused: content}}},
		harness.Options{Leaser: d, Launcher: d})
	if err != nil {
		t.Fatal(err)
	}
	got := run.Programs[0]
	if got.Status != results.Invalid || len(got.Problems) != 3 || len(d.sessions) != 0 || run.ExitCode != 2 {
		t.Errorf("%+v, exit %d", got, run.ExitCode)
	}
	if sum := sha256.Sum256(content); got.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("hash %q of what was read", got.SHA256)
	}
	if !strings.HasSuffix(got.Reason, "(and 2 more errors)") {
		t.Errorf("reason %q", got.Reason)
	}
}

func TestASinkThatFailsEndsTheRun(t *testing.T) {
	full := errors.New("disk full")
	d := newDesk(map[string]string{"p": "hang"})
	run, err := harness.Run(context.Background(), results.Run{}, plan(t, "p", "q"),
		harness.Options{Leaser: d, Launcher: d, Sink: func(e results.Event) error {
			if e.Type == results.EventAttemptStarted {
				return full
			}
			return nil
		}})
	if !errors.Is(err, full) {
		t.Fatalf("error %v", err)
	}
	if len(run.Programs) != 2 || run.Programs[1].Status != results.Skipped || len(run.Programs[1].Attempts) != 0 {
		t.Errorf("%+v", run.Programs)
	}
	if run.ExitCode != results.ExitBroken {
		t.Errorf("exit code %d: nobody interrupted the run", run.ExitCode)
	}
	d.allReturned(t)
}

// What is found out about the environment while programs run is in the results,
// also where it takes longer than the programs do.
func TestFactsThatAreFoundOutDuringTheRun(t *testing.T) {
	d := newDesk(nil)
	facts := make(chan results.Event)
	d.launch = func(item string) {
		if strings.Contains(item, "q") {
			facts <- results.Event{Type: results.EventWarning, Warning: &results.Warning{Kind: results.WarnNote, Message: "no git"}}
		}
	}
	var types []results.EventType
	run, err := harness.Run(context.Background(), results.Run{}, plan(t, "p", "q"), harness.Options{
		Leaser: d, Launcher: d, Facts: facts, Sink: func(e results.Event) error {
			types = append(types, e.Type)
			if e.Type == results.EventProgramFinished && strings.HasSuffix(e.Path, "/q.program.json") {
				go func() {
					defer close(facts)
					facts <- results.Event{Type: results.EventEnvironment, Environment: &results.Environment{Kernel: "6.1"}}
				}()
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Environment.Kernel != "6.1" || len(run.Notes) != 1 || types[len(types)-1] != results.EventRunFinished {
		t.Errorf("%+v, notes %v, events %v", run.Environment, run.Notes, types)
	}
}
