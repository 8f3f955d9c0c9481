package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Defaults of Options.
const (
	DefaultGeometry     = "1280x800x24"
	DefaultLocale       = "C.UTF-8"
	DefaultTimezone     = "UTC"
	DefaultStartTimeout = 20 * time.Second
	// DefaultProcesses is far above what applications need, and ends one that
	// starts processes without end.
	DefaultProcesses = 4096
)

// hostMargin is how much earlier than the parent the host gives up, so that
// its better answer arrives first.
const hostMargin = 500 * time.Millisecond

var (
	validID       = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	validGeometry = regexp.MustCompile(`^[1-9][0-9]{1,4}x[1-9][0-9]{1,4}x(8|15|16|24|30)$`)
)

// Start starts a session and returns when every part of it answers. The error
// is a *StartError; nothing is left of a session that did not start.
func Start(ctx context.Context, o Options) (*Session, error) {
	began := time.Now()
	o, err := withDefaults(o)
	if err != nil {
		return nil, &StartError{Part: PartHost, Reason: err.Error(), cause: err}
	}
	path := os.Getenv("PATH")
	box := sandbox{mode: None}
	if o.Adopt == nil {
		if box, err = decideIsolation(o, path, trial(o.Network), aloneWorks); err != nil {
			return nil, asStartError(err)
		}
	}
	f, err := newFolder(o, box.mode)
	if err != nil {
		return nil, asStartError(err)
	}
	s, err := launch(began, o, box, f, path)
	if err != nil {
		f.unlock()
		return nil, asStartError(errors.Join(err, removeGroups(groupsOf(f.groups), killGrace), removeAll(f.dir)))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.StartTimeout-time.Since(began), errStartTimeout)
	defer cancel()
	if err := s.awaitReady(ctx); err != nil {
		gone, cancel := context.WithCancel(context.Background())
		if errors.Is(err, errStartTimeout) || ctx.Err() != nil {
			cancel() // the host is not to be waited for
		}
		_ = s.Close(gone)
		cancel()
		return nil, err
	}
	s.info.StartTook = time.Since(began)
	return s, nil
}

// Possible says why no session with these options can be started here, as far
// as that can be told without starting one. The error is a *StartError.
func Possible(o Options) error {
	o, err := withDefaults(o)
	if err == nil {
		_, err = decideIsolation(o, os.Getenv("PATH"), trial(o.Network), aloneWorks)
	}
	if err != nil {
		return asStartError(err)
	}
	return nil
}

var errStartTimeout = errors.New("no answer in time")

func asStartError(err error) *StartError {
	var se *StartError
	if errors.As(err, &se) {
		return se
	}
	return &StartError{Part: PartHost, Reason: err.Error(), cause: err}
}

