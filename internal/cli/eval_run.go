package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/inventory"
	"github.com/opendesk/opendesk/ocr/tess"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/policy"
	"github.com/opendesk/opendesk/suites"
	"github.com/spf13/cobra"
)

func newEvalRun(st *State) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run SUITE",
		Short: "Run a suite over a project and report pass or fail per postcondition",
		Long: `Runs every program that the suite selects, each in a display session of its own,
without a model and without repair. Results go to a folder of the run; where
that is stands at the end of the output.

` + historyHelp + `
` + workersHelp + `
` + exitCodes,
		Example: `  opendesk eval run learn-regression --project .
  opendesk eval run learn-regression --project . --program 'export-*' --verbose
  opendesk eval run learn-regression --project . --workers 4 --retries 1 --fail-on flaky
  opendesk eval run learn-regression --project . --shard 2/3 --reporter junit:build/junit.xml`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage("which suite? There is %s", suiteNames())
			case 1:
				return nil
			}
			return usage("one suite at a time (given: %s)", strings.Join(args, ", "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return evalRun(cmd.Context(), st, args[0], &o, cmd.Flags().Changed)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func suiteNames() string {
	var names []string
	for _, s := range suites.All {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

func findSuite(name string) (suites.Suite, error) {
	s, ok := suites.Find(name)
	if !ok {
		return s, usage("there is no suite %q (there is %s)", name, suiteNames())
	}
	return s, nil
}

// openProject opens the project's folder and reads its eval.yaml; all problems
// of it come at once.
func openProject(dir string) (*project.Project, error) {
	p, problems := project.Open(dir)
	if p != nil {
		return p, nil
	}
	errs := make([]error, len(problems))
	for i, problem := range problems {
		errs[i] = problem
	}
	return nil, usage("%w", errors.Join(errs...))
}

func evalRun(ctx context.Context, st *State, suiteName string, o *runOptions, given func(string) bool) (err error) {
	suite, err := findSuite(suiteName)
	if err != nil {
		return err
	}
	if lacks := buildLacks(); lacks != "" {
		return &exit{exitInternal, fmt.Errorf("this build cannot run programs: %s", lacks)}
	}
	p, err := openProject(o.project)
	if err != nil {
		return err
	}
	if err := o.settle(p, given); err != nil {
		return err
	}
	if err := o.takeDisplay(ctx, st); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.real.release()) }()
	e := newRun(st, p, o, suiteName)
	plan, err := e.plan(ctx, suite)
	if err != nil {
		return err
	}
	return e.execute(ctx, plan)
}

// evaluation is one run of eval run.
type evaluation struct {
	st      *State
	project *project.Project
	options *runOptions
	start   results.Run
	dir     string
	// apps are what the programs of the whole plan open.
	apps []desktop.Launch
}

// runID names a run that began then, in UTC.
func runID(began time.Time) string {
	random := make([]byte, 2)
	_, _ = rand.Read(random) // never fails
	return began.Format("2006-01-02T15-04-05Z") + "-" + hex.EncodeToString(random)
}

func newRun(st *State, p *project.Project, o *runOptions, suite string) *evaluation {
	now := st.Now().UTC()
	hostname, _ := os.Hostname()
	e := &evaluation{st: st, project: p, options: o, start: results.Run{
		SchemaVersion: results.SchemaVersion,
		ID:            runID(now),
		Suite:         suite, Kind: string(cmp.Or(o.kind, policy.Eval)), Project: p.Dir, Tool: tool(), StartedAt: now,
		Environment: results.Environment{
			OS: runtime.GOOS, Arch: runtime.GOARCH, Distribution: inventory.Distribution(), Kernel: inventory.Kernel(),
			Hostname: hostname, UID: os.Getuid(),
			Display: "virtual", Geometry: o.geometry, Locale: p.Config.Locale, Timezone: p.Config.Timezone,
			TimeoutScale: o.timeoutScale, Isolation: o.isolation,
			Network: string(p.Config.Network), Workers: o.workers,
		},
	}}
	o.real.describe(&e.start, p)
	e.dir = o.output
	if e.dir == "" {
		e.dir = filepath.Join(p.RunsDir(), e.start.ID)
	}
	return e
}

// execute runs the plan and writes everything that is to be told of it.
func (e *evaluation) execute(ctx context.Context, plan harness.Plan) (err error) {
	if e.dir, err = filepath.Abs(e.dir); err != nil {
		return &exit{exitInternal, err}
	}
	executable, err := os.Executable()
	if err != nil {
		return &exit{exitInternal, err}
	}
	if err := e.possible(ctx, e.commonSession(executable)); err != nil {
		return err
	}
	manager, err := e.newReporters()
	if err != nil {
		return err
	}
	events, err := e.makeFolder()
	if err != nil {
		return &exit{exitInternal, err}
	}
	spools := spoolsOf(e.dir)
	defer func() {
		if e := os.RemoveAll(spools); err == nil && e != nil {
			err = &exit{exitInternal, e}
		}
	}()
	if err := os.MkdirAll(spools, 0o700); err != nil {
		return &exit{exitInternal, errors.Join(err, events.Close())}
	}
	_, err = session.Sweep("")
	if err = errors.Join(err, sweepSpools(e.project.RunsDir())); err != nil {
		fmt.Fprintf(e.st.Stderr, "opendesk: what an earlier run left behind could not be removed: %v\n", err)
	}
	actions, err := newAuditFile(e.dir)
	if err != nil {
		return &exit{exitInternal, errors.Join(err, events.Close())}
	}
	if err := tess.Installed(e.project.Config.OCR.Languages, e.project.Config.Environment[tess.PrefixVariable]); err != nil {
		fmt.Fprintf(e.st.Stderr, "opendesk: %v: programs whose text has to be read off the screen cannot be judged\n", err)
	}
	video := e.video()
	log := results.NewEventWriter(events)
	ctx, stop, cancel := e.st.twoStages(ctx)
	defer cancel()
	run, err := harness.Run(ctx, e.start, plan, harness.Options{
		Stop: stop, Facts: e.facts(ctx),
		Workers: e.options.workers, Retries: e.options.retries, EnvRetries: e.options.envRetries,
		MaxFailures: e.options.maxFailures, Budget: e.options.budget,
		FailOn: e.options.remarks, PassWithNoPrograms: e.options.passOnNone,
		Review: e.watchLearned(e.review(ctx, plan)), // every suite's run is strict
		Leaser: e.leaser(executable, spools),
		Launcher: &worker.Launcher{
			RunDir: e.dir, Apps: e.project.Config.Apps, OCRLanguages: e.project.Config.OCR.Languages,
			TimeoutScale: e.options.timeoutScale, Procedure: procedure(e.project.Dir), Project: e.options.project,
			Archive: e.project.Dir, Scripts: e.project.Config.Scripts,
			Audit: actions.keep, Getenv: e.st.Getenv, Trace: worker.Trace(e.options.trace),
			Video: video,
		},
		Sink: func(ev results.Event) error {
			if err := log.Write(&ev); err != nil {
				return fmt.Errorf("write events.ndjson: %w", err)
			}
			manager.Event(ev)
			return nil
		},
	})
	err = errors.Join(err, events.Close(), actions.Close(), manager.Finish(run))
	if e.options.after != nil {
		err = errors.Join(err, e.options.after(ctx, e.project, e.dir, run))
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

// makeFolder makes the run's folder, and in it the file of its events. Whoever
// makes that file owns the folder: another run's is left alone.
func (e *evaluation) makeFolder() (events *os.File, err error) {
	if err := os.MkdirAll(e.dir, 0o755); err != nil {
		return nil, fmt.Errorf("the run's folder cannot be made: %w (--output names another)", err)
	}
	if e.options.output == "" {
		if err := e.project.WriteGitignore(); err != nil {
			return nil, err
		}
	}
	events, err = os.OpenFile(filepath.Join(e.dir, "events.ndjson"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("the run's folder %s is in use: it holds events.ndjson of another run (--output names another)", e.dir)
	case err != nil:
		return nil, fmt.Errorf("the run's folder cannot be written to: %w (--output names another)", err)
	}
	lockFile(events) // eval report sees by it that the run is under way
	return events, nil
}
