package session

import (
	"context"
	"runtime"
)

// Worker is a process that the host runs in the session.
type Worker struct {
	session *Session
	seq     int
	done    chan struct{}
	exit    Exit // set before done is closed
}

// RunWorker starts the session's Executable with the given arguments inside
// the session.
func (s *Session) RunWorker(ctx context.Context, spec WorkerSpec) (*Worker, error) {
	w := &Worker{session: s, seq: s.nextSeq(), done: make(chan struct{})}
	s.mu.Lock()
	s.workers[w.seq] = w
	s.mu.Unlock()
	m := message{Op: opWorker, Args: spec.Args, Env: spec.Env, Aside: spec.Aside, Timeout: timeLeft(ctx)}
	var fds []int
	if spec.Events != nil {
		m.HasEvents = true
		fds = append(fds, int(spec.Events.Fd()))
	}
	_, err := s.ask(ctx, m, w.seq, fds...)
	runtime.KeepAlive(spec.Events)
	if err != nil {
		w.Kill() // it may have started after all
		s.mu.Lock()
		delete(s.workers, w.seq)
		s.mu.Unlock()
		return nil, err
	}
	return w, nil
}

// Wait waits for the worker's end. The error wraps ErrHostEnded where the
// host ended first, or is the context's.
func (w *Worker) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-w.done:
		return w.exit, nil
	case <-w.session.hungUp:
	case <-ctx.Done():
		return Exit{}, context.Cause(ctx)
	}
	select {
	case <-w.done: // both at once
		return w.exit, nil
	case <-w.session.died:
		return Exit{}, w.session.hostEnded()
	case <-ctx.Done():
		return Exit{}, context.Cause(ctx)
	}
}

// Kill sends SIGKILL to the worker, and to nothing that it has started.
func (w *Worker) Kill() {
	_ = w.session.control.write(message{Op: opKill, Seq: w.seq})
}
