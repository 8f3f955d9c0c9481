package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// What --display can be, beside the name of a display.
const (
	virtual = "virtual"
	real    = "real"
)

const displayUsage = "virtual, real (the desktop that this command was started on), or :N; on a real one, programs run one at a time and what they change of it is put back"

// isReal tells whether programs are to run on somebody's own display.
func (o *runOptions) isReal() bool { return o.display != "" && o.display != virtual }

// settleReal says what does not go together with somebody's own display.
func (o *runOptions) settleReal(p *project.Project, given func(string) bool) error {
	switch {
	case o.display != real && !strings.Contains(o.display, ":"):
		return usage("--display must be virtual, real or a display such as :0, not %q", o.display)
	case given("workers") && o.workers > 1:
		return usage("--workers %d: on a real display programs run one at a time (leave --workers out)", o.workers)
	case given("geometry"):
		return usage("--geometry: a real display has its own size")
	case given("isolation") && o.isolation != string(session.None):
		return usage("--isolation %s: programs on a real display are not isolated", o.isolation)
	case p.Config.Network == project.NetworkNone:
		return usage("network: none in eval.yaml cannot be kept on a real display")
	}
	o.workers, o.isolation = 1, string(session.None)
	return nil
}

// realDisplay is somebody's own display, locked. Nil is none.
type realDisplay struct {
	name     string
	bus      string
	geometry string
	env      []string
	lock     *session.DisplayLock
}

// takeDisplay locks the display that the programs are to run on, unless that is
// a virtual one, and says why it cannot be had.
func (o *runOptions) takeDisplay(ctx context.Context, st *State) error {
	if !o.isReal() {
		return nil
	}
	d, err := openReal(ctx, st, o.display)
	if err != nil {
		return &exit{exitInternal, fmt.Errorf("--display %s: %w", o.display, err)}
	}
	o.real, o.geometry, o.geometryGiven = d, d.geometry, true
	return nil
}

func openReal(ctx context.Context, st *State, display string) (*realDisplay, error) {
	d := &realDisplay{name: display, bus: st.Getenv("DBUS_SESSION_BUS_ADDRESS"), env: os.Environ()}
	if display == real {
		if st.Getenv("XDG_SESSION_TYPE") == "wayland" && st.Getenv("WAYLAND_DISPLAY") != "" {
			return nil, errors.New("this is a Wayland session, in which no program can see or operate the others: " +
				"log in to an X11 session (GNOME on Xorg, Plasma (X11)), or leave --display out")
		}
		if d.name = st.Getenv("DISPLAY"); d.name == "" {
			return nil, errors.New("DISPLAY is not set: run it from a terminal of the desktop, or give the display's name (--display :0)")
		}
	}
	d.name = plainDisplay(d.name)
	if d.bus == "" {
		d.bus = userBus(st.Getenv("XDG_RUNTIME_DIR"))
	}
	if d.bus == "" {
		return nil, errors.New("DBUS_SESSION_BUS_ADDRESS is not set: run it from a terminal of the desktop")
	}
	x, err := x11.Open(ctx, d.name)
	if err != nil {
		return nil, err
	}
	defer x.Close() //nolint:errcheck // it only asked
	switch xwayland, err := x.Xwayland(ctx); {
	case err != nil:
		return nil, err
	case xwayland:
		return nil, fmt.Errorf("%s is a Wayland session's (Xwayland), in which no program can see or operate the others: "+
			"log in to an X11 session, or leave --display out", d.name)
	}
	size, err := x.Size(ctx)
	if err != nil {
		return nil, err
	}
	d.geometry = fmt.Sprintf("%dx%d", size.Width, size.Height)
	d.lock, err = session.LockDisplay(d.name, strings.Join(append([]string{"opendesk"}, st.Args...), " "))
	return d, err
}

// plainDisplay is the display's name without its screen.
func plainDisplay(name string) string {
	name = strings.TrimPrefix(name, "unix")
	host, number, found := strings.Cut(name, ":")
	if !found {
		return name
	}
	number, _, _ = strings.Cut(number, ".")
	return host + ":" + number
}

// userBus is the address of the session bus in its usual place, "" where there
// is none.
func userBus(runtimeDir string) string {
	socket := runtimeDir + "/bus"
	if info, err := os.Stat(socket); runtimeDir == "" || err != nil || info.Mode()&os.ModeSocket == 0 {
		return ""
	}
	return "unix:path=" + socket
}

// release lets others have the display.
func (d *realDisplay) release() error {
	if d == nil {
		return nil
	}
	return d.lock.Release()
}

