package learn_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// record puts a recording of the golden tests into the place of the task's.
func record(t testing.TB, task learn.Task, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "trajectory", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(task.TrajectoryFile()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(task.TrajectoryFile(), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCompileTrajectory(t *testing.T) {
	for _, name := range []string{"python.json", "python-list.json", "office.json"} {
		t.Run(name, func(t *testing.T) {
			task := place(t)
			record(t, task, name)
			saved, err := learn.CompileTrajectory(t.Context(), task, "Weekly report", "", false, recorder)
			if err != nil {
				t.Fatal(err)
			}
			loaded, problems := program.Load(task.ProgramFile(), "weekly.program.json")
			if loaded == nil || len(problems) > 0 {
				t.Errorf("the program does not load without remarks: %v", problems)
			}
			again, err := learn.Retrace(task)
			// A list of events does not say what the task is called.
			if err != nil || !bytes.Equal(again.Data, bytes.Replace(saved.Data, []byte("Weekly report"), []byte(again.Program.Name), 1)) {
				t.Errorf("the same recording makes other bytes: %v", err)
			}
			golden(t, filepath.Join("testdata", "trajectory", name+".golden"), task, saved.Notes)
		})
	}
}

func TestCompileTrajectoryMayNotOverwrite(t *testing.T) {
	task := place(t)
	compile := func(overwrite bool, by learn.Author) error {
		_, err := learn.CompileTrajectory(t.Context(), task, "Weekly report", "", overwrite, by)
		return err
	}
	var none *learn.NoRecordingError
	if err := compile(false, recorder); !errors.As(err, &none) {
		t.Errorf("without a recording: %v", err)
	}
	record(t, task, "office.json")
	if err := compile(false, learn.Author{Kind: policy.Run}); err == nil {
		t.Error("a run has written a program")
	}
	if err := compile(false, recorder); err != nil {
		t.Fatal(err)
	}
	var exists *learn.ExistsError
	if err := compile(false, recorder); !errors.As(err, &exists) {
		t.Errorf("a program was replaced without being asked for: %v", err)
	}
	if err := compile(true, recorder); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(task.ProgramFile())
	if err != nil {
		t.Fatal(err)
	}
	locked := strings.Replace(string(data), `"steps"`, `"locked": true, "steps"`, 1)
	if err := os.WriteFile(task.ProgramFile(), []byte(locked), 0o600); err != nil {
		t.Fatal(err)
	}
	var lock *program.LockedError
	if err := compile(true, recorder); !errors.As(err, &lock) {
		t.Errorf("a locked program was replaced: %v", err)
	}
	if err := os.WriteFile(task.TrajectoryFile(), []byte(`{"events": [{"action_type": "key", "key": "nokey"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := compile(true, learn.Author{Kind: policy.Builder, Unlock: true}); !errors.Is(err, learn.ErrNothingRecorded) {
		t.Errorf("a recording of nothing: %v", err)
	}
}
