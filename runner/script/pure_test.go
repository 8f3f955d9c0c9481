//go:build linux

package script

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

func TestOutput(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		text  string
		cut   int64
		whole string
		lost  int64
	}{
		{name: "nothing"},
		{name: "fits", parts: []string{"0123", "456789"}, text: "0123456789", whole: "01234567", lost: 2},
		{name: "one too many", parts: []string{"0123456789a"}, text: "01234\n[… 1 characters cut …]\n6789a", cut: 1, whole: "01234567", lost: 3},
		{name: "far too many", parts: []string{strings.Repeat("x", 100), "abcde"}, text: "xxxxx\n[… 95 characters cut …]\nabcde", cut: 95, whole: "xxxxxxxx", lost: 97},
		{name: "the tail in turns", parts: []string{"0123456789", "abc", "def"}, text: "01234\n[… 6 characters cut …]\nbcdef", cut: 6, whole: "01234567", lost: 8},
		{name: "characters, not bytes", parts: []string{"żółwżółw"}, text: "żółwżółw", whole: "żółw\xc5", lost: 6},
		{name: "a character in parts", parts: []string{"a\xe2", "\x82", "\xac!"}, text: "a€!", whole: "a€!"},
		{name: "no text", parts: []string{"a\xffb", "\xe2\x82"}, text: "a\uFFFDb\uFFFD\uFFFD", whole: "a\xffb\xe2\x82"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := output{max: 10, keep: 8}
			for _, p := range c.parts {
				o.write([]byte(p))
			}
			text, cut := o.text()
			if text != c.text || cut != c.cut {
				t.Errorf("got %q, %d", text, cut)
			}
			if string(o.whole) != c.whole || o.lost != c.lost {
				t.Errorf("whole %q, lost %d", o.whole, o.lost)
			}
		})
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := output{max: MaxStdout, keep: 100}
	var count atomic.Int64
	over := 0
	o.drain(bytes.NewReader(make([]byte, 10<<20)), &count, 5<<20, func() { over++ })
	if len(o.head)+len(o.tail) != MaxStdout || len(o.whole) != 100 || count.Load() != 10<<20 || over == 0 {
		t.Errorf("%d, %d, %d, %d", len(o.head)+len(o.tail), len(o.whole), count.Load(), over)
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("abc"), []byte("\xe2\x82"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		o := output{max: 20, keep: 10}
		o.write(a)
		o.write(b)
		text, cut := o.text()
		all := []rune(string(append(bytes.Clone(a), b...)))
		if !utf8.ValidString(text) || int64(len(all)) != cut+int64(len(o.head)+len(o.tail)) {
			t.Fatalf("%q: %q, %d cut", all, text, cut)
		}
		if cut == 0 && text != string(all) {
			t.Fatalf("%q became %q", string(all), text)
		}
	})
}

