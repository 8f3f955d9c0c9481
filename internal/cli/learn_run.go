package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/policy"
	"github.com/opendesk/opendesk/suites"
	"github.com/spf13/cobra"
)

// learnRunSuite is what results call a run of learn run: no suite of programs.
const learnRunSuite = "learn-run"

// learnRunOptions are the flags of learn run.
type learnRunOptions struct {
	run     runOptions // project, output, geometry, isolation, timeout scale
	session string
	startAt string
	only    string
	json    bool
}

func newLearnRun(st *State) *cobra.Command {
	o := learnRunOptions{run: runOptions{repeat: 1, order: "file"}}
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run one program; when it fails, say what is needed to mend it",
		Long: `Runs a task's program without a model. Without --session it runs in a display
session of its own, which ends with it; with --session in one that 'opendesk
session start' has started, where what it opens stays open.

When a step fails, the run stops there, and what somebody needs who finishes the
task and mends the program is printed: the failed step, the reason, the closest
elements, the steps that remain, the procedure, and a command that may mend it.
The screenshot and results.json are in the run's folder.

--start-at goes on from a step, --only runs a single one: both need a session in
which the steps before have been done.

Exit codes: 0 passed, 1 the program failed, 2 wrong usage, or there is no such
task, session or step, or the program is not valid, 3 the environment broke,
130 interrupted.
`,
		Example: `  opendesk learn run export-report
  opendesk learn run export-report --session desk
  opendesk learn run export-report --session desk --start-at s3
  opendesk learn run export-report --session desk --only s3 --json`,
		Args: oneTask(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return (&taskOptions{json: o.json}).ends(st, o.execute(cmd.Context(), st, args[0], cmd.Flags().Changed))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.run.project, "project", ".", "the project's folder")
	f.StringVar(&o.run.output, "output", "", "the run's folder (default .opendesk/eval/runs/<run id>)")
	f.StringVar(&o.session, "session", "", "run in this session (see 'opendesk session start')")
	f.StringVar(&o.run.display, "display", virtual, displayUsage)
	f.StringVar(&o.startAt, "start-at", "", "begin at the step with this id")
	f.StringVar(&o.only, "only", "", "run the step with this id and no other")
	f.StringVar(&o.run.geometry, "geometry", "", "without --session: the display's size, WIDTHxHEIGHT[xDEPTH] (default 1280x800x24)")
	f.StringVar(&o.run.isolation, "isolation", "auto", "without --session: how the session is isolated: auto, bwrap or none")
	f.Float64Var(&o.run.timeoutScale, "timeout-scale", 1, "multiplies every timeout, for slow machines")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	cmd.MarkFlagsMutuallyExclusive("start-at", "only")
	cmd.MarkFlagsMutuallyExclusive("session", "display")
	cmd.MarkFlagsMutuallyExclusive("session", "geometry")
	cmd.MarkFlagsMutuallyExclusive("session", "isolation")
	return cmd
}

func (o *learnRunOptions) execute(ctx context.Context, st *State, name string, given func(string) bool) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	p, err := inspectedProject(o.run.project, true)
	if err != nil {
		return err
	}
	if err := o.run.settle(p, given); err != nil {
		return err
	}
	task, prog, err := o.load(newScriptChecks(ctx, p.Config), st, name)
	if err != nil {
		return err
	}
	if lacks := buildLacks(); lacks != "" {
		return &exit{exitInternal, fmt.Errorf("this build cannot run programs: %s", lacks)}
	}
	executable, err := os.Executable()
	if err != nil {
		return &exit{exitInternal, err}
	}
	if err := o.run.takeDisplay(ctx, st); err != nil {
		return err
	}
	var work policy.Work
	o.run.kind, work = o.onBehalf()
	defer func() { err = errors.Join(err, o.run.real.release()) }()
	r := &learnRun{
		evaluation: newRun(st, p, &o.run, learnRunSuite), options: o, task: task,
		item: harness.Item{
			Path: prog.Path, File: fromHere(task.ProgramFile()), Program: prog,
			Settings: p.Config.Settings(suites.Names(prog.Path)),
		},
	}
	r.strict = policy.Strict(o.run.kind, work, prog.Strict)
	if o.only+o.startAt != "" {
		r.item.Settings.Setup.Apps = nil // what there was to be before the first step has been
	}
	if o.session == "" {
		if err := r.possible(ctx, r.commonSession(executable)); err != nil {
			return err
		}
		sweepSessions(st)
	} else if r.guest, err = newGuest(ctx, st, o.session); err != nil {
		return sessionEnds(st, false, err)
	}
	if r.guest != nil && r.guest.notes.Project != p.Dir {
		fmt.Fprintf(st.Stderr, "opendesk: session %s was started with the settings of %s; files of this project may be out of its sight\n",
			o.session, fromHere(r.guest.notes.Project))
	}
	return r.execute(ctx, executable)
}

