//go:build linux

package script

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSandboxSees says what a script finds in its sandbox.
func TestSandboxSees(t *testing.T) {
	archive := write(t, map[string]string{
		"invoices/f1.txt": "total 5", "keys/id": "secret", ".env": "TOKEN=1", ".git/config": "token", ".opendesk/eval/history.db": "runs",
		".opendesk/learned/a.program.json": "{}",
	})
	if err := os.Symlink("keys", filepath.Join(archive, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(archive, "out")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SECRET_TOKEN", "hunter2")
	code := write(t, map[string]string{"sub/main.py": `
import json, os, sys
import helper, pkg.inner, tools
def tree(top):
    return sorted(os.path.relpath(os.path.join(d, f), top) for d, _, files in os.walk(top) for f in files)
def read(path):
    try: return open(path).read()
    except OSError as e: return type(e).__name__
print(json.dumps({
    "args": sys.argv, "cwd": os.getcwd(), "home": os.environ["HOME"], "secret": os.environ.get("SECRET_TOKEN", ""),
    "root": sorted(os.listdir("/")), "archive": tree("/archive"), "keys": read("/archive/keys/id"), "link": read("/archive/link/id"),
    "out": read("/archive/out"), "env": read("/archive/.env"), "invoice": read("/archive/invoices/f1.txt"),
    "modules": [helper.name, pkg.inner.name, tools.name], "fds": sorted(os.listdir("/proc/self/fd"))[:-1],
    "processes": len([p for p in os.listdir("/proc") if p.isdigit()]), "uid": os.getuid(), "hash": hash("x"),
    "main": __name__, "file": __file__, "host": os.uname().nodename,
}))
`, "sub/helper.py": "name = 'helper'\n", "sub/pkg/inner.py": "name = 'inner'\n"})
	seen := func() (seen map[string]any) {
		o, err := Sandbox{}.Run(t.Context(), Job{
			Code: code, File: "sub/main.py", Args: []string{"--", "a b", "-x"}, Archive: archive, Hidden: []string{"keys", "no/such"},
			Modules: map[string][]byte{"tools": []byte("name = 'tools'\n")},
		})
		if err != nil || o.ExitCode != 0 {
			t.Fatalf("%v: %s", err, o.Stderr)
		}
		if err := json.Unmarshal(o.Output, &seen); err != nil {
			t.Fatal(err)
		}
		return seen
	}
	first := seen()
	for name, want := range map[string]string{
		"args": `["/code/sub/main.py","--","a b","-x"]`, "cwd": `"/work"`, "home": `"/work"`, "secret": `""`,
		"root":    `["archive","bin","code","dev","lib","lib64","opt","proc","usr","work"]`,
		"archive": `[".env",".opendesk/learned/a.program.json","invoices/f1.txt","out"]`,
		"keys":    `"FileNotFoundError"`, "link": `"FileNotFoundError"`, "out": `"FileNotFoundError"`, "env": `"PermissionError"`,
		"invoice": `"total 5"`, "modules": `["helper","inner","tools"]`, "fds": `["0","1","2","3","4"]`, "processes": "2", "uid": "65534",
		"main": `"__main__"`, "file": `"/code/sub/main.py"`, "host": `"sandbox"`,
	} {
		if got, _ := json.Marshal(first[name]); string(got) != want && name != "root" {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	if again := seen(); again["hash"] != first["hash"] {
		t.Error("hashes differ from run to run")
	}
}

// TestSandboxFiles says which of the files that a script leaves are taken.
func TestSandboxFiles(t *testing.T) {
	o := runScript(t, `
import os, tempfile
os.makedirs("a/b")
open("a/b/result.txt", "w").write("result")
open("empty", "w").close()
os.symlink("/code/main.py", "link")
os.symlink("a", "folder")
os.mkfifo("pipe")
open("sparse", "wb").truncate(64 << 20)
open("closed", "w").write("x")
os.chmod("closed", 0)
tempfile.NamedTemporaryFile(delete=False).write(b"x")
os.makedirs("/".join("d" * 40))
open("/".join("d" * 40) + "/deep", "w").close()
for i in range(120):
    open("many-%03d" % i, "w").write("x")
`, nil)
	if o.ExitCode != 0 {
		t.Fatal(o.Stderr)
	}
	names := map[string]int64{}
	for _, f := range o.Files {
		names[f.Name] = f.Size
	}
	if names["a/b/result.txt"] != 6 || len(o.Files) != MaxFiles {
		t.Errorf("taken are %d: %v", len(o.Files), names)
	}
	for _, name := range []string{"link", "folder/b/result.txt", "pipe", "sparse"} {
		if _, taken := names[name]; taken {
			t.Errorf("%s was taken", name)
		}
	}
	if i := slices.IndexFunc(o.Files, func(f File) bool { return f.Name == "a/b/result.txt" }); string(o.Files[i].Data) != "result" ||
		o.Files[i].SHA256 != "f6a214f7a5fcda0c2cee9660b7fc29f5649e3c68aad48e20e950137c98913a68" {
		t.Errorf("got %+v", o.Files[i])
	}
	if o.FilesLeft < 25 {
		t.Errorf("left are %d", o.FilesLeft)
	}
}

// TestSandboxTools tries the pipe for tool calls.
func TestSandboxTools(t *testing.T) {
	var asked []string
	o := runScript(t, `
import os
def call(line):
    os.write(3, line + b"\n")
    answer = b""
    while not answer.endswith(b"\n"): answer += os.read(3, 65536)
    return answer.decode().strip()
print(call(b'{"tool":"one"}'))
print(call(b'no json'))
print(call(b'"' + b"x" * (2 << 20) + b'"'))
print(call(b'{"tool":"large"}')[:61])
print(len(call(b'{"tool":"fits"}')))
print(call(b'{"tool":"six"}'))
print(call(b'{"tool":"seven"}'))
raise ValueError("enough")
`, func(j *Job) {
		j.Limits.Calls = 6
		j.Handle = func(_ context.Context, request json.RawMessage) json.RawMessage {
			asked = append(asked, string(request))
			switch {
			case strings.Contains(string(request), "large"):
				return json.RawMessage(`"` + strings.Repeat("x", MaxLine) + `"`)
			case strings.Contains(string(request), "fits"):
				return json.RawMessage(`"` + strings.Repeat("x", MaxLine-2) + `"`)
			}
			return json.RawMessage("{\n\"result\": 1}")
		}
	})
	want := []string{
		`{"result":1}`, `{"error":{"kind":"bad_request","message":"a tool call must be one line of JSON"}}`,
		`{"error":{"kind":"bad_request","message":"a tool call may have at most 1048576 bytes"}}`,
		`{"error":{"kind":"too_large","message":"the tool's answer has`, "1048576", `{"result":1}`,
		`{"error":{"kind":"call_limit","message":"the limit of 6 tool calls in a script is reached: narrow the scope, or split the work into several steps"}}`,
	}
	if got := strings.Split(strings.TrimSpace(o.Stdout), "\n"); !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
	if len(asked) != 4 || o.Calls != 6 || o.Limit != LimitCalls {
		t.Errorf("asked %q, %d calls, limit %q", asked, o.Calls, o.Limit)
	}
}
