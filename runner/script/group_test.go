//go:build linux

package script

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// grouping is a Starter whose processes are in a group that does as told.
type grouping struct{ group Group }

func (s grouping) Start(ctx context.Context, o Order, files []*os.File) (Process, error) {
	p := &localProcess{done: make(chan struct{})}
	ctx, p.kill = context.WithCancel(context.WithoutCancel(ctx))
	started := make(chan struct{})
	go func() {
		p.exit, p.err = Serve(ctx, o, files, groupSpawner{localSpawner{started: func() { close(started) }}, s.group})
		close(p.done)
	}()
	<-started
	return p, nil
}

type groupSpawner struct {
	localSpawner
	group Group
}

func (s groupSpawner) Group(int64, int) Group                  { return s.group }
func (s groupSpawner) Start(c Command, g Group) (Child, error) { return s.localSpawner.Start(c, g) }

// fakeGroup keeps every limit, as it says, and has reached one.
type fakeGroup struct {
	reached string
	removed atomic.Bool
}

func (g *fakeGroup) Keeps(string) string { return "cgroup v2" }
func (g *fakeGroup) Remove()             { g.removed.Store(true) }
func (g *fakeGroup) Reached(limit string) int64 {
	if limit == g.reached {
		return 1
	}
	return 0
}

// TestGroup: what a control group has reached ends or names the script.
func TestGroup(t *testing.T) {
	for _, c := range []struct {
		reached string
		code    int
	}{{LimitMemory, 137}, {LimitProcesses, 0}, {"", 0}} {
		t.Run(c.reached, func(t *testing.T) {
			group := &fakeGroup{reached: c.reached}
			code := write(t, map[string]string{"main.py": "import time\ntime.sleep(0.5)\n"})
			o, err := Sandbox{Starter: grouping{group}}.Run(t.Context(), Job{Code: code, File: "main.py", Limits: Limits{Time: time.Minute}})
			if err != nil {
				t.Fatal(err)
			}
			if o.ExitCode != c.code || o.Limit != c.reached || !group.removed.Load() {
				t.Errorf("exit code %d, limit %q, removed %v", o.ExitCode, o.Limit, group.removed.Load())
			}
			for _, l := range o.Sandbox.Limits {
				if (l.Name == LimitMemory || l.Name == LimitProcesses) != (l.By == "cgroup v2") {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}