// onBehalf says who runs it and what that is: single steps in a session are a
// builder's.
func (o *learnRunOptions) onBehalf() (policy.Kind, policy.Work) {
	if o.only+o.startAt != "" {
		return policy.Builder, policy.Step
	}
	return policy.Run, policy.Execute
}

// check says what cannot be had of the flags.
func (o *learnRunOptions) check() error {
	switch {
	case o.startAt != "" && o.session == "":
		return usage("--start-at needs a session in which the steps before have been done: give --session (see 'opendesk session start')")
	case o.only != "" && o.session == "":
		return usage("--only needs a session in which the steps before have been done: give --session (see 'opendesk session start')")
	}
	return nil
}

// load finds the task and reads its program.
func (o *learnRunOptions) load(scripts *scriptChecks, st *State, name string) (learn.Task, *program.Program, error) {
	task, err := (&taskOptions{project: o.run.project}).find(name)
	if err != nil {
		return task, nil, err
	}
	if !task.HasProgram {
		return task, nil, noProgram(task)
	}
	prog, problems := scripts.load(task.ProgramFile(), fromHere(task.ProgramFile()))
	scripts.warn(st)
	if prog == nil {
		return task, nil, &program.InvalidError{What: "the program", Problems: problems}
	}
	prog.Path = task.ProgramPath()
	var ids []string
	for _, s := range prog.Steps {
		ids = append(ids, s.ID)
	}
	for flag, id := range map[string]string{"--start-at": o.startAt, "--only": o.only} {
		if id != "" && !slices.Contains(ids, id) {
			return task, nil, usage("%s: %s has no step %q (it has %s)", flag, said(task.Name), id, strings.Join(ids, ", "))
		}
	}
	return task, prog, nil
}

// learnRun is one run of one program.
type learnRun struct {
	*evaluation
	options *learnRunOptions
	task    learn.Task
	item    harness.Item
	guest   *guest // nil for a session of its own
	// strict says that the learned folder is to be as it was when the run ends.
	strict bool
}

// execute runs the program and says what came of it.
func (r *learnRun) execute(ctx context.Context, executable string) (err error) {
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return &exit{exitInternal, err}
	}
	events, err := r.makeFolder()
	if err != nil {
		return &exit{exitInternal, err}
	}
	actions, err := newAuditFile(r.dir)
	if err != nil {
		return &exit{exitInternal, errors.Join(err, events.Close())}
	}
	var lessor harness.Leaser = r.guest
	if r.guest == nil {
		spools, err := os.MkdirTemp("", "opendesk-learn-")
		if err != nil {
			return &exit{exitInternal, errors.Join(err, events.Close(), actions.Close())}
		}
		defer func() { err = errors.Join(err, os.RemoveAll(spools)) }()
		lessor = r.leaser(executable, spools)
	}
	manager, err := reporters.NewManager([]string{"json"}, reporters.Env{Stdout: r.st.Stdout, RunDir: r.dir, WorkDir: r.dir})
	if err != nil {
		return &exit{exitInternal, errors.Join(err, events.Close(), actions.Close())}
	}
	var review func(*results.Run) harness.Review
	if r.strict {
		review = r.watchLearned(nil)
	}
	log := results.NewEventWriter(events)
	ctx, stop, cancel := r.st.twoStages(ctx)
	defer cancel()
	run, err := harness.Run(ctx, r.start, harness.Plan{Items: []harness.Item{r.item}}, harness.Options{
		Stop: stop, Review: review,
		Workers: 1, Leaser: lessor, Launcher: r.launcher(actions),
		Sink: func(ev results.Event) error {
			if err := log.Write(&ev); err != nil {
				return fmt.Errorf("write events.ndjson: %w", err)
			}
			manager.Event(ev)
			r.progress(ev)
			return nil
		},
	})
	err = errors.Join(err, events.Close(), actions.Close(), manager.Finish(run))
	if err == nil {
		err = r.report(run)
	}
	code := run.ExitCode
	if err != nil {
		if code == results.ExitPassed || code == results.ExitInvalid {
			code = exitInternal
		}
		return &exit{code, err}
	}
	if code != 0 {
		return &exit{code: code}
	}
	return nil
}

