package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// ErrHostEnded is wrapped by the errors of calls that the host cannot answer
// any more because it has ended.
var ErrHostEnded = errors.New("the session host has ended")

// defaultReply bounds requests whose context has no deadline.
const defaultReply = 10 * time.Second

// closeGrace is how long Close waits for the host and the keeper before it
// kills them.
const closeGrace = 1500 * time.Millisecond

// Session is the parent's handle on a session, or that of a process which has
// attached to a named one. Its methods are safe for concurrent use.
type Session struct {
	attached bool // it belongs to another process

	info    Info
	folder  *folder
	control *wire
	life    *os.File
	keeper  *exec.Cmd
	log     *tail

	first   chan message  // the host's first packet
	hungUp  chan struct{} // the control socket has ended
	ended   chan struct{} // the keeper has ended
	died    chan struct{}
	closing sync.Once
	closed  chan struct{}
	gone    error // of Close, set before closed is closed

	mu       sync.Mutex
	seq      int
	pending  map[int]chan message
	workers  map[int]*Worker
	hostExit string
}

func newSession(info Info, f *folder, control *wire, life *os.File, keeper *exec.Cmd, log *tail) *Session {
	s := &Session{
		info: info, folder: f, control: control, life: life, keeper: keeper, log: log,
		first: make(chan message, 1), hungUp: make(chan struct{}), ended: make(chan struct{}),
		died: make(chan struct{}), closed: make(chan struct{}),
		pending: map[int]chan message{}, workers: map[int]*Worker{},
	}
	go s.listen()
	go s.awaitKeeper()
	go func() {
		<-s.hungUp
		select {
		case <-s.ended:
		case <-time.After(2 * time.Second):
		}
		close(s.died)
	}()
	return s
}

// listen takes the host's packets until the socket ends.
func (s *Session) listen() {
	defer close(s.hungUp)
	for {
		m, files, pid, err := s.control.read()
		if err != nil {
			return
		}
		closeAll(files)
		switch m.Op {
		case opReady:
			if m.Info != nil {
				m.Info.HostPID = pid
				s.first <- m
			}
		case opFailed:
			if m.Failed != nil {
				s.first <- m
			}
		case opReply:
			s.mu.Lock()
			reply := s.pending[m.Seq]
			delete(s.pending, m.Seq)
			s.mu.Unlock()
			if reply != nil {
				reply <- m
			}
		case opExited:
			s.mu.Lock()
			w := s.workers[m.Seq]
			delete(s.workers, m.Seq)
			s.mu.Unlock()
			if w != nil && m.Exit != nil {
				w.exit = *m.Exit
				close(w.done)
			}
		}
	}
}

// awaitKeeper collects the keeper, whose exit status is the host's.
func (s *Session) awaitKeeper() {
	err := s.keeper.Wait()
	how := "exit status 0"
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 128:
		how = "signal: " + syscall.Signal(exit.ExitCode()-128).String()
	case err != nil:
		how = err.Error()
	}
	s.mu.Lock()
	s.hostExit = how
	s.mu.Unlock()
	close(s.ended)
}

// Info describes the session.
func (s *Session) Info() Info { return s.info }

// Died is closed when the host has ended, for whatever reason.
func (s *Session) Died() <-chan struct{} { return s.died }

// HostExit says how the host ended ("exit status 2", "signal: killed"), ""
// while it runs.
func (s *Session) HostExit() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hostExit
}

// HostOutput is the end of what the host has printed, for a report on a host
// that ended.
func (s *Session) HostOutput() string { return s.log.String() }

// hostEnded is the error of calls that come too late.
func (s *Session) hostEnded() error {
	if how := s.HostExit(); how != "" {
		return fmt.Errorf("%w (%s)", ErrHostEnded, how)
	}
	return ErrHostEnded
}

// ask sends a request and waits for its reply.
func (s *Session) ask(ctx context.Context, m message, seq int, fds ...int) (message, error) {
	reply := make(chan message, 1)
	s.mu.Lock()
	s.pending[seq] = reply
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.pending, seq)
		s.mu.Unlock()
	}()
	m.Seq = seq
	if err := s.control.write(m, fds...); err != nil {
		if errors.Is(err, syscall.EMSGSIZE) {
			return message{}, fmt.Errorf("the request %q is too long for the session host: %w", m.Op, err)
		}
		return message{}, fmt.Errorf("%w: %w", s.hostEnded(), err)
	}
	var r message
	select {
	case r = <-reply:
	case <-s.hungUp:
		select {
		case r = <-reply: // its last word
		default:
			return message{}, s.hostEnded()
		}
	case <-ctx.Done():
		return message{}, context.Cause(ctx)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

func (s *Session) nextSeq() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq
}

// Screenshot has the host write a PNG picture of the whole display to path,
// which both must see: a file in the spool folder.
func (s *Session) Screenshot(ctx context.Context, path string) error {
	_, err := s.ask(ctx, message{Op: opScreenshot, Path: path, Timeout: timeLeft(ctx)}, s.nextSeq())
	return err
}

// Probe has the host ask every part of the session whether it answers.
func (s *Session) Probe(ctx context.Context) (desktop.Health, error) {
	r, err := s.ask(ctx, message{Op: opProbe, Timeout: timeLeft(ctx)}, s.nextSeq())
	return r.Health, err
}

func timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(time.Until(deadline), time.Millisecond)
	}
	return defaultReply
}

// Close ends every process of the session and removes its folder, within 2 s.
// Where ctx ends earlier, nothing is asked politely any more. It can be called
// again, and after the host has died. A session that belongs to another process
// goes on; the workers that were started through this handle do not.
func (s *Session) Close(ctx context.Context) error {
	s.closing.Do(func() {
		s.gone = s.shutDown(ctx)
		close(s.closed)
	})
	<-s.closed
	return s.gone
}

func (s *Session) shutDown(ctx context.Context) error {
	if s.attached {
		s.control.close()
		<-s.died
		return nil
	}
	if ctx.Err() == nil {
		_ = s.control.write(message{Op: opClose}) // a host that has ended needs no telling
		select {
		case <-s.ended:
		case <-ctx.Done():
		case <-time.After(s.closeGrace()):
		}
	}
	select {
	case <-s.ended:
	default:
		_ = s.keeper.Process.Kill()
		<-s.ended
	}
	s.control.close()
	_ = s.life.Close()
	<-s.died
	defer s.folder.unlock()
	if !exists(s.info.Dir) {
		return s.keeperSaid() // the keeper has done all; the folder is the last that goes
	}
	return reclaim(s.info.Dir, s.info.Isolation, s.info.Groups, sweepGrace)
}

// closeGrace is how long the host and the keeper have: longer where a display is
// to be put back.
func (s *Session) closeGrace() time.Duration {
	if s.info.Adopted {
		return closeGrace + putBackWait
	}
	return closeGrace
}

// keeperSaid is what the keeper could not do, nil where it did everything.
func (s *Session) keeperSaid() error {
	_, said, found := strings.Cut(s.log.String(), keeperSays)
	if !found || !s.info.Adopted {
		return nil
	}
	said, _, _ = strings.Cut(said, "\n")
	return errors.New(said)
}
