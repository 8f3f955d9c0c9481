//go:build linux

package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// write makes a folder of files that everybody can read.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runScript runs one script.
func runScript(t testing.TB, source string, change func(*Job)) Outcome {
	t.Helper()
	job := Job{Code: write(t, map[string]string{"main.py": source}), File: "main.py"}
	if change != nil {
		change(&job)
	}
	o, err := Sandbox{}.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSandboxEnds tries the ways in which a script can end.
func TestSandboxEnds(t *testing.T) {
	for _, c := range []struct {
		name, source     string
		code             int
		signal, limit    string
		stdout, stderr   string
		failure          string
		limits           Limits
		traceback, other []string // lines that are in the traceback, and that are not
	}{
		{name: "well", source: "print('done')", stdout: "done\n"},
		{name: "with an exit code", source: "import sys\nprint('a')\nsys.exit(3)", code: 3, stdout: "a\n"},
		{name: "with words", source: "raise SystemExit('no archive')", code: 1, stderr: "no archive\n"},
		{name: "at once", source: "import os\nos.write(1, b'x')\nos._exit(7)", code: 7, stdout: "x"},
		{name: "by its own signal", source: "import os\nprint('a', flush=True)\nos.kill(os.getpid(), 9)", code: 137, signal: "killed", stdout: "a\n"},
		{name: "by a fault", source: "import ctypes\nctypes.string_at(0)", code: 139, signal: "segmentation fault"},
		{name: "as another program", source: "import os\nos.execv('/bin/echo', ['echo', 'from', 'echo'])", stdout: "from echo\n"},
		{name: "with an error", source: "def f():\n    raise ValueError('no amount')\nf()", code: 1, failure: "ValueError: no amount",
			traceback: []string{`  File "/code/main.py", line 3, in <module>`, `  File "/code/main.py", line 2, in f`, "ValueError: no amount"}},
		{name: "with an error of many lines", source: "raise ValueError('one\\ntwo')", code: 1, failure: "ValueError: one"},
		{name: "with an error without words", source: "raise KeyError", code: 1, failure: "KeyError"},
		{name: "with an error deep down", source: "def f(n):\n    if n == 0:\n        import json\n        json.loads('{')\n    f(n - 1)\nf(5)", code: 1,
			failure:   "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
			traceback: []string{"  [… 4 frames cut …]", "    json.loads('{')"}, other: []string{"/usr/lib", "start.py"}},
		{name: "after attempts at the depth of its recursion", source: "def f(n):\n    try:\n        open('/etc/passwd')\n    except OSError:\n        pass\n    return n and f(n - 1)\nfor n in range(985, 999):\n    f(n)\nprint('done')", stdout: "done\n"},
		{name: "by recursion", source: "def f():\n    f()\nf()", code: 1, failure: "RecursionError: maximum recursion depth exceeded"},
		{name: "with a syntax error", source: "x = = 1", code: 1, failure: "SyntaxError: invalid syntax (main.py, line 1)", traceback: []string{"    x = = 1"}},
		{name: "with an error in a module of its own", source: "import other", code: 1, failure: "ModuleNotFoundError: No module named 'other'"},
		{name: "with an error in a child", source: "import os\nif os.fork() == 0:\n    raise ValueError('child')\nos.wait()\nprint('parent')", stdout: "parent\n"},
		{name: "after its threads", source: "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\nprint('main')", stdout: "main\nthread\n"},
		{name: "after its exit functions", source: "import atexit\natexit.register(print, 'exit')\nprint('main')", stdout: "main\nexit\n"},
		{name: "before what it has left running", source: "import subprocess\nsubprocess.Popen(['/bin/sh', '-c', 'setsid sleep 600 & echo started; sleep 600'])\nimport time\ntime.sleep(0.3)", stdout: "started\n"},
		{name: "by its time", source: "import time\nprint('a')\ntime.sleep(60)", code: ExitTimeout, limit: LimitTime, stdout: "a\n", limits: Limits{Time: 300 * time.Millisecond}},
		{name: "by the processor's time of all", source: "import os\nfor _ in range(3):\n    os.fork()\nwhile True: pass", code: 137, signal: "killed", limit: LimitCPU, limits: Limits{CPU: 400 * time.Millisecond}},
		{name: "by the memory of all", source: "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        x = bytearray(40 << 20)\n        time.sleep(60)\ntime.sleep(60)",
			code: 137, signal: "killed", limit: LimitMemory, limits: Limits{Memory: 100 << 20}},
		{name: "by threads", source: "import threading\nthreading.stack_size(65536)\ne = threading.Event()\nfor _ in range(100):\n    threading.Thread(target=e.wait, daemon=True).start()\ne.wait(5)", code: -1, limit: LimitProcesses},
		{name: "by the number of its files", source: "for i in range(200000):\n    open('f%d' % i, 'w').close()", code: 137, signal: "killed", limit: LimitDisk},
		{name: "by a file of one size", source: "open('f', 'wb').truncate(1 << 40)", code: 1, limit: LimitDisk, failure: "OSError: [Errno 27] File too large"},
		{name: "with what it made of its limits", source: "try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    print('less then')", stdout: "less then\n"},
		{name: "unmoved by what it does to its pipes", source: "import os\nos.write(4, b'\\x00{')\nos.write(4, b'{\"attempt\":{}}')\nos.write(4, b'[1]')\nos.write(4, b'x' * 100000)\nos.close(4)\nos.close(3)\nprint('done')\nopen('/etc/passwd')",
			code: 1, stdout: "done\n"},
		{name: "without input", source: "import sys\nprint(repr(sys.stdin.read()))", stdout: "''\n"},
		{name: "with what is no text", source: "import os\nos.write(1, b'a\\xffb\\xe2\\x82')", stdout: "a\uFFFDb\uFFFD\uFFFD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := runScript(t, c.source+"\n", func(j *Job) { j.Limits = c.limits })
			if c.code >= 0 && o.ExitCode != c.code || c.code < 0 && o.ExitCode == 0 {
				t.Errorf("exit code %d", o.ExitCode)
			}
			if c.code >= 0 && o.Signal != c.signal {
				t.Errorf("signal %q", o.Signal)
			}
			if o.Limit != c.limit {
				t.Errorf("limit %q: %s", o.Limit, o.Advice)
			}
			if o.Stdout != c.stdout || string(o.Output) != c.stdout && !strings.Contains(c.stdout, "\uFFFD") {
				t.Errorf("stdout %q, output %q", o.Stdout, o.Output)
			}
			if c.stderr != "" && o.Stderr != c.stderr {
				t.Errorf("stderr %q", o.Stderr)
			}
			if c.failure != "" && o.Error != c.failure {
				t.Errorf("error %q", o.Error)
			}
			for _, line := range c.traceback {
				if !slices.Contains(strings.Split(o.Traceback, "\n"), line) || !strings.Contains(o.Stderr, line) {
					t.Errorf("the traceback lacks %q:\n%s", line, o.Traceback)
				}
			}
			for _, text := range c.other {
				if strings.Contains(o.Traceback, text) {
					t.Errorf("the traceback has %q:\n%s", text, o.Traceback)
				}
			}
			if t.Failed() {
				t.Logf("%+v", o)
			}
		})
	}
}
