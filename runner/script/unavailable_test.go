//go:build linux

package script

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSandboxToolInProgress: a tool that is at work when the time is over is
// told so, and waited for.
func TestSandboxToolInProgress(t *testing.T) {
	ended := false
	o := runScript(t, "import os\nos.write(3, b'{}\\n')\nos.read(3, 10)\n", func(j *Job) {
		j.Limits.Time = 300 * time.Millisecond
		j.Handle = func(ctx context.Context, _ json.RawMessage) json.RawMessage {
			<-ctx.Done()
			ended = true
			return json.RawMessage("{}")
		}
	})
	if o.ExitCode != ExitTimeout || !ended {
		t.Errorf("exit code %d, ended %v", o.ExitCode, ended)
	}
}

// TestSandboxWorks: what scripts need of the system does work.
func TestSandboxWorks(t *testing.T) {
	o := runScript(t, `
import asyncio, multiprocessing, sqlite3, subprocess, tempfile, threading, concurrent.futures
def double(n): return 2 * n
async def main():
    process = await asyncio.create_subprocess_exec("/bin/echo", "echoed", stdout=subprocess.PIPE)
    return (await process.communicate())[0].decode().strip()
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool: print(pool.map(double, [1, 2, 3]))
    barrier = threading.Barrier(60)
    with concurrent.futures.ThreadPoolExecutor(60) as pool: print(sum(pool.map(lambda n: barrier.wait(30) * 0 + 2 * n, range(60))))
    print(asyncio.run(main()))
    print(subprocess.run(["sort"], input="b\na\n", capture_output=True, text=True, check=True).stdout.split())
    db = sqlite3.connect("out.db"); db.execute("create table t (x)"); db.commit(); print(db.execute("select count(*) from t").fetchone())
    with tempfile.TemporaryDirectory() as d: print(d.startswith("/work/"))
`, nil)
	if want := "[2, 4, 6]\n3540\nechoed\n['a', 'b']\n(0,)\nTrue\n"; o.Stdout != want || o.ExitCode != 0 {
		t.Errorf("got %s%s", o.Stdout, o.Stderr)
	}
}

// TestSandboxCancelled: the end of the context ends the script.
func TestSandboxCancelled(t *testing.T) {
	cause := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	code := write(t, map[string]string{"main.py": "import os, time\nos.write(3, b'{}\\n')\ntime.sleep(600)\n"})
	began := time.Now()
	_, err := Sandbox{}.Run(ctx, Job{Code: code, File: "main.py", Handle: func(context.Context, json.RawMessage) json.RawMessage {
		cancel(cause)
		return json.RawMessage("{}")
	}})
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestSandboxUnavailable: without a sandbox nothing is run.
func TestSandboxUnavailable(t *testing.T) {
	for _, c := range []struct {
		name   string
		bwrap  string // what is there instead, "" for nothing
		job    func(*Job)
		reason string
		fix    string
	}{
		{name: "no bwrap", reason: "which is not installed", fix: "apt-get install bubblewrap"},
		{name: "bwrap fails", bwrap: "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1",
			reason: "bwrap cannot make the sandbox for scripts: setting up uid map: Permission denied", fix: "opendesk doctor"},
		{name: "bwrap is too old", bwrap: "echo 'bwrap: Unknown option --size' >&2; exit 1", reason: "Unknown option --size"},
		{name: "bwrap says nothing", bwrap: "exit 3", reason: "it ended with exit code 3 before the script began"},
		{name: "bwrap does nothing of what it is told", bwrap: `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
			reason: "the sandbox for scripts does not start"},
		{name: "no Python", job: func(j *Job) { j.Interpreter = "/usr/bin/no-such-python" }, bwrap: "exit 0",
			reason: "/usr/bin/no-such-python, which is not there", fix: "apt-get install python3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := t.TempDir()
			if c.bwrap != "" {
				if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte("#!/bin/sh\n"+c.bwrap+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin)
			ran := filepath.Join(bin, "ran")
			job := Job{Code: write(t, map[string]string{"main.py": "open('" + ran + "', 'w')\n"}), File: "main.py"}
			if c.job != nil {
				c.job(&job)
			}
			o, err := Sandbox{}.Run(t.Context(), job)
			var unavailable *UnavailableError
			if !errors.As(err, &unavailable) {
				t.Fatalf("got %v and %+v", err, o)
			}
			if !strings.Contains(unavailable.Reason, c.reason) || !strings.Contains(unavailable.Fix, c.fix) {
				t.Errorf("got %q and %q", unavailable.Reason, unavailable.Fix)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("it was run")
			}
		})
	}
}

// TestSandboxOfRoot: what only root can read, its scripts cannot.
func TestSandboxOfRoot(t *testing.T) {
	archive := write(t, map[string]string{"a.txt": "x"})
	if err := os.Chmod(archive, 0o700); err != nil {
		t.Fatal(err)
	}
	code := write(t, map[string]string{"main.py": "print(open('/archive/a.txt').read())\n"})
	o, err := Sandbox{}.Run(t.Context(), Job{Code: code, File: "main.py", Archive: archive})
	if os.Geteuid() != 0 {
		if err != nil || o.Stdout != "x\n" {
			t.Errorf("%v: %+v", err, o)
		}
		return
	}
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "who cannot read "+archive+" (chmod -R o+rX ") {
		t.Errorf("got %v and %+v", err, o)
	}
}

func TestSandboxPossible(t *testing.T) {
	if err := Possible(t.Context()); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	var unavailable *UnavailableError
	if err := Possible(t.Context()); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "apt-get install bubblewrap") {
		t.Errorf("got %v", err)
	}
}
