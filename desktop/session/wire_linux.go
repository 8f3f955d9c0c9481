package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/opendesk/opendesk/desktop"
)

// What goes over the control socket: one JSON object per sequenced packet.
// The parent begins with opSetup; the host answers opReady or opFailed, then
// serves. The end of the socket is the end of the session.
const (
	opSetup      = "setup"      // parent: Setup
	opReady      = "ready"      // host: Info
	opFailed     = "failed"     // host: Failed
	opWorker     = "worker"     // parent: Seq, Args, Env, one descriptor if HasEvents; answered
	opExited     = "exited"     // host: Seq of the worker, Exit
	opKill       = "kill"       // parent: Seq of the worker
	opScreenshot = "screenshot" // parent: Seq, Path, Timeout; answered
	opProbe      = "probe"      // parent: Seq, Timeout; answered with Health
	opReply      = "reply"      // host: Seq, Error
	opClose      = "close"      // parent
	opAttach     = "attach"     // guest of a named session; answered with opReady
	opErrand     = "errand"     // worker, through the door: Errand, and a socket for the answer before other descriptors
)

// message is one packet.
type message struct {
	Op        string         `json:"op"`
	Seq       int            `json:"seq,omitempty"`
	Setup     *setup         `json:"setup,omitempty"`
	Info      *Info          `json:"info,omitempty"`
	Failed    *StartError    `json:"failed,omitempty"`
	Args      []string       `json:"args,omitempty"`
	Env       []string       `json:"env,omitempty"`
	HasEvents bool           `json:"has_events,omitempty"`
	Aside     bool           `json:"aside,omitempty"` // of a named session: the worker only looks
	Path      string         `json:"path,omitempty"`
	Timeout   time.Duration  `json:"timeout,omitempty"`
	Health    desktop.Health `json:"health,omitempty"`
	Exit      *Exit          `json:"exit,omitempty"`
	User      int            `json:"user,omitempty"` // of a named session: the process whose worker runs
	// Errand is the order of an errand, or its answer.
	Errand json.RawMessage `json:"errand,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// setup is what the host has to know to bring the session up.
type setup struct {
	// Info has everything that the parent decided.
	Info Info `json:"info"`
	// Executable is what workers run.
	Executable string `json:"executable"`
	// FirstDisplay is the display number to try first.
	FirstDisplay int `json:"first_display"`
	// PutBack is the command that puts an adopted display back.
	PutBack []string `json:"put_back,omitempty"`
	// Deadline is when the host gives up on a part that does not answer.
	Deadline time.Time `json:"deadline"`
}

// maxPacket bounds a packet; the kernel's default for a socket is below it.
const maxPacket = 256 << 10

// wire is one end of the control socket.
type wire struct {
	conn *net.UnixConn
	send sync.Mutex
	buf  []byte
	oob  []byte
}

// socketPair makes the control socket. The parent's end learns the sender's
// process id with each packet.
func socketPair() (parent *wire, host *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("control socket: %w", err)
	}
	host = os.NewFile(uintptr(fds[1]), "control")
	if err := unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		_ = unix.Close(fds[0])
		return nil, nil, errors.Join(err, host.Close())
	}
	parent, err = newWire(uintptr(fds[0]))
	if err != nil {
		return nil, nil, errors.Join(err, host.Close())
	}
	return parent, host, nil
}

// newWire takes over the descriptor of a control socket.
func newWire(fd uintptr) (*wire, error) {
	f := os.NewFile(fd, "control")
	if f == nil {
		return nil, fmt.Errorf("file descriptor %d is not open", fd)
	}
	defer func() { _ = f.Close() }()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("control socket: not a Unix socket"), c.Close())
	}
	return wireOf(conn), nil
}

// wireOf makes a wire of a connection.
func wireOf(conn *net.UnixConn) *wire {
	return &wire{conn: conn, buf: make([]byte, maxPacket), oob: make([]byte, 256)}
}

// write sends one packet, with descriptors.
func (w *wire) write(m message, fds ...int) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(data) > maxPacket {
		return fmt.Errorf("control packet %q has %d bytes, more than %d", m.Op, len(data), maxPacket)
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	w.send.Lock()
	defer w.send.Unlock()
	_, _, err = w.conn.WriteMsgUnix(data, oob, nil)
	return err
}

// read waits for one packet. It gives the descriptors that came along, which
// are the caller's to close, and the sender's process id where it is known.
func (w *wire) read() (m message, files []*os.File, pid int, err error) {
	n, oobn, _, _, err := w.conn.ReadMsgUnix(w.buf, w.oob)
	if err != nil {
		return m, nil, 0, err
	}
	controls, err := unix.ParseSocketControlMessage(w.oob[:oobn])
	if err != nil {
		return m, nil, 0, fmt.Errorf("control packet: %w", err)
	}
	for i := range controls {
		if cred, err := unix.ParseUnixCredentials(&controls[i]); err == nil {
			pid = int(cred.Pid)
		}
		if fds, err := unix.ParseUnixRights(&controls[i]); err == nil {
			for _, fd := range fds {
				files = append(files, os.NewFile(uintptr(fd), "events"))
			}
		}
	}
	if err := json.Unmarshal(w.buf[:n], &m); err != nil {
		closeAll(files)
		return m, nil, pid, fmt.Errorf("control packet: %w", err)
	}
	return m, files, pid, nil
}

func (w *wire) close() { _ = w.conn.Close() }

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
