package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
	"github.com/opendesk/opendesk/runner/secrets"
)

// Host is a session as the launcher needs it: a host that forks workers.
type Host interface {
	harness.Session
	// Fill completes the job with what the session knows: its addresses, the
	// apps' environment, the folders.
	Fill(job *Job)
	// Start starts a worker with these arguments, and with these KEY=VALUE
	// pairs on top of the session's environment; it writes to the pipe.
	Start(ctx context.Context, args, env []string, events *os.File) (Process, error)
	// Probe and Screenshot are the host's, for when the worker cannot.
	Probe(ctx context.Context) (desktop.Health, error)
	Screenshot(ctx context.Context, path string) error
	// Reached says which limits of the session have been run into so far.
	Reached() []ReachedLimit
	// Ended says how the host ended, "" while it lives.
	Ended() string
}

// Process is a worker process.
type Process interface {
	// Wait says how it ended: "" for exit status 0, and the end of its output.
	Wait(ctx context.Context) (how, output string, err error)
	Kill()
}

// Launcher runs attempts as worker processes.
type Launcher struct {
	// RunDir is the run's folder, for artifacts.
	RunDir string
	// Apps, OCRLanguages and TimeoutScale are the project's.
	Apps         map[string][]string
	OCRLanguages []string
	TimeoutScale float64
	// Project is the project's folder as suggested commands should name it; ""
	// where they are to be run in it.
	Project string
	// Archive is the project's folder, absolute, for scripts; Scripts is the most
	// that they may ask for, and what of it they do not see.
	Archive string
	Scripts project.Scripts
	// Procedure gives a program's procedure, nil for none.
	Procedure func(*program.Program) json.RawMessage
	// Only and StartAt leave steps out, Watched is for single ones; see
	// runner.Request.
	Only, StartAt string
	Watched       bool
	// Getenv gives the values of programs' variables, "" for one that is not
	// set. Nil has none.
	Getenv func(name string) string
	// Audit keeps an entry for every action, from several attempts at a time.
	// Nil keeps none. What it cannot keep it must tell by itself.
	Audit func(results.AuditEntry)
	// Trace says whether a picture is taken after each step, and kept.
	Trace Trace
	// Video says whether attempts are filmed.
	Video Video
	// pictures are taken by the host of a worker that died.
	pictures bool
	// Tree asks for a file of the accessibility trees at the program's end; see
	// Job.Tree. It comes as an artifact of the attempt, of the kind TreeKind.
	Tree *string
}

// Steps is the program's steps as planned.
func (l *Launcher) Steps(p *program.Program) []results.Step {
	return runner.Plan(runner.Selected(p, l.Only, l.StartAt), l.TimeoutScale)
}

// Launch runs one attempt; see harness.Launcher.
func (l *Launcher) Launch(ctx context.Context, s harness.Session, a harness.Attempt, emit func(results.Event)) *results.Failure {
	hidden, unset := l.secretsOf(a.Program)
	if unset != nil {
		return unset
	}
	masked := *l
	if l.Audit != nil {
		masked.Audit = func(e results.AuditEntry) { l.Audit(hidden.Entry(e)) }
	}
	masked.pictures = hidden == nil // nobody could cover a secret in the host's
	tell := func(e results.Event) { emit(hidden.Event(e)) }
	film := l.film(ctx, s.(Host), a, hidden, tell)
	var verdict *results.Event
	failure := masked.launch(ctx, s.(Host), a, hidden, func(e results.Event) {
		if e.Type == results.EventAttemptFinished {
			verdict = &e // which is the last that is told
			return
		}
		tell(e)
	})
	film.end(ctx, failure == nil && verdict != nil && verdict.Attempt != nil && verdict.Attempt.Status == results.Passed)
	if verdict != nil {
		tell(*verdict)
	}
	return hidden.Failure(failure)
}