// withDefaults fills in and checks the options.
func withDefaults(o Options) (Options, error) {
	setDefault(&o.Geometry, DefaultGeometry)
	setDefault(&o.Isolation, Auto)
	setDefault(&o.Locale, DefaultLocale)
	setDefault(&o.Timezone, DefaultTimezone)
	setDefault(&o.Network, NetworkHost)
	setDefault(&o.TempDir, os.TempDir())
	if o.Limits.Processes == 0 && o.Adopt == nil {
		o.Limits.Processes = DefaultProcesses
	}
	setDefault(&o.ID, strings.ToLower(rand.Text()[:12]))
	if o.StartTimeout <= 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	switch o.Isolation {
	case Auto, Bwrap, None:
	default:
		return o, fmt.Errorf("isolation %q is unknown (auto, bwrap, none)", o.Isolation)
	}
	if o.Network != NetworkHost && o.Network != NetworkNone {
		return o, fmt.Errorf("network %q is unknown (host, none)", o.Network)
	}
	if !validGeometry.MatchString(o.Geometry) {
		return o, fmt.Errorf("geometry %q is not WIDTHxHEIGHTxDEPTH, such as %s", o.Geometry, DefaultGeometry)
	}
	if !validID.MatchString(o.ID) {
		return o, fmt.Errorf("session id %q: letters, digits, '-', '_' and '.' only, at most 64", o.ID)
	}
	if !filepath.IsAbs(o.Executable) {
		return o, fmt.Errorf("executable %q is not an absolute path", o.Executable)
	}
	if o.Spool != "" && !filepath.IsAbs(o.Spool) {
		return o, fmt.Errorf("spool folder %q is not an absolute path", o.Spool)
	}
	var err error
	// One name for the folder everywhere, sandbox included.
	if o.TempDir, err = filepath.Abs(o.TempDir); err == nil {
		if o.TempDir, err = filepath.EvalSymlinks(o.TempDir); err != nil {
			err = fmt.Errorf("the folder for temporary files (TMPDIR) cannot be used: %w", err)
		}
	}
	return o, err
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// launched counts the sessions of this process, to spread display numbers.
var launched atomic.Int32

// firstDisplay is the display number that the next session tries first: above
// those that servers started by hand take, and apart from other processes'.
func firstDisplay() int {
	return 100 + (os.Getpid()*16+int(launched.Add(1)))%8000
}

// launch starts the keeper, which starts the host, and sends it the setup.
func launch(began time.Time, o Options, box sandbox, f *folder, path string) (*Session, error) {
	info := Info{
		ID: o.ID, Geometry: o.Geometry, Isolation: box.mode, IsolationReason: box.reason, UID: os.Getuid(),
		SessionBus: sessionBusOf(f.dir), Home: homeOf(f.dir), RuntimeDir: runtimeDirOf(f.dir), Dir: f.dir,
		Spool: o.Spool,
		Env:   baseEnvironment(o, f.dir, path, userName()),
	}
	if o.Adopt == nil {
		info.Limits = f.makeGroups(o, box.mode)
		info.Groups = groupsOf(f.groups)
	}
	hostCommand := append([]string{o.Executable}, o.HostArgs...)
	var command []string
	extra := []*os.File{}
	if o.Adopt != nil {
		info.Adopted, info.Display, info.SessionBus = true, o.Adopt.Display, o.Adopt.SessionBus
		info.Env, command = adoptedEnvironment(o, f.dir), hostCommand
		if home := valueOf(info.Env, "HOME"); exists(home) {
			info.Home = home
		}
		if o.Adopt.Lock != nil {
			extra = append(extra, o.Adopt.Lock)
		}
	}
	if box.mode == Bwrap {
		args, err := sandboxArgs(o, f.dir, path)
		if err != nil {
			return nil, err
		}
		hostCommand = append(append([]string{box.bwrap}, args...), hostCommand...)
	}
	visible := slices.Concat(readablePaths(o, path), []string{f.dir})
	if o.Spool != "" {
		visible = append(visible, o.Spool)
	}
	order, err := json.Marshal(keeperOrder{Command: hostCommand, Dir: f.dir, Isolation: box.mode, Groups: info.Groups, Alone: box.alone, Readable: visible})
	if err != nil {
		return nil, err
	}
	control, hostEnd, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer func() { _ = hostEnd.Close() }()
	lifeRead, lifeWrite, err := os.Pipe()
	if err != nil {
		control.close()
		return nil, err
	}
	defer func() { _ = lifeRead.Close() }()
	log := newTail(MaxOutput, o.Log)
	keeper := exec.Command(o.Executable, o.HostArgs...)
	keeper.Env = append(mergeEnvironment(info.Env, nil), keeperVariable+"="+string(order))
	keeper.Dir = f.dir
	keeper.Stdout, keeper.Stderr = log, log
	keeper.WaitDelay = 200 * time.Millisecond
	keeper.ExtraFiles = append([]*os.File{hostEnd, lifeRead, f.lock}, extra...)
	// Away from the terminal: an interrupt is for the parent to act on.
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := keeper.Start(); err != nil {
		control.close()
		_ = lifeWrite.Close()
		return nil, fmt.Errorf("start the session host: %w", err)
	}
	s := newSession(info, f, control, lifeWrite, keeper, log)
	// A failure shows as the end of the socket, with the host's own words.
	_ = control.write(message{Op: opSetup, Setup: &setup{
		Info: info, Executable: o.Executable, FirstDisplay: firstDisplay(), PutBack: command,
		Deadline: began.Add(max(o.StartTimeout-hostMargin, o.StartTimeout/2)),
	}})
	return s, nil
}

// awaitReady waits for the host's first word.
func (s *Session) awaitReady(ctx context.Context) error {
	select {
	case m := <-s.first:
		return s.begin(m)
	case <-s.hungUp:
		select {
		case m := <-s.first: // its last word, too
			return s.begin(m)
		default:
		}
		<-s.died
		e := &StartError{Part: PartHost, Reason: "the session host ended before it was ready: " + s.HostExit(), Output: s.log.String()}
		if last := lastLine(e.Output); last != "" {
			e.Reason += ": " + last
		}
		if s.info.Isolation == Bwrap && strings.Contains(e.Output, "bwrap: ") {
			e.Part, e.Reason, e.Hint = PartIsolation, "bwrap could not make the sandbox", isolationHint()
		}
		return e
	case <-ctx.Done():
		cause := context.Cause(ctx)
		return &StartError{Part: PartHost, Reason: "the session host did not get ready: " + cause.Error(), Output: s.log.String(), cause: cause}
	}
}

// lastLine is the last line of an output that is not blank, "" for none.
func lastLine(output string) string {
	output = strings.TrimSpace(output)
	return strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:])
}

// begin takes over what the host found out, or gives its error.
func (s *Session) begin(m message) error {
	if m.Failed != nil {
		return m.Failed
	}
	s.info.Display, s.info.A11yBus, s.info.Env = m.Info.Display, m.Info.A11yBus, m.Info.Env
	s.info.HostPID = m.Info.HostPID
	return nil
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}
