//go:build linux

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// command is a run of opendesk whose processes can be found: those that have
// its temporary folder in their environment.
type command struct {
	*exec.Cmd
	tmp, dir string
	out      bytes.Buffer
}

// newRun starts eval run over a project of n programs with these steps.
func newRun(t *testing.T, n int, steps string, args ...string) *command {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Fatal("the machine has no Xvfb (ci/install-deps.sh installs it)")
	}
	project := t.TempDir()
	learned := filepath.Join(project, program.LearnedDir)
	if err := os.MkdirAll(learned, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		file := filepath.Join(learned, fmt.Sprintf("p%d%s", i, program.Suffix))
		if err := os.WriteFile(file, []byte(`{"version": 1, "steps": [`+steps+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tmp, err := os.MkdirTemp("", "od-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	c := &command{tmp: tmp, dir: filepath.Join(project, "out")}
	c.Cmd = exec.Command("opendesk", append([]string{"eval", "run", "learn-regression", "--project", project, "--output", c.dir}, args...)...)
	c.Env = append(os.Environ(), "TMPDIR="+tmp)
	c.Stdout, c.Stderr = &c.out, &c.out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// awaitSteps waits until n steps are under way.
func (c *command) awaitSteps(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		events, _ := os.ReadFile(filepath.Join(c.dir, "events.ndjson"))
		if bytes.Count(events, []byte(`"type":"step_started"`)) >= n {
			return
		}
	}
	t.Fatalf("%d steps were not begun: %s", n, c.out.String())
}

func (c *command) interrupt(t *testing.T) {
	t.Helper()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

// left are the processes of the run that there still are.
func (c *command) left() []string {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	return slices.DeleteFunc(names, func(name string) bool {
		env, err := os.ReadFile(name)
		return err != nil || !bytes.Contains(env, []byte(c.tmp))
	})
}

// ends waits for the command, which must leave nothing behind, and reads its
// results.
func (c *command) ends(t *testing.T, within time.Duration) *results.Run {
	t.Helper()
	begun := time.Now()
	err := c.Wait()
	if took := time.Since(begun); took > within {
		t.Errorf("took %v to end", took)
	}
	if code := c.ProcessState.ExitCode(); code != results.ExitInterrupted {
		t.Errorf("exit code %d: %v\n%s", code, err, c.out.String())
	}
	if left := c.left(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if files, err := os.ReadDir(c.tmp); err != nil || len(files) > 0 {
		t.Errorf("files are left: %v %v", files, err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "spool")); err == nil {
		t.Error("the spool folder is left")
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "junit.xml")); err != nil {
		t.Error(err)
	}
	var run results.Run
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatal(err)
	}
	return &run
}

// The first interrupt finishes the steps under way.
func TestInterruptFinishesSteps(t *testing.T) {
	t.Parallel()
	const steps = `{"id": "s1", "tool": "wait", "params": {"ms": 3000}}, {"id": "s2", "tool": "wait", "params": {"ms": 60000}}`
	for _, workers := range []string{"1", "4"} {
		t.Run(workers, func(t *testing.T) {
			t.Parallel()
			c := newRun(t, 6, steps, "--workers", workers)
			n := int(workers[0] - '0')
			c.awaitSteps(t, n)
			c.interrupt(t)
			run := c.ends(t, 30*time.Second)
			finished := 0
			for _, p := range run.Programs {
				if p.Status != results.Skipped || p.Reason != results.Interrupted {
					t.Errorf("%s: %s %q", p.Path, p.Status, p.Reason)
				}
				for _, a := range p.Attempts {
					if len(a.Steps) > 0 && a.Steps[0].Status == results.StepPassed {
						finished++
					}
				}
			}
			if finished != n || len(run.Programs) != 6 {
				t.Errorf("%d of %d steps under way were finished", finished, n)
			}
		})
	}
}

// The second one ends everything at once.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, workers := range []string{"1", "4"} {
		t.Run(workers, func(t *testing.T) {
			t.Parallel()
			c := newRun(t, 5, `{"id": "s1", "tool": "wait", "params": {"ms": 60000}}`, "--workers", workers)
			c.awaitSteps(t, int(workers[0]-'0'))
			c.interrupt(t)
			time.Sleep(200 * time.Millisecond)
			if err := syscall.Kill(c.Process.Pid, 0); err != nil {
				t.Fatal("it did not wait for its steps")
			}
			c.interrupt(t)
			run := c.ends(t, 10*time.Second)
			for _, p := range run.Programs {
				if p.Status != results.Skipped || !strings.HasPrefix(p.Reason, results.Interrupted) {
					t.Errorf("%s: %s %q", p.Path, p.Status, p.Reason)
				}
			}
		})
	}
}
