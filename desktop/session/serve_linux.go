package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// serveVariable holds the serveOrder of a process that a named session is to
// belong to.
const serveVariable = "OPENDESK_SESSION_SERVE"

// readyFD is the pipe on which such a process tells how starting went. Its
// other descriptor is lockFD's counterpart, the owner file.
const (
	readyFD     = 3
	namedLockFD = 4
)

// serveOrder says what session a process is to start and serve.
type serveOrder struct {
	Dir     string          `json:"dir"`
	Name    string          `json:"name"`
	Notes   json.RawMessage `json:"notes,omitempty"`
	Options Options         `json:"options"`
}

// serveReport is what it tells of that.
type serveReport struct {
	Named  *Named      `json:"named,omitempty"`
	Failed *StartError `json:"failed,omitempty"`
}

// serveMain starts a session and serves those who attach to it until it is
// stopped or has ended by itself. It gives the process's exit code.
func serveMain(orderText string) int {
	var order serveOrder
	if err := json.Unmarshal([]byte(orderText), &order); err != nil || order.Dir == "" {
		fmt.Fprintf(os.Stderr, "session: bad %s: %v\n", serveVariable, err)
		return 2
	}
	leakNothing()
	if err := os.Unsetenv(serveVariable); err != nil {
		return 2
	}
	ready := os.NewFile(readyFD, "ready")
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT)
	defer stop()
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE, unix.SIGHUP)
	order.Options.Log = os.Stderr
	server, err := newServer(ctx, order)
	if err != nil {
		failed := asStartError(err)
		_ = json.NewEncoder(ready).Encode(serveReport{Failed: failed})
		fmt.Fprintln(os.Stderr, "session:", err)
		_ = removeAll(order.Dir)
		return 1
	}
	if err := json.NewEncoder(ready).Encode(serveReport{Named: &server.named}); err != nil {
		stop() // whoever wanted it has gone
	}
	_ = ready.Close()
	server.idle = newIdle(order.Options.IdleTimeout, stop)
	server.serve(ctx, stop)
	if err := errors.Join(server.session.Close(context.Background()), removeNamed(order.Dir)); err != nil {
		fmt.Fprintln(os.Stderr, "session:", err)
		return 1
	}
	return 0
}

// server is the process that a named session belongs to.
type server struct {
	named    Named
	session  *Session
	listener *net.UnixListener

	idle *idle

	mu    sync.Mutex
	guest *guest        // whose worker runs
	free  chan struct{} // closed when it does no longer
}

func newServer(ctx context.Context, order serveOrder) (*server, error) {
	s, err := Start(ctx, order.Options)
	if err != nil {
		return nil, err
	}
	closing := func(err error) error { return errors.Join(err, s.Close(context.Background())) }
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: controlOf(order.Dir), Net: "unixpacket"})
	if err != nil {
		return nil, closing(fmt.Errorf("the session's socket: %w", err))
	}
	self, _ := readProcess(os.Getpid())
	v := &server{session: s, listener: listener, named: Named{
		Name: order.Name, State: StateIdle, PID: os.Getpid(), StartedAt: time.Now().UTC(),
		Notes: order.Notes, Info: s.Info(), ProcessStarted: self.started, IdleTimeout: order.Options.IdleTimeout,
	}}
	if err := writeRecord(order.Dir, v.named); err != nil {
		return nil, errors.Join(closing(err), listener.Close())
	}
	return v, nil
}

// serve serves guests until ctx ends, one of them stops the session, or the
// session has ended.
func (v *server) serve(ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-v.session.Died():
			cancel()
		case <-ctx.Done():
		}
		_ = v.listener.Close()
	}()
	var guests sync.WaitGroup
	defer guests.Wait()
	for {
		conn, err := v.listener.AcceptUnix()
		if err != nil {
			return
		}
		if !sameUser(conn) || !v.idle.enter() {
			_ = conn.Close()
			continue
		}
		g := &guest{server: v, control: wireOf(conn), pid: peer(conn), stop: stop, workers: map[int]*Worker{}}
		guests.Go(func() { g.serve(ctx) })
	}
}

// guest is one connection of a command to the session.
type guest struct {
	server  *server
	control *wire
	pid     int
	stop    func()

	worked bool // only read and written by serve

	mu      sync.Mutex
	gone    bool
	workers map[int]*Worker
}

