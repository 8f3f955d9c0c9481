//go:build linux

package session

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	tail := " 1 1 0 -1 4194560 0 0 0 0 1 2 0 0 20 0 1 0 4711 0 0"
	for _, c := range []struct {
		stat string
		want process
		ok   bool
	}{
		{"7 (sh) S 5 1 1 0 -1", process{}, false},
		{"7 (sh) S 5" + tail, process{pid: 7, ppid: 5, sid: 1, state: 'S', started: 4711}, true},
		{"7 (a) R 9 (b) Z 5" + tail, process{pid: 7, ppid: 5, sid: 1, state: 'Z', started: 4711}, true},
		{"7 (sh) S x" + tail, process{}, false},
		{"", process{}, false},
	} {
		if got, ok := parseStat(7, c.stat); got != c.want || ok != c.ok {
			t.Errorf("parseStat(%q) = %+v, %v; want %+v, %v", c.stat, got, ok, c.want, c.ok)
		}
	}
	if self, ok := readProcess(os.Getpid()); !ok || self.ppid != os.Getppid() || self.started == 0 {
		t.Errorf("readProcess(self) = %+v, %v", self, ok)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("7 (sh) S 5 1 1 0 -1 4194560 0 0 0 0 1 2 0 0 20 0 1 0 4711 0 0")
	f.Add("7 () ) \x00 )")
	f.Fuzz(func(t *testing.T, stat string) {
		if p, ok := parseStat(7, stat); ok && p.pid != 7 {
			t.Errorf("%+v", p)
		}
	})
}

func TestWireCarriesPacketsAndDescriptors(t *testing.T) {
	parent, hostFile, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(hostFile.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := hostFile.Close(); err != nil {
		t.Fatal(err)
	}
	host, err := newWire(uintptr(fd))
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	if err := parent.write(message{Op: opWorker, Seq: 3, Args: []string{"a"}, HasEvents: true}, int(write.Fd())); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	m, files, _, err := host.read()
	if err != nil || m.Op != opWorker || m.Seq != 3 || !slices.Equal(m.Args, []string{"a"}) || len(files) != 1 {
		t.Fatalf("read = %+v, %v, %v", m, files, err)
	}
	_, _ = files[0].WriteString("through")
	closeAll(files)
	got := make([]byte, 16)
	if n, _ := read.Read(got); string(got[:n]) != "through" {
		t.Errorf("pipe carried %q", got[:n])
	}
	if err := host.write(message{Op: opReady}); err != nil {
		t.Fatal(err)
	}
	if _, _, pid, err := parent.read(); pid != os.Getpid() || err != nil {
		t.Errorf("sender is %d, want %d (%v)", pid, os.Getpid(), err)
	}
	host.close()
	if _, _, _, err := parent.read(); err == nil {
		t.Error("no error after the other end was closed")
	}
}

func FuzzWire(f *testing.F) {
	f.Add([]byte(`{"op":"ready","info":{"display":":1"}}`))
	f.Add([]byte(`{"op":"worker","seq":1,"timeout":"x"}`))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, packet []byte) {
		if len(packet) == 0 || len(packet) > 1<<16 {
			t.Skip()
		}
		parent, hostFile, err := socketPair()
		if err != nil {
			t.Fatal(err)
		}
		defer parent.close()
		defer func() { _ = hostFile.Close() }()
		if _, err := hostFile.Write(packet); err != nil {
			t.Fatal(err)
		}
		if m, _, _, err := parent.read(); err == nil && m.Seq != 0 && !bytes.Contains(bytes.ToLower(packet), []byte("seq")) {
			t.Errorf("%q gave %+v", packet, m)
		}
	})
}

func TestSandboxArgs(t *testing.T) {
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	args, err := sandboxArgs(Options{Spool: "/tmp/spool", Readable: []string{project, "/usr", project, filepath.Join(dir, "missing")}}, "/tmp/s", "")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(args[len(sandboxFlags):], " ")
	want := "--ro-bind " + project + " " + project + " --bind /tmp/s /tmp/s --bind /tmp/spool /tmp/spool --chdir /tmp/s/home --"
	if line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	if !slices.Contains(args, "--die-with-parent") {
		t.Error("the sandbox would outlive a killed keeper")
	}
	if _, err := sandboxArgs(Options{Readable: []string{"/run"}}, "/tmp/s", ""); err == nil {
		t.Error("/run is private and was accepted as readable")
	}
}

