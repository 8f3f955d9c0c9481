//go:build linux

package linux

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

func FuzzParseUnixSocket(f *testing.F) {
	f.Add(make([]byte, diagMessage+8))
	f.Fuzz(func(_ *testing.T, b []byte) { parseUnixSocket(b) })
}

func TestUnixSocketsNameThePeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	sockets := unixSockets()
	for _, s := range sockets {
		if s.name == "" && sockets[s.peer].name == path {
			return
		}
	}
	t.Errorf("of %d sockets none is connected to %s", len(sockets), path)
}

var _ = Describe("the facts of an application without a window", func() {
	factsOf := func(ctx SpecContext, name, body string) []string {
		GinkgoHelper()
		script := shared.script(name, body)
		l := launch(script)
		l.Timeout = 1500 * time.Millisecond
		DeferCleanup(func() { closeQuietly(script) })
		_, err := desk.OpenApp(ctx, l)
		var missing *desktop.NoWindowError
		Expect(errors.As(err, &missing)).To(BeTrue(), "%v", err)
		return missing.Facts.Lines()
	}

	It("name what it waits for: a socket that polls, a child, a stopped process, its output", func(ctx SpecContext) {
		lines := factsOf(ctx, "silent.py", fmt.Sprintf(`#!/usr/bin/python3
import select, socket, subprocess, signal, os
print("still looking for the moon", flush=True)
s = socket.socket(socket.AF_UNIX)
s.connect(%q)
child = subprocess.Popen(["sleep", "600"])
os.kill(child.pid, signal.SIGSTOP)
p = select.poll()
p.register(s, select.POLLIN)
p.poll()
`, "/tmp/.X11-unix/X"+strings.TrimPrefix(shared.display, ":")))
		text := strings.Join(lines, "\n")
		Expect(text).To(MatchRegexp(`started /\S+/silent.py as process \d+ \d{4} ms before`))
		Expect(text).To(MatchRegexp(`process \d+ silent.py \(child of \d+\) is sleeping in \w*poll\w* for fd \d+ \(socket to /tmp/.X11-unix/X\d+\), connected to /tmp/.X11-unix/X\d+, \d+ ms`))
		Expect(text).To(MatchRegexp(`process \d+ sleep \(child of \d+\) is stopped`))
		Expect(text).To(ContainSubstring("its last output: still looking for the moon"))
	})

	It("say that the started process has ended and what it left behind", func(ctx SpecContext) {
		lines := factsOf(ctx, "forks.sh", "#!/bin/sh\nsleep 600 &\n")
		text := strings.Join(lines, "\n")
		Expect(text).To(MatchRegexp(`started /\S+/forks.sh as process \d+ \d+ ms before, which has ended \(exit status 0\)`))
		Expect(text).To(MatchRegexp(`process \d+ sleep \(child of \d+\) is sleeping in`))
	})
})