// describe tells of the display in the results.
func (d *realDisplay) describe(run *results.Run, p *project.Project) {
	if d == nil {
		return
	}
	if p.HomeSkeleton() != "" {
		run.Notes = append(run.Notes, "eval/home is not copied: applications on a real display have your own home")
	}
	getenv := func(names ...string) string {
		for _, name := range names {
			for _, pair := range d.env {
				if value, is := strings.CutPrefix(pair, name+"="); is && value != "" {
					return value
				}
			}
		}
		return ""
	}
	e := &run.Environment
	e.Display, e.Locale, e.Timezone = d.name, getenv("LC_ALL", "LC_MESSAGES", "LANG"), getenv("TZ")
}

// realSession is the session of a program on somebody's own display.
func (e *evaluation) realSession(executable string) session.Options {
	d := e.options.real
	o := session.Options{
		Adopt:        &session.Adoption{Display: d.name, SessionBus: d.bus, Environment: d.env, Lock: d.lock.File()},
		StartTimeout: time.Duration(e.options.timeoutScale * float64(sessionTimeout)),
		Executable:   executable, HostArgs: []string{"session-host"},
	}
	for _, key := range slices.Sorted(maps.Keys(e.project.Config.Environment)) {
		o.Environment = append(o.Environment, key+"="+e.project.Config.Environment[key])
	}
	if e.options.verbose {
		o.Log = e.st.Stderr
	}
	return o
}

// leaser hands out sessions for the programs of the run.
func (e *evaluation) leaser(executable, spools string) harness.Leaser {
	l := &leaser{options: e.sessionOptions(executable), spools: spools}
	if e.options.real == nil {
		return l
	}
	return &realLeaser{leaser: l, geometry: e.options.real.geometry, turn: make(chan struct{}, 1)}
}

// realLeaser hands out somebody's own display, to one program at a time: whoever
// comes next waits until it is as it was.
type realLeaser struct {
	*leaser
	geometry string
	turn     chan struct{}
}

// Kind is the same for all programs.
func (l *realLeaser) Kind(harness.Item) string { return real }

// Lease takes the display over; see harness.Leaser.
func (l *realLeaser) Lease(ctx context.Context, item harness.Item) (harness.Session, *results.Failure) {
	refused := func(format string, args ...any) *results.Failure {
		return &results.Failure{Kind: results.SessionNotStarted, Reason: fmt.Sprintf(format, args...)}
	}
	if len(item.Settings.Setup.Files) > 0 {
		return nil, refused("setup.files of eval.yaml are for virtual displays: on a real one they would be files of your own home")
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, refused("the session did not start: %v", context.Cause(ctx))
	}
	s, failure := l.leaser.Lease(ctx, item)
	if failure != nil {
		<-l.turn
		return nil, failure
	}
	return &realLease{lease: s.(*lease), geometry: l.geometry, over: func() { <-l.turn }}, nil
}

// realLease is a lease of somebody's own display.
type realLease struct {
	*lease
	geometry string
	over     func()
	once     sync.Once
}

var _ worker.Host = (*realLease)(nil)

// Describe is the session as results show it.
func (l *realLease) Describe() results.Session {
	s := l.lease.Describe()
	s.Geometry = l.geometry
	return s
}

// Fill completes a job with what the session knows. The display bears no mark of
// ours, and what runs on it already is not ours to end.
func (l *realLease) Fill(job *worker.Job) {
	l.lease.Fill(job)
	job.Virtual, job.SessionID = false, ""
	job.AppEnv = nil // the worker has it; there may be secrets in it, and the job is a file
}

// Return puts back what was changed.
func (l *realLease) Return(ctx context.Context) error {
	defer l.once.Do(l.over)
	return l.lease.Return(ctx)
}

// rememberDisplay describes a display before anything of it is changed.
func rememberDisplay(ctx context.Context, display string) (json.RawMessage, error) {
	x, err := x11.Open(ctx, display)
	if err != nil {
		return nil, err
	}
	defer x.Close() //nolint:errcheck // it only asked
	state, err := x.Remember(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(state)
}

// putBackDisplay makes a display like that again.
func putBackDisplay(ctx context.Context, display string, state json.RawMessage) (hold func(context.Context), err error) {
	var was x11.DisplayState
	if err := json.Unmarshal(state, &was); err != nil {
		return nil, err
	}
	x, err := x11.Open(ctx, display)
	if err != nil {
		var fault *desktop.EnvironmentError
		if errors.As(err, &fault) {
			return nil, fmt.Errorf("display %s has gone", display)
		}
		return nil, err
	}
	hold, err = x.PutBack(ctx, &was)
	if hold == nil {
		return nil, errors.Join(err, x.Close())
	}
	return hold, err
}
