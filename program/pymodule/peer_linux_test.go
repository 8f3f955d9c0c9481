package pymodule_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/pymodule"
)

const python = "/usr/bin/python3"

// peer is what the module talks to.
type peer struct {
	t *testing.T
	// archive and work are the script's two folders.
	archive, work string
	// answer is what every call gets that answers has nothing for (by action),
	// "" for nothing and no error.
	answer   string
	answers  map[string]string
	requests []request
}

// request is what was called.
type request struct {
	text      string
	Tool      string         `json:"tool"`
	Action    string         `json:"action"`
	Params    map[string]any `json:"params"`
	Target    map[string]any `json:"target"`
	TimeoutMS int            `json:"timeout_ms"`
}

// document is a program of that call.
func (r request) document(t *testing.T) []byte {
	t.Helper()
	if r.Action != "" {
		r.Params["action"] = r.Action
	}
	step := map[string]any{"id": "s1", "tool": r.Tool, "params": r.Params, "resolve_timeout_ms": r.TimeoutMS}
	if r.Target != nil {
		step["target"] = r.Target
	}
	data, err := json.Marshal(map[string]any{"version": program.Version, "steps": []any{step}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("%v (Debian/Ubuntu: apt-get install python3)", err)
	}
	dir := t.TempDir()
	p := &peer{t: t, archive: filepath.Join(dir, "archive"), work: filepath.Join(dir, "work")}
	for _, d := range []string{p.archive, p.work} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// file writes a file of the archive.
func (p *peer) file(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.archive, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// run runs a script with the module, and gives all that it printed.
func (p *peer) run(code string) (output string, err error) {
	p.t.Helper()
	dir := p.t.TempDir()
	for name, content := range map[string][]byte{pymodule.Name + ".py": pymodule.Source(), "main.py": []byte(code)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	conn, err := net.FileConn(ours)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = ours.Close()
	done := make(chan struct{})
	go func() { p.serve(conn); close(done) }()
	cmd := exec.CommandContext(p.t.Context(), python, "-B", "main.py")
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = []string{"OPENDESK_TOOLS_FD=3", "OPENDESK_ARCHIVE=" + p.archive, "OPENDESK_WORK=" + p.work, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	_ = theirs.Close()
	<-done
	return string(out), err
}

func (p *peer) serve(conn net.Conn) {
	defer conn.Close() //nolint:errcheck // a socket of the test
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		r := request{text: lines.Text()}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			p.t.Errorf("not a call: %q", lines.Text())
		}
		p.requests = append(p.requests, r)
		answer := cmp.Or(p.answers[r.Action], p.answer, "{}")
		if _, err := conn.Write([]byte(strings.ReplaceAll(answer, "\n", " ") + "\n")); err != nil {
			return
		}
	}
}