func (r *learnRun) launcher(actions *auditFile) *worker.Launcher {
	return &worker.Launcher{
		RunDir: r.dir, Apps: r.project.Config.Apps, OCRLanguages: r.project.Config.OCR.Languages,
		TimeoutScale: r.evaluation.options.timeoutScale, Procedure: r.procedure,
		Archive: r.evaluation.project.Dir, Scripts: r.evaluation.project.Config.Scripts,
		Project: r.evaluation.options.project, Only: r.options.only, StartAt: r.options.startAt, Audit: actions.keep,
		Getenv: r.st.Getenv,
	}
}

// procedure reads the task's procedure.
func (r *learnRun) procedure(*program.Program) json.RawMessage {
	data := program.Procedure(r.task.ProgramFile())
	if !json.Valid(data) {
		return nil
	}
	return data
}

// guest is a named session that programs run in. It hands itself out as often
// as it is asked for.
type guest struct {
	st    *State
	name  string
	notes sessionNotes
	// folder is the session's own.
	folder string
}

func newGuest(ctx context.Context, st *State, name string) (*guest, error) {
	s, n, err := session.Attach(ctx, name)
	if err != nil {
		return nil, err
	}
	notes, err := notesOf(*n)
	return &guest{st: st, name: name, notes: notes, folder: n.Folder()}, errors.Join(err, s.Close(ctx))
}

// Kind names the session; see harness.Leaser.
func (g *guest) Kind(harness.Item) string { return g.name }

// Lease attaches to the session, and waits until no other command works in it;
// see harness.Leaser.
func (g *guest) Lease(ctx context.Context, _ harness.Item) (harness.Session, *results.Failure) {
	refused := func(err error) *results.Failure {
		return &results.Failure{Kind: results.SessionNotStarted, Reason: err.Error()}
	}
	s, n, err := session.Attach(ctx, g.name)
	if err != nil {
		return nil, refused(err)
	}
	over, err := g.turn(ctx, s, n)
	if err != nil {
		return nil, refused(errors.Join(err, s.Close(ctx)))
	}
	spool, err := os.MkdirTemp(s.Info().Spool, "run-")
	if err != nil {
		over()
		return nil, refused(errors.Join(err, s.Close(ctx)))
	}
	return &guestLease{lease: &lease{session: s, spool: spool}, notes: g.notes, over: over}, nil
}

// turn waits for the session to be free, and says so.
func (g *guest) turn(ctx context.Context, s *session.Session, n *session.Named) (over func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.Died():
			cancel(errors.New(s.HostExit()))
		case <-ctx.Done():
		}
	}()
	return session.TakeTurn(ctx, n, func() {
		fmt.Fprintf(g.st.Stderr, "opendesk: session %s is in use by another command: waiting for it to end\n", g.name)
	})
}

// guestLease is a lease of a session that goes on when it is returned.
type guestLease struct {
	*lease
	notes sessionNotes
	over  func()
}

// Return lets the next command have the session.
func (l *guestLease) Return(ctx context.Context) error {
	defer l.over()
	return l.lease.Return(ctx)
}

var _ worker.Host = (*guestLease)(nil)

// Fill completes a job with what the session knows.
func (l *guestLease) Fill(job *worker.Job) {
	l.lease.Fill(job)
	job.Guard, job.Lasting = l.notes.Guard, true
}
