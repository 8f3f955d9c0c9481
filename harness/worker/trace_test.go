//go:build unix

package worker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// launchTraced runs an attempt of one step whose picture is in the spool
// folder; the verdict is what else the worker tells.
func launchTraced(t *testing.T, trace Trace, verdict ...results.Event) told {
	t.Helper()
	h := newHost(t, func(spoolDir string, events *os.File) {
		j, err := ReadJob(filepath.Join(spoolDir, "job.json"))
		if err != nil {
			t.Error(err)
			return
		}
		tell(t, events, stepDone)
		if j.Trace {
			a, err := spool{dir: j.Spool}.save(results.KindTrace, "s1~trace.png", "image/png", []byte("a picture"))
			if err != nil {
				t.Error(err)
			}
			a.Step = "s1"
			tell(t, events, results.Event{Type: results.EventArtifact, Artifact: &a})
		}
		tell(t, events, verdict...)
	})
	p, problems := program.Parse("p.program.json", []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	d := told{runDir: t.TempDir()}
	l := &Launcher{RunDir: d.runDir, TimeoutScale: 1, Trace: trace}
	d.failure = l.Launch(context.Background(), h, harness.Attempt{Program: p, Number: 1, ArtifactDir: "artifacts/p"},
		func(e results.Event) { d.events = append(d.events, e) })
	return d
}

func TestTracesAreKeptAsAsked(t *testing.T) {
	failed := results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: results.Failed}}
	for _, tt := range []struct {
		name    string
		trace   Trace
		verdict []results.Event
		kept    bool
	}{
		{"off", TraceOff, []results.Event{failed}, false},
		{"the zero value", "", []results.Event{failed}, false},
		{"on, passed", TraceOn, []results.Event{passed}, true},
		{"retained, passed", TraceRetainOnFailure, []results.Event{passed}, false},
		{"retained, failed", TraceRetainOnFailure, []results.Event{failed}, true},
		{"retained, the worker died", TraceRetainOnFailure, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := launchTraced(t, tt.trace, tt.verdict...)
			_, err := os.Stat(filepath.Join(d.runDir, "artifacts", "p", "s1~trace.png"))
			if (err == nil) != tt.kept {
				t.Errorf("the file: %v, want it kept: %v", err, tt.kept)
			}
			told := false
			for i, e := range d.events {
				if e.Artifact == nil || e.Artifact.Kind != results.KindTrace {
					continue
				}
				told = true
				if e.Artifact.Step != "s1" || e.Artifact.Name != "artifacts/p/s1~trace.png" {
					t.Errorf("artifact %+v", e.Artifact)
				}
				if i > 0 && d.events[i-1].Type == results.EventAttemptFinished {
					t.Error("it comes after the attempt's end")
				}
			}
			if told != tt.kept {
				t.Errorf("events %s, want the picture told: %v", d.types(), tt.kept)
			}
		})
	}
}

func TestParseTrace(t *testing.T) {
	for _, name := range []string{"on", "off", "retain-on-failure"} {
		if trace, err := ParseTrace(name); err != nil || string(trace) != name {
			t.Errorf("%s: %q, %v", name, trace, err)
		}
	}
	if _, err := ParseTrace("always"); err == nil || !strings.Contains(err.Error(), "off, retain-on-failure, on") {
		t.Errorf("error %v", err)
	}
}
