package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// StartNamed starts a session that goes on when this process ends, until
// StopNamed. notes are kept with it. The error wraps ErrNameTaken, or is a
// *StartError.
func StartNamed(ctx context.Context, name string, notes json.RawMessage, o Options) (*Named, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("session name %q: letters, digits, '-', '_' and '.' only, at most 32, a letter or digit first", name)
	}
	o, err := withDefaults(o)
	if err != nil {
		return nil, &StartError{Part: PartHost, Reason: err.Error(), cause: err}
	}
	root, err := makeRegistry()
	if err != nil {
		return nil, asStartError(err)
	}
	dir := filepath.Join(root, name)
	if len(controlOf(dir)) > maxSocketPath {
		return nil, asStartError(fmt.Errorf("%s is too deep: socket paths may have %d bytes (set TMPDIR to a shorter one)", root, maxSocketPath))
	}
	switch err := os.Mkdir(dir, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%w: %s", ErrNameTaken, name)
	case err != nil:
		return nil, asStartError(err)
	}
	n, err := startServer(ctx, dir, name, notes, o)
	if err != nil {
		if left := removeAll(dir); left != nil {
			err = errors.Join(err, left)
		}
		return nil, err
	}
	return n, nil
}

// startServer starts the process that the session is to belong to, and waits
// for its word.
func startServer(ctx context.Context, dir, name string, notes json.RawMessage, o Options) (*Named, error) {
	lock, err := lockedFile(ownerOf(dir), owner{ID: o.ID, Isolation: o.Isolation})
	if err != nil {
		return nil, asStartError(err)
	}
	defer func() { _ = lock.Close() }()
	if err := os.Mkdir(spoolOf(dir), 0o700); err != nil {
		return nil, asStartError(err)
	}
	o.Spool, o.Log = spoolOf(dir), nil
	order, err := json.Marshal(serveOrder{Dir: dir, Name: name, Notes: notes, Options: o})
	if err != nil {
		return nil, asStartError(err)
	}
	log, err := os.OpenFile(logOf(dir), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, asStartError(err)
	}
	defer func() { _ = log.Close() }()
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, asStartError(err)
	}
	defer func() { _ = reader.Close() }()
	cmd := exec.Command(o.Executable, o.HostArgs...)
	cmd.Env = append(os.Environ(), serveVariable+"="+string(order))
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	cmd.ExtraFiles = []*os.File{writer, lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = writer.Close()
	if err != nil {
		return nil, asStartError(err)
	}
	// A process that does not give up in time by itself is ended.
	limit := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(unix.SIGTERM) })
	defer limit()
	_ = reader.SetReadDeadline(time.Now().Add(o.StartTimeout + startMargin))
	var report serveReport
	err = json.NewDecoder(reader).Decode(&report)
	switch {
	case err == nil && report.Named != nil:
		if ctx.Err() == nil {
			go func() { _ = cmd.Wait() }() // no zombie where we outlive it
			return report.Named, nil
		}
		err = context.Cause(ctx)
	case err == nil && report.Failed != nil:
		err = report.Failed
	}
	_ = cmd.Process.Kill() // its keeper ends the session
	_ = cmd.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	var failed *StartError
	if errors.As(err, &failed) {
		return nil, failed
	}
	output, _ := os.ReadFile(logOf(dir))
	return nil, &StartError{Part: PartHost, Reason: fmt.Sprintf("the session's process did not get ready: %v", err), Output: string(output), cause: err}
}

// startMargin is what the process may take beyond the session's own time.
const startMargin = 5 * time.Second

// attachTimeout bounds the first answer of a named session.
const attachTimeout = 5 * time.Second

// Attach gives a handle on a named session for this process. Closing it leaves
// the session as it is, and ends the workers that were started through it.
func Attach(ctx context.Context, name string) (*Session, *Named, error) {
	dir, err := namedFolder(name)
	if err != nil {
		return nil, nil, err
	}
	n, ok := readRecord(dir)
	if !ok {
		return nil, nil, fmt.Errorf("session %q is still starting", name)
	}
	control, info, err := dial(ctx, dir)
	if err != nil {
		return nil, nil, fmt.Errorf("session %q does not answer: %w", name, err)
	}
	info.HostPID = n.Info.HostPID
	return attached(*info, control, name), &n, nil
}

// namedFolder is the folder of a session that somebody owns.
func namedFolder(name string) (string, error) {
	root, err := registry()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, name)
	if !validName.MatchString(name) || !exists(dir) {
		return "", &UnknownNameError{Name: name}
	}
	if swept, err := sweepNamedFolder(dir); swept || err != nil {
		return "", errors.Join(&UnknownNameError{Name: name}, err)
	}
	return dir, nil
}

