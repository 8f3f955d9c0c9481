package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// startPatience is how long a sandbox may take to be there: on a starved machine
// that can be long.
const startPatience = 20 * time.Second

// endPatience is how long the starter of sandboxes may take to tell that one
// has ended which was killed.
const endPatience = 15 * time.Second

// Run runs a script; see Runner.
func (s Sandbox) Run(ctx context.Context, job Job) (Outcome, error) {
	outcome, err := s.attempt(ctx, job, false)
	var unavailable *UnavailableError
	if errors.As(err, &unavailable) && strings.Contains(unavailable.Reason, "proc") && ctx.Err() == nil {
		// In some containers no /proc can be mounted. Scripts hardly need it.
		if again, failed := s.attempt(ctx, job, true); failed == nil {
			return again, nil
		}
	}
	return outcome, err
}

func (s Sandbox) attempt(ctx context.Context, job Job, noProc bool) (Outcome, error) {
	if job.Interpreter == "" {
		job.Interpreter = DefaultInterpreter
	}
	job.Limits = job.Limits.withDefaults()
	starter := s.Starter
	if starter == nil {
		starter = Local{}
	}
	r := &run{job: job}
	theirs, err := r.open()
	defer r.close()
	if err != nil {
		closeFiles(theirs)
		return Outcome{}, err
	}
	order := Order{
		Interpreter: job.Interpreter, Code: job.Code, File: job.File, Args: job.Args, Archive: job.Archive,
		Hidden: job.Hidden, Modules: slices.Sorted(maps.Keys(job.Modules)), Limits: job.Limits, NoProc: noProc,
	}
	process, err := starter.Start(ctx, order, theirs)
	closeFiles(theirs)
	if err != nil {
		return Outcome{}, err
	}
	return r.follow(ctx, process)
}

// run is one script that runs.
type run struct {
	job            Job
	stdout, stderr *os.File
	tools, reports *net.UnixConn
	outputs        [2]output
	printed        atomic.Int64
	told           reports
	work           *os.File // the work folder, nil before it was handed over
	pipe           toolPipe
	readers        sync.WaitGroup
}

// Why a script was ended.
var (
	errTime   = errors.New(LimitTime)
	errOutput = errors.New(LimitOutput)
)

// follow waits for the script and puts together what came of it.
func (r *run) follow(ctx context.Context, process Process) (Outcome, error) {
	running, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(running, process.Kill)
	defer stop()
	r.outputs = [2]output{{max: MaxStdout, keep: MaxOutput}, {max: MaxStderr}}
	tooMuch := func() { end(errOutput) }
	for i, f := range []*os.File{r.stdout, r.stderr} {
		r.readers.Go(func() { r.outputs[i].drain(f, &r.printed, r.job.Limits.Output, tooMuch) })
	}
	began := make(chan time.Time, 1)
	r.readers.Go(func() { r.listen(began) })
	exited := make(chan ending, 1)
	go func() {
		exit, err := process.Wait(context.WithoutCancel(ctx))
		exited <- ending{exit, err, time.Now()}
	}()
	started, last, err := r.await(running, began, exited, end)
	if err != nil {
		return Outcome{}, err
	}
	r.finish()
	switch {
	case ctx.Err() != nil:
		return Outcome{}, context.Cause(ctx)
	case last.err != nil:
		return Outcome{}, last.err
	case started.IsZero() && last.exit.Limit == "":
		return Outcome{}, r.neverBegan(last)
	case started.IsZero(): // the limits are too low for Python itself
		started = last.at
	}
	return r.outcome(last, started, context.Cause(running)), nil
}

// ending is the end of a sandbox.
type ending struct {
	exit Exit
	err  error
	at   time.Time
}