// serve answers the guest until it hangs up. Workers do not outlive it.
func (g *guest) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hangUp := context.AfterFunc(ctx, g.control.close)
	defer hangUp()
	defer g.control.close()
	defer func() {
		g.leave()
		g.server.idle.leave(g.worked)
	}()
	for {
		m, files, _, err := g.control.read()
		if err != nil {
			return
		}
		switch m.Op {
		case opAttach:
			info := g.server.session.Info()
			g.answer(message{Op: opReady, Info: &info})
		case opWorker:
			g.worked = true
			g.startWorker(ctx, m, files)
		case opKill:
			g.mu.Lock()
			w := g.workers[m.Seq]
			g.mu.Unlock()
			if w != nil {
				w.Kill()
			}
		case opScreenshot:
			g.worked = true
			go g.reply(ctx, m, func(ctx context.Context, r *message) error {
				return g.server.session.Screenshot(ctx, m.Path)
			})
		case opProbe:
			go g.reply(ctx, m, func(ctx context.Context, r *message) error {
				r.User = g.server.user()
				var err error
				r.Health, err = g.server.session.Probe(ctx)
				return err
			})
		case opClose:
			g.stop()
		}
		closeAll(files)
	}
}

// reply answers a request within the time that it gives.
func (g *guest) reply(ctx context.Context, m message, do func(context.Context, *message) error) {
	ctx, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	r := message{Op: opReply, Seq: m.Seq}
	if err := do(ctx, &r); err != nil {
		r.Error = err.Error()
	}
	g.answer(r)
}

// answer sends to the guest. Where that fails it has gone, which read tells.
func (g *guest) answer(m message) { _ = g.control.write(m) }

func (g *guest) startWorker(ctx context.Context, m message, files []*os.File) {
	spec := WorkerSpec{Args: m.Args, Env: m.Env}
	if len(files) > 0 {
		spec.Events = files[0]
	}
	g.reply(ctx, m, func(ctx context.Context, _ *message) error {
		if m.HasEvents && spec.Events == nil {
			return errors.New("the worker's event pipe did not arrive")
		}
		if !m.Aside {
			if err := g.server.enter(ctx, g); err != nil {
				return err
			}
		}
		w, err := g.server.session.RunWorker(ctx, spec)
		if err != nil {
			if !m.Aside {
				g.server.exit(g)
			}
			return err
		}
		g.mu.Lock()
		g.workers[m.Seq] = w
		g.mu.Unlock()
		go g.await(m.Seq, w, m.Aside)
		return nil
	})
}

// await tells the guest of its worker's end.
func (g *guest) await(seq int, w *Worker, aside bool) {
	exit, err := w.Wait(context.Background())
	g.mu.Lock()
	delete(g.workers, seq)
	g.mu.Unlock()
	if !aside {
		g.server.exit(g)
	}
	if err == nil {
		g.answer(message{Op: opExited, Seq: seq, Exit: &exit})
	}
}

// leave ends the guest's workers.
func (g *guest) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = true
	for _, w := range g.workers {
		w.Kill()
	}
}

// enter makes the guest the one whose worker runs. It waits for the end of a
// worker whose command has gone; a command that is there is an error.
func (v *server) enter(ctx context.Context, g *guest) error {
	for {
		v.mu.Lock()
		other, free := v.guest, v.free
		if other == nil {
			v.guest, v.free = g, make(chan struct{})
			v.mu.Unlock()
			return nil
		}
		v.mu.Unlock()
		if !other.left() {
			return fmt.Errorf("the session is in use by process %d", other.pid)
		}
		select {
		case <-free:
		case <-ctx.Done():
			return fmt.Errorf("the worker of process %d, which has gone, does not end: %w", other.pid, context.Cause(ctx))
		}
	}
}

func (g *guest) left() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone
}

func (v *server) exit(g *guest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.guest == g {
		v.guest = nil
		close(v.free)
	}
}

// user is the process whose worker runs, 0 for none.
func (v *server) user() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.guest == nil {
		return 0
	}
	return v.guest.pid
}

// peer is the process at the other end; sameUser tells whether it is our own
// user's.
func peer(conn *net.UnixConn) int {
	if cred := credentials(conn); cred != nil {
		return int(cred.Pid)
	}
	return 0
}

func sameUser(conn *net.UnixConn) bool {
	cred := credentials(conn)
	return cred != nil && int(cred.Uid) == os.Geteuid()
}

func credentials(conn *net.UnixConn) (cred *unix.Ucred) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil
	}
	if raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}) != nil || err != nil {
		return nil
	}
	return cred
}
