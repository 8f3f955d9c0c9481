package learn_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
	"github.com/opendesk/opendesk/runner/policy"
)

var updateGolden = flag.Bool("update", false, "write the golden files")

var recorder = learn.Author{Kind: policy.Builder}

func readLog(t testing.TB, name string) ([]results.AuditEntry, []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "session", name))
	if err != nil {
		t.Fatal(err)
	}
	entries, notes, err := audit.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return entries, notes
}

func place(t testing.TB) learn.Task {
	t.Helper()
	task, err := learn.Folder{Project: t.TempDir()}.Place("Weekly report")
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func TestSaveSession(t *testing.T) {
	for _, name := range []string{"python.json", "do.ndjson"} {
		t.Run(name, func(t *testing.T) {
			entries, notes := readLog(t, name)
			task := place(t)
			saved, err := learn.SaveSession(t.Context(), task, "Weekly report", "", entries, false, recorder)
			if err != nil {
				t.Fatal(err)
			}
			loaded, problems := program.Load(task.ProgramFile(), "weekly.program.json")
			if loaded == nil || len(problems) > 0 {
				t.Errorf("the program does not load without remarks: %v", problems)
			}
			golden(t, filepath.Join("testdata", "session", name+".golden"), task, append(notes, saved.Notes...))
		})
	}
}

// golden compares the task's program, its procedure and what there is to say of
// them with the file.
func golden(t *testing.T, file string, task learn.Task, notes []string) {
	t.Helper()
	var got bytes.Buffer
	for _, part := range []string{task.ProgramFile(), task.ProcedureFile()} {
		data, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(data, '\n'))
	}
	for _, note := range notes {
		got.WriteString("note: " + note + "\n")
	}
	if *updateGolden {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got:\n%s\nwant:\n%s", got.Bytes(), want)
	}
}

func TestSaveSessionMayNotOverwrite(t *testing.T) {
	entries, _ := readLog(t, "python.json")
	task := place(t)
	save := func(log []results.AuditEntry, overwrite bool, by learn.Author) error {
		_, err := learn.SaveSession(t.Context(), task, "Weekly report", "", log, overwrite, by)
		return err
	}
	if err := save(nil, false, recorder); !errors.Is(err, learn.ErrNothingToRepeat) {
		t.Errorf("an empty log: %v", err)
	}
	if err := save(entries[:1], false, recorder); !errors.Is(err, learn.ErrNothingToRepeat) {
		t.Errorf("a log of reads: %v", err)
	}
	if err := save(entries, false, learn.Author{Kind: policy.Run}); err == nil {
		t.Error("a run has written a program")
	}
	if err := save(entries, false, recorder); err != nil {
		t.Fatal(err)
	}
	procedure := []byte(`{"task_name": "mine", "steps": ["my own words"]}`)
	if err := os.WriteFile(task.ProcedureFile(), procedure, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(task.ProgramFile())
	if err != nil {
		t.Fatal(err)
	}
	var exists *learn.ExistsError
	if err := save(entries[:3], false, recorder); !errors.As(err, &exists) {
		t.Errorf("a program was replaced without being asked for: %v", err)
	}
	if err := save(entries, true, recorder); err != nil {
		t.Error(err)
	}
	if again, err := os.ReadFile(task.ProgramFile()); err != nil || !bytes.Equal(first, again) {
		t.Errorf("the same log made other bytes:\n%s\n%s", first, again)
	}
	if kept, err := os.ReadFile(task.ProcedureFile()); err != nil || !bytes.Equal(kept, procedure) {
		t.Errorf("the procedure was replaced: %s", kept)
	}
	locked := strings.Replace(string(first), `"steps"`, `"locked": true, "steps"`, 1)
	if err := os.WriteFile(task.ProgramFile(), []byte(locked), 0o600); err != nil {
		t.Fatal(err)
	}
	var lock *program.LockedError
	if err := save(entries, true, recorder); !errors.As(err, &lock) {
		t.Errorf("a locked program was replaced: %v", err)
	}
}