func (l *Launcher) launch(ctx context.Context, host Host, a harness.Attempt, hidden *secrets.Secrets,
	emit func(results.Event)) *results.Failure {
	env, err := withSecrets(hidden)
	if err != nil {
		return internal("hand over the variables", err)
	}
	job := &Job{
		Path: a.Program.Path, Source: a.Program.Raw, Attempt: a.Number, Project: l.Project,
		Apps: l.Apps, Setup: a.Settings.Setup.Apps, OCRLanguages: l.OCRLanguages, TimeoutScale: l.TimeoutScale, Tree: l.Tree,
		Only: l.Only, StartAt: l.StartAt, Watched: l.Watched, Trace: l.Trace.taken(),
		Archive: l.Archive, HiddenFromScripts: l.Scripts.Hidden, ScriptCaps: l.Scripts.Caps(),
	}
	if l.Procedure != nil {
		job.Procedure = l.Procedure(a.Program)
	}
	host.Fill(job)
	if job.Code, err = writeCode(job.Spool, a.Program.Code); err != nil {
		return internal("write the program's code", err)
	}
	jobFile := filepath.Join(job.Spool, "job.json")
	if err := job.write(jobFile); err != nil {
		return internal("write the job", err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return internal("make the pipe for events", err)
	}
	defer reader.Close() //nolint:errcheck // read end

	outer := ctx
	budget := l.scaled(a.Settings.Budget)
	if budget > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, budget, errTimeBudget)
		defer cancel()
		ctx = limited
	}
	patience := l.scaled(workerAllowance)
	watch := watchLimits(host)
	starting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	process, err := host.Start(starting, []string{"worker", "--job", jobFile}, env, writer)
	if closing := writer.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return watch.explain(l.fault(ctx, host, a, results.HostCrashed, fmt.Sprintf("the worker could not be started: %v", err), "", emit))
	}
	stop := context.AfterFunc(ctx, func() {
		process.Kill()
		_ = reader.SetReadDeadline(time.Now().Add(killedGrace))
	})
	defer stop()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-a.Stop:
			_ = askToStop(job.Spool) // a worker that cannot be asked comes to its end
		case <-over:
		}
	}()

	pipe := &pipe{launcher: l, attempt: a, spool: spool{dir: job.Spool}, emit: emit, limits: watch}
	pipe.patience = patience + time.Duration(len(job.Setup))*l.scaled(stepAllowance)
	pipe.session = job.SessionID
	readErr := pipe.read(ctx, reader)
	pipe.unaudited(readErr)
	pipe.keepTrace()
	if pipe.finished != nil {
		watch.conclude(pipe.finished.Attempt, emit)
		emit(*pipe.finished)
		l.reap(ctx, process)
		return nil
	}
	if !stop() && errors.Is(context.Cause(ctx), errTimeBudget) && host.Ended() == "" {
		return watch.explain(l.overBudget(outer, host, process, a, budget, emit))
	}
	return watch.explain(watch.blame(l.diagnose(outer, host, process, a, readErr, pipe.patience, emit)))
}

// errTimeBudget ends an attempt that takes longer than its program may.
var errTimeBudget = errors.New("the program's time budget is used up")

// overBudget is the failure of an attempt that was ended since it took too
// long, with the answers that say who is to blame.
func (l *Launcher) overBudget(ctx context.Context, host Host, process Process, a harness.Attempt, budget time.Duration,
	emit func(results.Event)) *results.Failure {
	l.reap(ctx, process)
	return l.fault(ctx, host, a, results.TimeBudgetExceeded,
		fmt.Sprintf("the program took longer than its time budget of %v: it was ended", budget), "", emit)
}

// scaled is a timeout on a machine that is to be given more time.
func (l *Launcher) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(l.TimeoutScale, 1))
}

// killedGrace is how long the pipe may take to end once the worker was killed.
const killedGrace = 2 * time.Second

// Allowances beyond a program's own timeouts: what a worker may take to start,
// and a step at most when every call in it, and in the account of its failure,
// runs into its deadline.
const (
	workerAllowance = 30 * time.Second
	stepAllowance   = 70 * time.Second
)