// dial connects to a session's process and waits for its greeting.
func dial(ctx context.Context, dir string) (*wire, *Info, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "unixpacket", controlOf(dir))
	if err != nil {
		return nil, nil, err
	}
	conn := c.(*net.UnixConn)
	if !sameUser(conn) {
		return nil, nil, errors.Join(errors.New("its socket belongs to another user"), conn.Close())
	}
	w := wireOf(conn)
	stop := context.AfterFunc(ctx, w.close)
	if err := w.write(message{Op: opAttach}); err != nil {
		w.close()
		return nil, nil, err
	}
	m, files, _, err := w.read()
	closeAll(files)
	switch {
	case !stop():
		return nil, nil, context.Cause(ctx)
	case err != nil:
		w.close()
		return nil, nil, err
	case m.Op != opReady || m.Info == nil:
		w.close()
		return nil, nil, fmt.Errorf("unexpected answer %q", m.Op)
	}
	return w, m.Info, nil
}

// attached is a handle on a session that belongs to another process.
func attached(info Info, control *wire, name string) *Session {
	s := &Session{
		info: info, control: control, log: newTail(MaxOutput, nil), attached: true,
		first: make(chan message, 1), hungUp: make(chan struct{}), ended: make(chan struct{}),
		died: make(chan struct{}), closed: make(chan struct{}),
		pending: map[int]chan message{}, workers: map[int]*Worker{},
	}
	go s.listen()
	go func() {
		<-s.hungUp
		s.mu.Lock()
		s.hostExit = fmt.Sprintf("session %q has ended", name)
		s.mu.Unlock()
		close(s.ended)
		close(s.died)
	}()
	return s
}

// ListNamed gives our user's named sessions, by name. What crashes have left
// of others is to be removed by Sweep before.
func ListNamed(ctx context.Context) ([]Named, error) {
	root, err := registry()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := []Named{}
	for _, entry := range entries {
		dir := filepath.Join(root, entry.Name())
		n, ok := readRecord(dir)
		if ok {
			n.State, n.Detail = ask(ctx, dir)
		}
		if exists(dir) {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b Named) int { return a.StartedAt.Compare(b.StartedAt) })
	return all, nil
}

// probeTimeout bounds the question whether a named session is well.
const probeTimeout = 3 * time.Second

// ask asks a session for its state.
func ask(ctx context.Context, dir string) (state, detail string) {
	control, info, err := dial(ctx, dir)
	if err != nil {
		return StateFaulty, fmt.Sprintf("its process does not answer: %v", err)
	}
	s := attached(*info, control, filepath.Base(dir))
	defer func() { _ = s.Close(ctx) }()
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	r, err := s.ask(ctx, message{Op: opProbe, Timeout: timeLeft(ctx)}, s.nextSeq())
	switch fault := r.Health.FirstFault(); {
	case err != nil:
		return StateFaulty, err.Error()
	case fault != nil:
		return StateFaulty, fmt.Sprintf("%s does not answer: %s", fault.Part, fault.Detail)
	case r.User != 0:
		return StateInUse, fmt.Sprintf("by process %d", r.User)
	}
	return StateIdle, ""
}

// stopTimeout bounds how long a session may take to stop in good order.
const stopTimeout = 4 * time.Second

// StopNamed ends a named session and everything in it. One whose process does
// not answer is killed.
func StopNamed(ctx context.Context, name string) error {
	dir, err := namedFolder(name)
	if err != nil {
		return err
	}
	n, _ := readRecord(dir)
	if control, _, err := dial(ctx, dir); err == nil {
		_ = control.write(message{Op: opClose}) // its end tells whether it arrived
		control.close()
		if awaitGone(ctx, dir, stopTimeout) {
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if n.PID == 0 {
		return fmt.Errorf("session %q is still starting", name)
	}
	if p, ok := readProcess(n.PID); ok && p.started == n.ProcessStarted {
		signalProcess(p, unix.SIGKILL)
	}
	// Its keeper ends the session now.
	_ = awaitGone(ctx, n.Info.Dir, hostGrace+2*killGrace+time.Second)
	if swept, err := sweepNamedFolder(dir); err != nil || !swept && exists(dir) {
		return errors.Join(fmt.Errorf("session %q could not be ended", name), err)
	}
	return nil
}

// awaitGone waits until there is no such folder any more.
func awaitGone(ctx context.Context, dir string, within time.Duration) bool {
	deadline := time.After(within)
	for exists(dir) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			return !exists(dir)
		case <-ctx.Done():
			return !exists(dir)
		}
	}
	return true
}
