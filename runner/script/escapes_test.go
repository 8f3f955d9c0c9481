//go:build linux

package script

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// escapes is the project whose scripts try to get out.
const escapes = "../../fixtures/projects/scripts"

// TestEscapes runs the fixtures' scripts that try to get out of the sandbox, or
// to use up the machine: each is stopped, named for what it was, and nothing
// outside has changed.
func TestEscapes(t *testing.T) {
	const reached = "nothing outside was reached\n"
	for _, c := range []struct {
		name  string
		code  int      // -1 for any but 0
		limit string   // "" for none
		ends  string   // what stdout ends with
		audit []string // event, target, errno; "" is any
	}{
		{name: "files-outside", ends: reached, audit: []string{
			"open /etc/passwd ENOENT", "open /archive/new.txt EROFS", "open /new.txt EROFS", "os.remove /archive/archiwum/faktury/2026/03/f001.txt EROFS"}},
		{name: "dot-dot", ends: reached, audit: []string{"open ../../../../etc/passwd -> /etc/passwd ENOENT", "open /proc/self/root/../etc/passwd -> /etc/passwd ENOENT"}},
		{name: "symlinks", ends: reached, audit: []string{"open link-0.txt -> /etc/passwd ENOENT"}},
		{name: "sockets", ends: reached, audit: []string{"socket.__new__ AF_INET EACCES", "socket.__new__ AF_UNIX EACCES", "socket.__new__ address family 40 EACCES", "socket.getaddrinfo example.org:80 gaierror"}},
		{name: "environment-secrets", ends: "nothing of others was found\n"},
		{name: "ptrace", ends: reached, audit: []string{"ctypes.dlsym ptrace "}},
		{name: "signals", ends: reached, audit: []string{"os.kill process " + strconv.Itoa(os.Getpid()) + ", signal 9 ESRCH"}},
		{name: "fork-bomb", code: -1, limit: LimitProcesses},
		{name: "memory-bomb", code: -1, limit: LimitMemory},
		{name: "disk-bomb", code: 1, limit: LimitDisk, ends: "/work/.tmp holds no more: No space left on device\n"},
		{name: "infinite-loop", code: ExitTimeout, limit: LimitTime, ends: "for ever\n"},
		{name: "endless-output", code: 137, limit: LimitOutput},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := fingerprint(t, escapes)
			o := runEscape(t, c.name)
			t.Logf("exit code %d, limit %q, %s, CPU %v, memory %d MiB, took %v\nstdout %s\nstderr %s", o.ExitCode, o.Limit, o.Error, o.CPU, o.MemoryPeak>>20, o.Took, o.Stdout, o.Stderr)
			if c.code >= 0 && o.ExitCode != c.code || c.code < 0 && o.ExitCode == 0 {
				t.Errorf("exit code %d", o.ExitCode)
			}
			if o.Limit != c.limit || (o.Advice == "") != (c.limit == "") {
				t.Errorf("limit %q, not %q; advice %q", o.Limit, c.limit, o.Advice)
			}
			if !strings.HasSuffix(o.Stdout, c.ends) {
				t.Errorf("stdout does not end with %q", c.ends)
			}
			for _, want := range c.audit {
				if !slices.ContainsFunc(o.Audit, func(a Attempt) bool { return a.Event+" "+a.Target+" "+a.Errno == want }) {
					t.Errorf("the audit lacks %q: %+v", want, o.Audit)
				}
			}
			if after := fingerprint(t, escapes); after != before {
				t.Error("the archive has changed")
			}
			for _, f := range o.Files {
				if strings.HasPrefix(f.Name, "link") || strings.Contains(string(f.Data), "root:") {
					t.Errorf("%s was taken", f.Name)
				}
			}
		})
	}
}

func runEscape(t *testing.T, name string) Outcome {
	t.Helper()
	archive, err := filepath.Abs(escapes)
	if err != nil {
		t.Fatal(err)
	}
	job := Job{
		Code: filepath.Join(archive, ".opendesk/learned/escapes", name, "code"), File: "main.py", Archive: archive,
		Args: []string{strconv.Itoa(os.Getpid())},
	}
	if name == "infinite-loop" {
		job.Limits.Time = time.Second
		job.Args = []string{fmt.Sprintf("600.%d", os.Getpid())}
	}
	o, err := Sandbox{}.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if left := running(job.Args[0]); name == "infinite-loop" && len(left) > 0 {
		t.Errorf("the processes %v are left", left)
	}
	return o
}

// running lists the processes that sleep for that long.
func running(seconds string) []string {
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	return slices.DeleteFunc(commands, func(file string) bool {
		data, _ := os.ReadFile(file)
		return string(data) != "/bin/sleep\x00"+seconds+"\x00"
	})
}

// fingerprint is a hash of everything in a folder.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %s %d %s %x\n", path, info.Mode(), info.Size(), info.ModTime(), sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// TestUnprivileged runs the tests of sandboxes as a user who is not root.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an unprivileged user already")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	// The binary that go test makes lies where others cannot read.
	dir, err := os.MkdirTemp("", "ods")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	copied := filepath.Join(dir, "script.test")
	if err := os.WriteFile(copied, data, 0o755); err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(dir, "tmp")
	for _, err := range []error{os.Chmod(dir, 0o755), os.Mkdir(temp, 0o700), os.Chown(temp, nobody, nobody)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	id := strconv.Itoa(nobody)
	cmd := exec.CommandContext(t.Context(), "setpriv", "--reuid="+id, "--regid="+id, "--clear-groups", copied,
		"-test.run=^(TestEscapes|TestSandbox)", "-test.v")
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestEscapes/ptrace") {
		t.Fatalf("%v\n%s", err, out)
	}
}
