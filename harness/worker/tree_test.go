//go:build unix

package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/results"
)

// TestTree holds that a worker that is asked for trees announces them before
// its verdict, whatever that is, and in a form that can be read back.
func TestTree(t *testing.T) {
	for name, fault := range map[string]error{"read": nil, "not read": errors.New("no bus")} {
		t.Run(name, func(t *testing.T) {
			d := fake.New(800, 600)
			d.Add(&fake.App{Info: desktop.AppInfo{Name: "Editor"}, Windows: []*fake.Window{{
				Title: "Text", Nodes: []*fake.Node{{Role: "button", Name: "Save", Identifier: "save", Actions: []string{"click"}}},
			}}})
			if fault != nil {
				d.FailNth("Snapshot", 0, fault)
			}
			app, dir := "Editor", t.TempDir()
			job := &Job{
				Path: "p.program.json", Source: []byte(`{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"}]}`),
				Attempt: 1, Spool: dir, TimeoutScale: 1, Tree: &app,
			}
			var out bytes.Buffer
			err := Main(t.Context(), job, &out, Parts{
				OpenDesktop: func(context.Context, *Job) (desktop.Desktop, error) { return d, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			var types []string
			for line := range strings.Lines(out.String()) {
				var e results.Event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				if e.Type != results.EventWarning || e.Warning.Kind == results.WarnNote {
					types = append(types, string(e.Type))
				}
			}
			want := "step_started step_finished artifact attempt_finished"
			if fault != nil {
				want = "step_started step_finished warning attempt_finished"
			}
			if got := strings.Join(types, " "); got != want {
				t.Fatalf("events %s, want %s", got, want)
			}
			if fault == nil {
				checkTree(t, filepath.Join(dir, "tree.json"))
			}
		})
	}
}

func checkTree(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // read only
	record, err := desktop.ReadRecord(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(record.Apps) != 1 || len(record.Apps[0].Elements) != 3 || record.Apps[0].Elements[2].Identifier != "save" {
		t.Errorf("read back: %+v", record)
	}
}

// TestFilesOfNoStepAreVerified holds that a file that belongs to no step reaches
// the run's folder only if it is what was announced.
func TestFilesOfNoStepAreVerified(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*results.Artifact)
		types string
	}{
		"as announced":    {func(*results.Artifact) {}, "artifact attempt_finished"},
		"another content": {func(a *results.Artifact) { a.SHA256 = "00" }, "warning attempt_finished"},
		"another folder":  {func(a *results.Artifact) { a.Name = "../tree.json" }, "warning attempt_finished"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, func(dir string, events *os.File) {
				a, err := spool{dir: dir}.save(TreeKind, "tree.json", "application/json", []byte("{}"))
				if err != nil {
					t.Error(err)
				}
				test.spoil(&a)
				tell(t, events, results.Event{Type: results.EventArtifact, Artifact: &a}, passed)
			})
			d := launch(t, t.Context(), h)
			if d.failure != nil || d.types() != test.types {
				t.Fatalf("%v, events %s", d.failure, d.types())
			}
			_, err := os.Stat(filepath.Join(d.runDir, "artifacts/p/attempt-1/tree.json"))
			if kept := err == nil; kept != strings.HasPrefix(test.types, "artifact") {
				t.Errorf("the file is kept: %v", kept)
			}
		})
	}
}

// TestSettle holds how long changes are waited for.
func TestSettle(t *testing.T) {
	for name, test := range map[string]struct {
		changeFor, want time.Duration
	}{
		"nothing changes": {0, quiet},
		"it is built up":  {time.Second, time.Second + quiet},
		"always":          {time.Minute, settleLimit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changes := make(chan struct{}, 1)
				ctx, cancel := context.WithTimeout(t.Context(), test.changeFor)
				defer cancel()
				go func() {
					tick := time.NewTicker(100 * time.Millisecond)
					defer tick.Stop()
					for {
						select {
						case <-tick.C:
							select {
							case changes <- struct{}{}:
							default:
							}
						case <-ctx.Done():
							return
						}
					}
				}()
				start := time.Now()
				settle(t.Context(), changes)
				if took := time.Since(start); took < test.want-150*time.Millisecond || took > test.want+150*time.Millisecond {
					t.Errorf("it took %v, want about %v", took, test.want)
				}
			})
		})
	}
}
