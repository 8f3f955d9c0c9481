//go:build linux && cgo

package tess

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// screen is an X server of a test's own.
type screen struct {
	t       testing.TB
	display string
	conn    *xgb.Conn
	root    xproto.Window
	size    image.Point
}

// newScreen starts a server that ends with the test.
func newScreen(t testing.TB, width, height int) *screen {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Fatal("Xvfb is not installed: make setup installs it")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cookie := make([]byte, 16)
	if _, err := rand.Read(cookie); err != nil {
		t.Fatal(err)
	}
	auth := filepath.Join(t.TempDir(), "auth")
	writeAuthority(t, auth, cookie)
	t.Setenv("XAUTHORITY", auth)
	// With -nolisten local and no number, Xvfb takes no lock, and servers that
	// start together take each other's sockets.
	number := fmt.Sprintf(":%d", 20000+int(cookie[0])<<8+int(cookie[1]))
	cmd := exec.Command("Xvfb", number, "-auth", auth, "-displayfd", "3", "-nolisten", "local", "-nolisten", "tcp",
		"-noreset", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height))
	cmd.ExtraFiles = []*os.File{w}
	t.Cleanup(func() { _ = os.Remove("/tmp/.X11-unix/X" + number[1:]) }) // a server that is killed leaves it
	start(t, cmd)
	w.Close()
	if err := r.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb: %v", err)
	}
	s := &screen{t: t, display: ":" + strings.TrimSpace(line), size: image.Pt(width, height)}
	xgb.Logger = log.New(io.Discard, "", 0)
	if s.conn, err = xgb.NewConnDisplay(s.display); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.conn.Close)
	s.root = xproto.Setup(s.conn).DefaultScreen(s.conn).Root
	return s
}

// writeAuthority lets in the test's own clients and nobody else, so that a
// client that was meant for another display cannot paint on this one.
func writeAuthority(t testing.TB, file string, cookie []byte) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const local = 256
	entry := binary.BigEndian.AppendUint16(nil, local)
	for _, field := range []string{host, "" /* any display */, "MIT-MAGIC-COOKIE-1", string(cookie)} {
		entry = binary.BigEndian.AppendUint16(entry, uint16(len(field)))
		entry = append(entry, field...)
	}
	if err := os.WriteFile(file, entry, 0o600); err != nil {
		t.Fatal(err)
	}
}

// start runs a command until the test ends.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
	})
}

// xterm shows the lines in a terminal at the place and waits for the picture.
func (s *screen) xterm(geometry string, lines []string, args ...string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		s.t.Fatal(err)
	}
	before := s.capture()
	args = append(append([]string{"-geometry", geometry}, args...), "-e", "cat", file, "-")
	cmd := exec.Command("xterm", args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+s.display, "LC_ALL=C.UTF-8")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { stdin.Close() })
	start(s.t, cmd)
	s.settled(before)
}

// cells says where the terminal, which must be the only window, has the
// characters from column from to before column to of a row, all from 0.
func (s *screen) cells(columns, rows, row, from, to int) image.Rectangle {
	s.t.Helper()
	tree, err := xproto.QueryTree(s.conn, s.root).Reply()
	if err != nil || len(tree.Children) != 1 {
		s.t.Fatalf("windows: %+v, %v", tree, err)
	}
	g, err := xproto.GetGeometry(s.conn, xproto.Drawable(tree.Children[0])).Reply()
	if err != nil {
		s.t.Fatal(err)
	}
	const inner = 2 // xterm's own border
	border := int(g.BorderWidth)
	width, height := (int(g.Width)-2*inner)/columns, (int(g.Height)-2*inner)/rows
	corner := image.Pt(int(g.X)+border+inner, int(g.Y)+border+inner)
	return image.Rect(from*width, row*height, to*width, (row+1)*height).Add(corner)
}

// settled waits until the screen shows something else than before and has not
// changed for a while.
func (s *screen) settled(before *image.RGBA) *image.RGBA {
	s.t.Helper()
	last, same := before, 0
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		now := s.capture()
		if string(now.Pix) == string(last.Pix) {
			same++
		} else {
			same = 0
		}
		last = now
		if same >= 4 && string(now.Pix) != string(before.Pix) {
			return now
		}
	}
	s.t.Fatal("the screen never came to rest")
	return nil
}

// capture takes a picture of the whole screen.
func (s *screen) capture() *image.RGBA {
	s.t.Helper()
	r, err := xproto.GetImage(s.conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.root), 0, 0,
		uint16(s.size.X), uint16(s.size.Y), 0xffffffff).Reply()
	if err != nil {
		s.t.Fatal(err)
	}
	img := image.NewRGBA(image.Rectangle{Max: s.size})
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = r.Data[i+2], r.Data[i+1], r.Data[i], 0xff
	}
	return img
}
