package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/opendesk/opendesk/desktop"
)

// HostOptions are what the host needs from the program that it runs in. The
// functions must not start processes: the host collects every child.
type HostOptions struct {
	// ControlFD is the file descriptor of the control socket, 3.
	ControlFD uintptr
	// Capture writes a PNG picture of the whole display to path.
	Capture func(ctx context.Context, display, path string) error
	// Probe asks every part whether it answers. The host adds what it knows
	// itself: a part whose process has ended does not answer.
	Probe func(ctx context.Context, env Info) desktop.Health
	// Remember describes a display that is to be adopted, and PutBack makes it
	// like that again. hold serves what only a process can keep, such as the
	// clipboard, until nobody needs it any more; nil for nothing.
	Remember func(ctx context.Context, display string) (json.RawMessage, error)
	PutBack  func(ctx context.Context, display string, state json.RawMessage) (hold func(context.Context), err error)
	// SetIdentity marks the display with the session's id; nil leaves that to
	// the host, which sets IdentityProperty on the root window.
	SetIdentity func(ctx context.Context, display, id string) error
	// Errand does, in the keeper, what a worker asks for through its Door, and
	// gives the answer. The context ends when the worker hangs up.
	Errand func(ctx context.Context, e *Errand) (answer json.RawMessage)
}

// host is the process that owns a session.
type host struct {
	options HostOptions
	control *wire
	door    *os.File // to the keeper, for workers
	kids    *children
	setup   setup
	info    Info
	parts   parts
	display *reservation
	// hurried says that nobody has asked for an end: the parent has gone, and
	// what belongs to it must not outlive it for long.
	hurried bool

	mu      sync.Mutex
	workers map[int]*child
}

// HostMain is the main function of the session host, of its keeper, and of the
// process that a named session belongs to. It gives the process's exit code.
func HostMain(ctx context.Context, o HostOptions) int {
	if order, ok := os.LookupEnv(keeperVariable); ok {
		return keeperMain(order, o.Errand)
	}
	if order, ok := os.LookupEnv(enterVariable); ok {
		return enterMain(order)
	}
	if order, ok := os.LookupEnv(serveVariable); ok {
		return serveMain(order)
	}
	if file, ok := os.LookupEnv(putBackVariable); ok {
		return putBackMain(file, o)
	}
	if os.Getenv(MarkerDir) == "" {
		fmt.Fprintln(os.Stderr, "the session host is started by opendesk itself")
		return 2
	}
	leakNothing()
	ctx, stop := signal.NotifyContext(ctx, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	defer stop()
	// What we print may have lost its reader: that is no reason to die.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	control, err := newWire(o.ControlFD)
	if err != nil {
		fmt.Fprintln(os.Stderr, "session host:", err)
		return 2
	}
	kids, err := newChildren()
	if err != nil {
		fmt.Fprintln(os.Stderr, "session host:", err)
		return 2
	}
	h := &host{options: o, control: control, door: os.NewFile(hostDoorFD, "door"), kids: kids, workers: map[int]*child{}}
	defer h.takeDown()
	if err := h.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "session host:", err)
		return 1
	}
	return 0
}