// budget bounds a step: a worker that tells nothing for so long hangs.
func budget(s program.Step, scale float64) time.Duration {
	timeouts := s.ResolveTimeout + stepAllowance
	if s.Postcondition != nil {
		timeouts += s.Postcondition.Timeout
	}
	if s.Tool == "script" {
		timeouts += time.Duration(s.Number("timeout_ms")) * time.Millisecond
	}
	return s.Wait + s.Pause() + asked(s) + time.Duration(float64(timeouts)*max(scale, 1))
}

// slowestTyping is what typing may come down to, for characters that have to
// be put on the keyboard first.
const slowestTyping = 50 // characters a second

// asked is the time that a step's action asks for.
func asked(s program.Step) time.Duration {
	seconds := s.Number("hold_duration") + s.Number("duration") + float64(len(s.Text("text")))/slowestTyping
	return time.Duration(seconds * float64(time.Second))
}

func internal(what string, err error) *results.Failure {
	return &results.Failure{Kind: results.InternalFault, Reason: fmt.Sprintf("%s: %v", what, err)}
}

// closingGrace is how long a worker may take to end after its verdict.
const closingGrace = 3 * time.Second

// pipe reads what one worker tells.
type pipe struct {
	launcher *Launcher
	attempt  harness.Attempt
	spool    spool
	emit     func(results.Event)
	finished *results.Event
	session  string // its id
	limits   *limits
	// held are the pictures of a trace that a pass would make worthless.
	held []results.Event
	// acting is the step that began and whose action was not told yet.
	acting *program.Step
	// patience is how long the worker may tell nothing: the budget of the
	// step that it is at.
	patience time.Duration
}

// read passes the worker's events on until the pipe ends. A torn last line is
// the end of a worker that died.
func (p *pipe) read(ctx context.Context, r *os.File) error {
	reader := results.NewEventReader(r, "the worker's events")
	for {
		if p.finished == nil {
			_ = r.SetReadDeadline(time.Now().Add(p.patience))
			if ctx.Err() != nil {
				_ = r.SetReadDeadline(time.Now().Add(killedGrace))
			}
		}
		e, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF), p.finished != nil:
			return nil
		case err != nil:
			return err
		}
		e.Seq = 0 // the worker's own count
		switch e.Type {
		case results.EventStepStarted:
			if steps := p.attempt.Program.Steps; e.Step != nil && e.Step.Index >= 0 && e.Step.Index < len(steps) {
				p.patience = budget(steps[e.Step.Index], p.launcher.TimeoutScale)
				p.acting = &steps[e.Step.Index]
			}
			p.emit(e)
		case results.EventAttemptFinished:
			// The verdict is told. What may follow is a remark on closing the
			// desktop; a worker that hangs in that must not hold up the run.
			p.finished = &e
			_ = r.SetReadDeadline(time.Now().Add(closingGrace))
		case results.EventAction:
			if e.Action != nil {
				p.acting = nil
				p.audit(*e.Action)
			}
		case results.EventStepFinished:
			p.acting = nil
			p.limits.explain(e.Step.Failure)
			p.collect(e.Step)
			p.emit(e)
		case results.EventArtifact:
			if p.hold(e) {
				continue
			}
			if e.Artifact != nil {
				e = p.collectOne(e)
			}
			p.emit(e)
		default:
			p.emit(e)
		}
	}
}

// collect moves the step's files to their place. A file that is not what was
// announced is dropped and noted; the verdict stands.
func (p *pipe) collect(s *results.Step) {
	kept := s.Artifacts[:0]
	for _, announced := range s.Artifacts {
		a, err := p.spool.collect(announced, p.launcher.RunDir, p.attempt.ArtifactDir)
		if err != nil {
			s.Notes = append(s.Notes, err.Error())
			a.Name = ""
		} else {
			kept = append(kept, a)
		}
		if s.Failure != nil && s.Failure.SelfHeal != nil && s.Failure.SelfHeal.Screenshot == announced.Name {
			s.Failure.SelfHeal.Screenshot = a.Name
		}
		s.Script.Renamed(announced.Name, a.Name)
	}
	s.Artifacts = kept
}