// A session without a network has none, or does not start.
func TestNoNetworkNeedsBwrap(t *testing.T) {
	works := func() (string, error) { return "/usr/bin/bwrap", nil }
	fails := func() (string, error) { return "", errors.New("bwrap is not installed") }
	can := func() error { return nil }
	cannot := func() error { return errors.New("no network namespace can be made") }
	for _, c := range []struct {
		isolation Isolation
		works     func() (string, error)
		own       func() error
		mode      Isolation
		want      string
	}{
		{Auto, works, cannot, Bwrap, ""},
		{Bwrap, works, cannot, Bwrap, ""},
		{Auto, fails, can, None, ""},
		{None, works, can, None, ""},
		{Auto, fails, cannot, "", "isolation: a session without a network needs bwrap, or a network namespace: no network namespace can be made; bwrap is not installed ("},
		{Bwrap, fails, can, "", "isolation: bwrap is not installed (Debian/Ubuntu: apt-get install bubblewrap"},
		{None, works, cannot, "", "isolation: a session without a network needs bwrap, or a network namespace: no network namespace can be made ("},
	} {
		o := Options{Isolation: c.isolation, Network: NetworkNone, Executable: "/bin/true", TempDir: t.TempDir()}
		box, err := decideIsolation(o, "", c.works, c.own)
		if c.want == "" && (err != nil || box.mode != c.mode || box.alone != (c.mode == None)) ||
			c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %+v, %v", c.isolation, box, err)
		}
	}
	args, err := sandboxArgs(Options{Network: NetworkNone}, "/tmp/s", "")
	if err != nil || !slices.Contains(args, "--unshare-net") {
		t.Errorf("%q, %v", args, err)
	}
	if err := Possible(Options{Network: "some", Executable: "/bin/true"}); err == nil || !strings.Contains(err.Error(), `network "some" is unknown`) {
		t.Errorf("error %v", err)
	}
}

func TestFilesForTheHome(t *testing.T) {
	from, home := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{"a": "one", "dir/b": "two"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(content), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	for place, name := range map[string]string{".config/x/rc": "a", "Documents": "dir", "linked": "link"} {
		if err := copyInto(filepath.Join(from, name), home, place); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
	for place, want := range map[string]string{".config/x/rc": "one", "Documents/b": "two", "linked": "one"} {
		got, err := os.ReadFile(filepath.Join(home, place))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", place, got, err)
		}
		if f, err := os.OpenFile(filepath.Join(home, place), os.O_WRONLY, 0); err != nil {
			t.Errorf("%s cannot be written to: %v", place, err)
		} else {
			_ = f.Close()
		}
	}
	for _, place := range []string{"../x", "/x", ""} {
		if copyInto(filepath.Join(from, "a"), home, place) == nil {
			t.Errorf("%q is a place in the home", place)
		}
	}
}

func TestXauthorityIsWildAndFresh(t *testing.T) {
	a, b := xauthority(), xauthority()
	if !bytes.HasPrefix(a, []byte("\xff\xff\x00\x00\x00\x00\x00\x12MIT-MAGIC-COOKIE-1\x00\x10")) || len(a) != 44 {
		t.Errorf("got %q", a)
	}
	if bytes.Equal(a, b) {
		t.Error("two sessions have one cookie")
	}
}

func TestReleaseDisplayLeavesOthersLocks(t *testing.T) {
	dir := t.TempDir()
	r, err := reserveDisplay(firstDisplay(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(r.abstract) }()
	if err := os.Remove(lockFile(r.number)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lockFile(r.number), []byte("         1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(lockFile(r.number)) }()
	releaseDisplay(dir)
	if !exists(lockFile(r.number)) {
		t.Error("another server's lock file was removed")
	}
}

func TestFirstCause(t *testing.T) {
	plain, early := errors.New("plain"), &StartError{Part: PartXvfb, waited: 2}
	late := &StartError{Part: PartWindowManager, waited: 1}
	for _, c := range []struct {
		errs []error
		want error
	}{
		{[]error{nil, nil}, nil},
		{[]error{context.Canceled, plain}, plain},
		{[]error{plain, context.Canceled}, plain},
		{[]error{late, early}, early},
		{[]error{early, late}, early},
	} {
		if got := firstCause(c.errs); got != c.want {
			t.Errorf("firstCause(%v) = %v, want %v", c.errs, got, c.want)
		}
	}
}
