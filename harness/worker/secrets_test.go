//go:build unix

package worker

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// What a worker tells, and what the launcher tells of one that died, is masked;
// the host's picture, in which nobody could cover anything, is not taken.
func TestLauncherMasks(t *testing.T) {
	p, problems := program.Parse("p.program.json", []byte(`{"version":1,"steps":[
		{"id":"s1","tool":"keyboard","params":{"action":"type","text":"${env:PASS}"}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	h := newHost(t, func(_ string, events *os.File) {
		tell(t, events, results.Event{Type: results.EventStepStarted, Step: &results.Step{ID: "s1"}},
			results.Event{Type: results.EventAction, Action: &results.AuditEntry{Result: "hunter22"}},
			results.Event{Type: results.EventWarning, Warning: &results.Warning{Kind: results.WarnNote, Message: "saw hunter22"}})
	})
	h.how, h.output = "signal: killed", "panic: hunter22"
	var told []results.Event
	var audited []results.AuditEntry
	l := &Launcher{RunDir: t.TempDir(), TimeoutScale: 1, Getenv: func(string) string { return "hunter22" },
		Audit: func(e results.AuditEntry) { audited = append(audited, e) }}
	f := l.Launch(t.Context(), h, harness.Attempt{Program: p, Number: 1}, func(e results.Event) { told = append(told, e) })
	all, err := json.Marshal([]any{told, audited, f})
	if err != nil || strings.Contains(string(all), "hunter") || strings.Count(string(all), "${env:PASS}") != 3 {
		t.Errorf("%v: %s", err, all)
	}
	for _, e := range told {
		if e.Type == results.EventArtifact {
			t.Error("the host's picture was kept")
		}
	}
	job, err := os.ReadFile(h.spool + "/job.json")
	if err != nil || strings.Contains(string(job), "hunter") {
		t.Errorf("the job's file: %v %s", err, job)
	}
	l.Getenv = nil
	if f := l.Launch(t.Context(), h, harness.Attempt{Program: p, Number: 1}, nil); f == nil || f.Kind != results.VariableUnset {
		t.Errorf("not set: %+v", f)
	}
}

func TestTakeSecrets(t *testing.T) {
	t.Setenv(secretsVariable, `{"A":"b"}`)
	if got, err := TakeSecrets(); err != nil || got["A"] != "b" {
		t.Error(got, err)
	}
	if _, there := os.LookupEnv(secretsVariable); there {
		t.Error("it is still in the environment")
	}
	t.Setenv(secretsVariable, "b")
	if _, err := TakeSecrets(); err == nil {
		t.Error("no error")
	}
}