// run brings the session up and serves the parent until it hangs up.
func (h *host) run(ctx context.Context) error {
	m, _, _, err := h.control.read()
	if err != nil {
		return fmt.Errorf("no setup: %w", err)
	}
	if m.Op != opSetup || m.Setup == nil {
		return fmt.Errorf("expected the setup, got %q", m.Op)
	}
	h.setup, h.info = *m.Setup, m.Setup.Info
	// Our own functions connect to the display and the buses, too.
	for _, pair := range h.info.Env {
		if name, value, ok := cutPair(pair); ok {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	if err := h.fillHome(); err != nil {
		return h.control.write(message{Op: opFailed, Failed: &StartError{Part: PartHome, Reason: err.Error()}})
	}
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	requests := make(chan request)
	go func() {
		defer hangUp()
		h.listen(ctx, requests)
	}()
	bringUp := h.bringUp
	if h.info.Adopted {
		bringUp = h.takeOver
	}
	if err := bringUp(ctx); err != nil {
		var se *StartError
		if !errors.As(err, &se) {
			se = &StartError{Part: PartHost, Reason: err.Error()}
		}
		return h.control.write(message{Op: opFailed, Failed: se})
	}
	if err := h.control.write(message{Op: opReady, Info: &h.info}); err != nil {
		return err
	}
	for {
		select {
		case r := <-requests:
			if r.Op == opClose {
				return nil
			}
			h.serve(ctx, r)
		case <-ctx.Done():
			h.hurried = !h.info.Adopted
			return nil
		}
	}
}

// fillHome copies into a home of limited size what is to be there.
func (h *host) fillHome() error {
	files := homeFilesOf(h.info.Dir)
	if !exists(files) {
		return nil
	}
	err := copyTree(files, h.info.Home)
	if errors.Is(err, unix.ENOSPC) {
		return fmt.Errorf("what the project puts there does not fit into it (limits.home in eval.yaml): %w", err)
	}
	return errors.Join(err, removeAll(files))
}

// request is a packet of the parent with its descriptors.
type request struct {
	message
	files []*os.File
}

// listen hands on the parent's packets until the socket ends.
func (h *host) listen(ctx context.Context, requests chan<- request) {
	for {
		m, files, _, err := h.control.read()
		if err != nil {
			return
		}
		select {
		case requests <- request{m, files}:
		case <-ctx.Done():
			return
		}
	}
}

// serve begins to do what the parent asks for. What takes time is done beside
// the loop, so that a picture that cannot be taken holds up nothing else.
func (h *host) serve(ctx context.Context, r request) {
	reply := message{Op: opReply, Seq: r.Seq}
	switch r.Op {
	case opWorker:
		if err := h.startWorker(r); err != nil {
			reply.Error = err.Error()
		}
		h.answer(reply)
	case opKill:
		h.mu.Lock()
		w := h.workers[r.Seq]
		h.mu.Unlock()
		if w != nil {
			h.kids.signal(w, unix.SIGKILL)
		}
	case opScreenshot:
		go func() {
			if err := h.capture(ctx, r); err != nil {
				reply.Error = err.Error()
			}
			h.answer(reply)
		}()
	case opProbe:
		go func() {
			reply.Health = h.probe(ctx, r.Timeout)
			h.answer(reply)
		}()
	}
}

// answer sends to the parent. Where that fails the parent has gone, which
// listen notices.
func (h *host) answer(m message) {
	if err := h.control.write(m); err != nil {
		fmt.Fprintln(os.Stderr, "session host:", err)
	}
}

func (h *host) startWorker(r request) error {
	defer closeAll(r.files)
	if r.HasEvents && len(r.files) != 1 {
		return errors.New("the worker's event pipe did not arrive")
	}
	extra := r.files
	if r.HasEvents {
		extra = append(slices.Clone(extra), h.door)
	}
	w, err := h.kids.start(command{
		name: "worker", path: h.setup.Executable, args: r.Args,
		env: mergeEnvironment(h.info.Env, r.Env), dir: h.info.Home, extra: extra,
	})
	if err != nil {
		return err
	}
	if !h.info.Adopted {
		endFirst(w.pid)
	}
	h.mu.Lock()
	h.workers[r.Seq] = w
	h.mu.Unlock()
	go func() {
		<-w.done
		h.mu.Lock()
		delete(h.workers, r.Seq)
		h.mu.Unlock()
		exit := w.exit()
		h.answer(message{Op: opExited, Seq: r.Seq, Exit: &exit})
	}()
	return nil
}

func (h *host) capture(ctx context.Context, r request) error {
	if h.options.Capture == nil {
		return errors.New("this session host takes no pictures")
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	return h.options.Capture(ctx, h.info.Display, r.Path)
}

// probe asks the parts and corrects the answers by what has ended.
func (h *host) probe(ctx context.Context, timeout time.Duration) desktop.Health {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var health desktop.Health
	if h.options.Probe != nil {
		health = h.options.Probe(ctx, h.info)
	}
	if h.info.Adopted {
		return health
	}
	return h.parts.correct(health)
}