func TestReports(t *testing.T) {
	var r reports
	for _, line := range []string{
		`{}`, `null`, `[]`, `x`, `{"attempt":{"event":"open","target":"/etc/passwd","place":"main.py:1","outcome":"refused","number":13,"name":"PermissionError","times":1}}`,
		`{"attempt":{"event":"open","target":"/etc/passwd","place":"main.py:1","outcome":"refused","number":13,"name":"PermissionError","times":10}}`,
		`{"attempt":{"event":"open","target":"/etc/passwd","place":"main.py:1","outcome":"refused","number":13,"name":"PermissionError","times":7}}`,
		`{"attempt":{"event":"socket.getaddrinfo","target":"x:80","place":"","outcome":"refused","number":-3,"name":"gaierror","times":1}}`,
		`{"attempt":{"event":"os.kill","target":"process 1","place":"main.py:2","outcome":"unseen","number":0,"name":"","times":1}}`,
		`{"attempt":{"event":"os.kill","target":"process 1","place":"main.py:2","outcome":"allowed","number":0,"name":"","times":1}}`,
		`{"attempt":{"event":"os.kill","target":"process 2","place":"main.py:3","outcome":"unseen","number":5,"name":"","times":1}}`,
		`{"overflow":{"times":4}}`, `{"usage":{"memory":5}}`, `{"error":{"type":"E","line":"E: x","traceback":"t","number":2}}`,
	} {
		r.add([]byte(line))
	}
	want := []Attempt{
		{Event: "open", Target: "/etc/passwd", Outcome: AttemptRefused, Errno: "EACCES", Number: 13, Place: "main.py:1", Times: 10},
		{Event: "socket.getaddrinfo", Target: "x:80", Outcome: AttemptRefused, Errno: "gaierror", Number: -3, Times: 1},
		{Event: "os.kill", Target: "process 1", Outcome: AttemptAllowed, Place: "main.py:2", Times: 1},
		{Event: "os.kill", Target: "process 2", Outcome: AttemptUnseen, Place: "main.py:3", Times: 1},
	}
	if got := r.seen(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if r.left != 4 || r.memory != 5 || r.failure == nil || *r.failure != (failure{"E", "E: x", "t", 2}) {
		t.Errorf("got %+v", r)
	}
}

func FuzzReports(f *testing.F) {
	f.Add([]byte(`{"attempt":{"event":"open","outcome":"refused","number":13,"times":1}}`))
	f.Add([]byte(`{"error":{"type":"E"},"overflow":{"times":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r reports
		for range maxAttempts + 5 {
			r.add(data)
		}
		if len(r.seen()) > maxAttempts {
			t.Fatalf("%d attempts", len(r.seen()))
		}
	})
}

func FuzzTools(f *testing.F) {
	f.Add([]byte("{}\n[1]\nx\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		conn := &duplex{in: bytes.NewReader(data)}
		pipe := toolPipe{conn: conn, limit: 5, handle: func(_ context.Context, r json.RawMessage) json.RawMessage { return r }}
		pipe.serve(t.Context())
		lines := bufio.NewScanner(&conn.out)
		lines.Buffer(nil, 2*MaxLine)
		n := 0
		for lines.Scan() {
			if n++; !json.Valid(lines.Bytes()) {
				t.Fatalf("answered %q", lines.Bytes())
			}
		}
		if n != bytes.Count(data, []byte("\n")) {
			t.Fatalf("%d answers", n)
		}
	})
}

// duplex is a pipe for tools that gives what it has and keeps what it gets.
type duplex struct {
	in  *bytes.Reader
	out bytes.Buffer
}

func (d *duplex) Read(p []byte) (int, error)  { return d.in.Read(p) }
func (d *duplex) Write(p []byte) (int, error) { return d.out.Write(p) }

func TestParseStat(t *testing.T) {
	const line = "4242 (a) b) S 17 4242 4242 0 -1 4194560 100 0 0 0 150 50 20 30 20 0 3 0 12345 1000000 256 18446744073709551615 1 1 0"
	got := parseStat(line)
	want := processStat{parent: 17, threads: 3, cpu: 2500 * time.Millisecond, memory: 256 * pageSize}
	if got != want {
		t.Errorf("got %+v", got)
	}
	for _, wrong := range []string{"", "1", "1 (x", "1 (x) S 1 2"} {
		if parseStat(wrong) != (processStat{}) {
			t.Errorf("%q gives %+v", wrong, parseStat(wrong))
		}
	}
}

func TestRanInto(t *testing.T) {
	fork := []Attempt{{Event: "os.fork", Outcome: AttemptRefused, Number: errnoAgain}}
	for _, c := range []struct {
		failure  *failure
		attempts []Attempt
		code     int
		want     string
	}{
		{nil, nil, 0, ""},
		{nil, nil, 1, ""},
		{nil, nil, 128 + sigXCPU, LimitCPU},
		{nil, nil, 128 + sigXFSZ, LimitDisk},
		{&failure{Type: "MemoryError", Line: "MemoryError"}, nil, 1, LimitMemory},
		{&failure{Type: "OSError", Number: errnoNoSpace}, nil, 1, LimitDisk},
		{&failure{Type: "OSError", Number: errnoTooBig}, nil, 1, LimitDisk},
		{&failure{Type: "BlockingIOError", Number: errnoAgain}, nil, 1, ""},
		{&failure{Type: "BlockingIOError", Number: errnoAgain}, fork, 1, LimitProcesses},
		{&failure{Type: "RuntimeError", Line: "RuntimeError: can't start new thread"}, nil, 1, LimitProcesses},
		{&failure{Type: "ValueError", Line: "ValueError: MemoryError"}, nil, 1, ""},
	} {
		if got := ranInto(c.failure, c.attempts, c.code); got != c.want {
			t.Errorf("%+v with code %d: %q, not %q", c.failure, c.code, got, c.want)
		}
	}
}

func TestAdvice(t *testing.T) {
	l := Limits{Time: 1500 * time.Millisecond}.withDefaults()
	for limit, want := range map[string]string{
		"":             "",
		LimitTime:      "longer than 1.5 s",
		LimitCPU:       "more than 30 s of the processor",
		LimitMemory:    "512 MiB of memory",
		LimitDisk:      "holds 200 MiB",
		LimitOutput:    "printed more than 16 MiB",
		LimitProcesses: "64 processes and threads",
		LimitCalls:     "more than 500 tool calls",
	} {
		if got := advise(limit, l); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", limit, got)
		}
	}
}

func TestFilter(t *testing.T) {
	program := filter()
	if program == nil {
		t.Skip("there is no filter for this processor")
	}
	if len(program)%8 != 0 || len(program) > 4096*8 {
		t.Errorf("%d bytes", len(program))
	}
}

func TestTree(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & (sleep 60; :) & echo; wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}()
	_, _ = out.Read(make([]byte, 1))
	deadline := time.Now().Add(10 * time.Second)
	for {
		fast, slow := tree(cmd.Process.Pid), treeByParents(cmd.Process.Pid)
		slices.Sort(fast)
		slices.Sort(slow)
		if len(fast) == 4 && slices.Equal(fast, slow) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v and %v", fast, slow)
		}
	}
}