// collectOne moves a file that belongs to no step to its place.
func (p *pipe) collectOne(e results.Event) results.Event {
	a, err := p.spool.collect(*e.Artifact, p.launcher.RunDir, p.attempt.ArtifactDir)
	if err != nil {
		return results.Event{Type: results.EventWarning, Time: e.Time,
			Warning: &results.Warning{Kind: results.WarnNote, Message: err.Error()}}
	}
	e.Artifact = &a
	return e
}

// reapTimeout bounds a worker that has told everything and does not end.
const reapTimeout = 5 * time.Second

// reap waits for a worker that has told its verdict; one that does not end is
// killed.
func (l *Launcher) reap(ctx context.Context, process Process) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapTimeout)
	defer cancel()
	if _, _, err := process.Wait(ctx); err != nil {
		process.Kill()
	}
}

// diagnose says why a worker gave no verdict.
func (l *Launcher) diagnose(ctx context.Context, host Host, process Process, a harness.Attempt,
	readErr error, patience time.Duration, emit func(results.Event)) *results.Failure {
	process.Kill() // one that closed its pipe and goes on has nothing more to say
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapTimeout)
	defer cancel()
	how, output, err := process.Wait(waiting)
	switch {
	case errors.Is(readErr, os.ErrDeadlineExceeded) && ctx.Err() == nil:
		return l.fault(ctx, host, a, results.BudgetExceeded,
			fmt.Sprintf("the worker told nothing for %v, longer than the step can take: it was stopped", patience), output, emit)
	case host.Ended() != "":
		return l.fault(ctx, host, a, results.HostCrashed, "the session host ended: "+host.Ended(), output, emit)
	case err != nil:
		return l.fault(ctx, host, a, results.HostCrashed, fmt.Sprintf("the session host does not answer: %v", err), output, emit)
	case readErr != nil && how == "":
		return l.fault(ctx, host, a, results.InternalFault, readErr.Error(), output, emit)
	case how == "":
		return l.fault(ctx, host, a, results.InternalFault, "the worker ended without a verdict", output, emit)
	}
	return l.fault(ctx, host, a, results.WorkerCrashed, "the worker ended without a verdict ("+how+")", output, emit)
}

// hostTimeout bounds what the host is asked after a worker died.
const hostTimeout = 10 * time.Second

// fault is a failure outside any step, with the host's probes and picture.
func (l *Launcher) fault(ctx context.Context, host Host, a harness.Attempt, kind results.FailureKind,
	reason, output string, emit func(results.Event)) *results.Failure {
	f := &results.Failure{Kind: kind, Reason: reason}
	if output != "" {
		f.Details = append(f.Details, "its last output: "+output)
	}
	if ctx.Err() != nil {
		return f // somebody waits for the end
	}
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	if health, err := host.Probe(ctx); err == nil {
		for _, p := range health {
			f.Probes = append(f.Probes, results.Probe{Part: string(p.Part), OK: p.OK, Detail: p.Detail, DurationMS: p.Millis})
		}
		if part := health.FirstFault(); part != nil {
			f.Details = append(f.Details, fmt.Sprintf("%s does not answer: %s", part.Part, part.Detail))
		}
	}
	l.picture(ctx, host, a, emit)
	return f
}

// picture has the host take the screenshot that the worker could not take.
func (l *Launcher) picture(ctx context.Context, host Host, a harness.Attempt, emit func(results.Event)) {
	if !l.pictures {
		return
	}
	var job Job
	host.Fill(&job)
	const name = "last-screen.png"
	path := filepath.Join(job.Spool, name)
	if host.Screenshot(ctx, path) != nil {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	files := spool{dir: job.Spool}
	announced, err := files.save("screenshot", name, "image/png", data)
	if err != nil {
		return
	}
	if artifact, err := files.collect(announced, l.RunDir, a.ArtifactDir); err == nil {
		emit(results.Event{Type: results.EventArtifact, Artifact: &artifact})
	}
}
