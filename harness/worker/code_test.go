//go:build unix

package worker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"golang.org/x/sys/unix"
)

// TestCodeTravelsWithTheJob: a worker finds the code as it was loaded, whatever
// became of it since, and whoever runs it can read it.
func TestCodeTravelsWithTheJob(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	p, problems := program.Parse("p", []byte(`{"version":1,"steps":[{"id":"s1","tool":"script","params":{"file":"main.py","timeout_ms":90000}}]}`))
	if p == nil {
		t.Fatal(problems)
	}
	p.Code = []program.CodeFile{{Name: "lib/a.py", Data: []byte("a = 1\n")}, {Name: "main.py", Data: []byte("import lib.a\n")}}
	var job Job
	h := newHost(t, nil)
	h.work = func(spool string, events *os.File) {
		data, err := os.ReadFile(filepath.Join(spool, "job.json"))
		if err != nil || json.Unmarshal(data, &job) != nil {
			t.Error(err)
		}
		for _, f := range p.Code {
			path := filepath.Join(job.Code, filepath.FromSlash(f.Name))
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("%s: %v, %v", f.Name, info, err)
				continue
			}
			if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o755 {
				t.Errorf("%s: %v, %v", filepath.Dir(path), dir, err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != string(f.Data) {
				t.Errorf("%s is %q, %v", f.Name, data, err)
			}
		}
		if err := os.WriteFile(filepath.Join(spool, "s1-1-out.txt"), []byte("x"), 0o600); err != nil {
			t.Error(err)
		}
		a := results.Artifact{Name: "s1-1-out.txt", Kind: results.KindScriptFile, Size: 1, SHA256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}
		done := results.Step{ID: "s1", Tool: "script", Status: results.StepPassed, Artifacts: []results.Artifact{a},
			Script: &results.Script{Files: []results.ScriptFile{{Name: "out.txt", Artifact: a.Name}, {Name: "lost.txt"}}}}
		tell(t, events, results.Event{Type: results.EventStepFinished, Step: &done}, passed)
	}
	// What an attempt before has left in the session counts for nothing.
	if err := os.MkdirAll(filepath.Join(h.spool, "code", "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	d := told{runDir: t.TempDir()}
	l := &Launcher{RunDir: d.runDir, TimeoutScale: 1, Archive: "/project",
		Scripts: project.Scripts{Processes: 7, Hidden: []string{"keys"}}}
	if f := l.Launch(t.Context(), h, harness.Attempt{Program: p, Number: 1, ArtifactDir: "a"}, func(e results.Event) { d.events = append(d.events, e) }); f != nil {
		t.Fatal(f)
	}
	if job.Archive != "/project" || job.ScriptCaps["processes"] != 7 || len(job.HiddenFromScripts) != 1 {
		t.Errorf("%+v", job)
	}
	if _, err := os.Stat(filepath.Join(h.spool, "code", "old")); err == nil {
		t.Error("the code of an attempt before is still there")
	}
	files := d.events[0].Step.Script.Files
	if files[0].Artifact != "a/s1-1-out.txt" || files[1].Artifact != "" {
		t.Errorf("the files are called %+v", files)
	}
	if got := budget(p.Steps[0], 1); got < 90*time.Second+stepAllowance {
		t.Errorf("a script of 90 s is given %v", got)
	}
}

// TestNoCodeNoFolder: a program without scripts has none.
func TestNoCodeNoFolder(t *testing.T) {
	spool := t.TempDir()
	if dir, err := writeCode(spool, nil); dir != "" || err != nil {
		t.Errorf("%q, %v", dir, err)
	}
}