// await waits for the end, and ends the script when its time is over. What is
// to be waited for after a kill has a bound.
func (r *run) await(running context.Context, began <-chan time.Time, exited <-chan ending, end context.CancelCauseFunc) (started time.Time, last ending, err error) {
	timer := time.NewTimer(startPatience)
	defer timer.Stop()
	killed := running.Done()
	var serving sync.WaitGroup
	defer serving.Wait()
	defer r.tools.Close() //nolint:errcheck // the pipe's other end has gone
	for {
		select {
		case started = <-began:
			began = nil
			timer.Reset(r.job.Limits.Time)
			r.pipe = toolPipe{conn: r.tools, handle: r.job.Handle, limit: r.job.Limits.Calls}
			serving.Go(func() { r.pipe.serve(running) })
		case last = <-exited:
			end(nil)
			return started, last, nil
		case <-timer.C:
			if killed == nil {
				return started, last, errors.New("the sandbox of a script does not end")
			}
			end(errTime)
		case <-killed:
			killed = nil
			timer.Reset(endPatience)
		}
	}
}

// finish waits for the rest of what was printed and told: the ends of the pipes
// have come with the end of the last process.
func (r *run) finish() {
	deadline := time.Now().Add(endPatience) // on a starved machine nothing may be lost
	_ = r.stdout.SetReadDeadline(deadline)
	_ = r.stderr.SetReadDeadline(deadline)
	_ = r.reports.SetReadDeadline(deadline)
	r.readers.Wait()
}

// neverBegan says why a script did not begin.
func (r *run) neverBegan(last ending) error {
	words, _ := r.outputs[1].text()
	words = strings.TrimSpace(words)
	if words == "" {
		words = fmt.Sprintf("it ended with exit code %d before the script began", last.exit.Code)
	}
	line, _, _ := strings.Cut(words, "\n")
	if reason, ofBwrap := strings.CutPrefix(line, "bwrap: "); ofBwrap {
		return &UnavailableError{Reason: "bwrap cannot make the sandbox for scripts: " + reason, Fix: fixSandbox()}
	}
	return &UnavailableError{Reason: "the sandbox for scripts does not start: " + lastLine(words), Fix: fixSandbox()}
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// fixSandbox is what to do where bwrap is there and can make no sandbox.
func fixSandbox() string {
	restricted, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	if err == nil && strings.TrimSpace(string(restricted)) == "1" && os.Geteuid() != 0 {
		return "AppArmor restricts user namespaces: 'opendesk doctor' has the command that loads ci/apparmor/opendesk-bwrap"
	}
	return "'opendesk doctor' tells what bwrap needs; in a container it needs the right to make namespaces"
}

// outcome puts together what is known.
func (r *run) outcome(last ending, started time.Time, cause error) Outcome {
	o := Outcome{
		ExitCode: last.exit.Code, Calls: r.pipe.calls, Took: last.at.Sub(started), CPU: last.exit.CPU,
		MemoryPeak: max(last.exit.MemoryPeak, r.told.memory), Audit: r.told.seen(), AuditLeft: r.told.left, Sandbox: last.exit.Sandbox,
		Limit: last.exit.Limit,
	}
	o.Stdout, o.StdoutCut = r.outputs[0].text()
	o.Stderr, o.StderrCut = r.outputs[1].text()
	o.Output, o.OutputLost = r.outputs[0].whole, r.outputs[0].lost
	if f := r.told.failure; f != nil {
		o.Error, o.Traceback = f.Line, f.Traceback
	}
	if r.work != nil {
		o.Files, o.FilesLeft = collect(r.work)
	}
	switch {
	case errors.Is(cause, errTime):
		o.ExitCode, o.Limit = ExitTimeout, LimitTime
	case errors.Is(cause, errOutput):
		o.Limit = LimitOutput
	case o.Limit == "":
		o.Limit = ranInto(r.told.failure, o.Audit, o.ExitCode)
	}
	if o.Limit == "" && o.ExitCode != 0 && r.pipe.over {
		o.Limit = LimitCalls
	}
	o.Advice = advise(o.Limit, r.job.Limits)
	if o.ExitCode > 128 {
		o.Signal = signalName(o.ExitCode - 128)
	}
	return o
}

func signalName(number int) string {
	if number <= 0 || number > 64 {
		return ""
	}
	return unix.Signal(number).String()
}
