package cli_test

import (
	"bufio"
	"crypto/des"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var shownAt = regexp.MustCompile(`^session desk is shown at (127\.0\.0\.1:[0-9]+), password (\S{8}), until this command is interrupted\n$`)

// A session is shown over VNC to who knows the password, until the command is
// interrupted or the session ends; nothing of it is left then.
func TestAttachVNC(t *testing.T) {
	if _, err := exec.LookPath("x11vnc"); err != nil {
		if os.Getenv("OPENDESK_FULL") != "" {
			t.Fatal("the machine has no x11vnc (ci/install-deps.sh toolkits installs it)")
		}
		t.Skip("the machine has no x11vnc; make test-full installs it")
	}
	run, err := os.MkdirTemp("", "od-vnc-") // sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("opendesk", args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+run, "TMPDIR="+run, "NO_COLOR=1", "DISPLAY=", "WAYLAND_DISPLAY=")
		cmd.Stderr = t.Output()
		return cmd
	}
	if err := command("session", "start", "--name", "desk", "--geometry", "640x480").Run(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command("session", "stop", "--all").Run() })
	attach := func() (cmd *exec.Cmd, address, password string) {
		t.Helper()
		cmd = command("session", "attach", "desk", "--vnc")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		line, err := bufio.NewReader(out).ReadString('\n')
		told := shownAt.FindStringSubmatch(line)
		if told == nil {
			t.Fatalf("%q, %v", line, err)
		}
		return cmd, told[1], told[2]
	}
	gone := func(cmd *exec.Cmd, address string) {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			t.Errorf("%s is served still", address)
		}
	}

	shown, address, password := attach()
	if size, err := lookOverVNC(address, password); size != "640x480" || err != nil {
		t.Errorf("it shows %s, %v", size, err)
	}
	if _, err := lookOverVNC(address, "password"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("another password: %v", err)
	}
	if err := shown.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	gone(shown, address)
	if left, _ := filepath.Glob(filepath.Join(run, "*", "*", "vnc-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	shown, address, _ = attach()
	if err := command("session", "stop", "desk").Run(); err != nil {
		t.Error(err)
	}
	gone(shown, address)
}

// lookOverVNC connects as RFC 6143 says and gives the display's size.
func lookOverVNC(address, password string) (size string, err error) {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // it only looked
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return "", err
	}
	receive := func(n int) []byte {
		data := make([]byte, n)
		if err == nil {
			_, err = io.ReadFull(conn, data)
		}
		return data
	}
	send := func(data []byte) {
		if err == nil {
			_, err = conn.Write(data)
		}
	}
	version := receive(12)
	send(version)
	kinds := receive(int(receive(1)[0]))
	const vncAuthentication = 2
	if err == nil && (len(kinds) != 1 || kinds[0] != vncAuthentication) {
		return "", fmt.Errorf("security types %v", kinds)
	}
	send([]byte{vncAuthentication})
	challenge := receive(16)
	var key [8]byte
	copy(key[:], password)
	for i, b := range key {
		key[i] = bits.Reverse8(b)
	}
	cipher, _ := des.NewCipher(key[:])
	cipher.Encrypt(challenge[:8], challenge[:8])
	cipher.Encrypt(challenge[8:], challenge[8:])
	send(challenge)
	if result := receive(4); err == nil && binary.BigEndian.Uint32(result) != 0 {
		return "", fmt.Errorf("refused: %d", result)
	}
	send([]byte{1}) // shared
	init := receive(4)
	return fmt.Sprintf("%dx%d", binary.BigEndian.Uint16(init), binary.BigEndian.Uint16(init[2:])), err
}
