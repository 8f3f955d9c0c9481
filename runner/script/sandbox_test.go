//go:build linux

package script

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// write makes a folder of code that everybody can read.
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
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o, err := Sandbox{}.Run(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestHello(t *testing.T) {
	o := runScript(t, `
import os, sys
print("hi", sys.argv)
print(os.listdir("/"), os.listdir("/proc/self/fd"), os.getuid())
try: open("/etc/passwd")
except OSError as e: print(e)
os.write(3, b'{"tool":"x"}\n')
print(os.read(3, 1000))
open("out.txt","w").write("result")
import socket
try: socket.create_connection(("1.1.1.1",80),1)
except OSError as e: print(e)
def f(n):
    if n: f(n-1)
    else: raise ValueError("bad")
f(5)
`, func(j *Job) {
		j.Args = []string{"a", "b"}
		j.Handle = func(ctx context.Context, r json.RawMessage) json.RawMessage { return json.RawMessage(`{"result":1}`) }
	})
	data, _ := json.MarshalIndent(o, "", " ")
	t.Log(string(data))
}
