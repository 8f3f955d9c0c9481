package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/suites"
	"github.com/spf13/cobra"
)

// runOptions are the flags of eval run.
type runOptions struct {
	project       string
	output        string
	reporters     []string
	programs      []string
	geometry      string
	geometryGiven bool // it beats a program's own
	isolation     string
	timeoutScale  float64
	retries       int
	envRetries    int
	passOnNone    bool
	quiet         bool
	verbose       bool
	color         string
}

func newEvalRun(st *State) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run SUITE",
		Short: "Run a suite over a project and report pass or fail per postcondition",
		Long: `Runs every program that the suite selects, each in a display session of its own,
without a model and without repair. Results go to a folder of the run; where
that is stands at the end of the output.
` + exitCodes,
		Example: `  opendesk eval run learn-regression --project .
  opendesk eval run learn-regression --project . --program 'export-*' --verbose
  opendesk eval run learn-regression --project . --reporter junit:build/junit.xml`,
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
	f := cmd.Flags()
	f.StringVar(&o.project, "project", ".", "the project's folder")
	f.StringVar(&o.output, "output", "", "the run's folder (default .opendesk/eval/runs/<run id>)")
	f.StringArrayVar(&o.reporters, "reporter", nil, "NAME[:PATH], repeatable, in addition to results.json and junit.xml in the run's folder and the console: "+strings.Join(reporters.Names(), ", "))
	f.StringArrayVar(&o.programs, "program", nil, "only programs that match this glob (repeatable)")
	f.StringVar(&o.geometry, "geometry", "", "the display's size, WIDTHxHEIGHT[xDEPTH] (default 1280x800x24)")
	f.StringVar(&o.isolation, "isolation", "auto", "how sessions are isolated: auto, bwrap or none")
	f.Float64Var(&o.timeoutScale, "timeout-scale", 1, "multiplies every timeout, for slow machines")
	f.IntVar(&o.retries, "retries", 0, "how often a failed program is tried again")
	f.IntVar(&o.envRetries, "env-retries", 1, "how often a program is tried again whose environment broke")
	f.BoolVar(&o.passOnNone, "pass-with-no-programs", false, "an empty run is a success")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only what did not pass, and the summary")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print every step")
	f.StringVar(&o.color, "color", "auto", "colours: auto, always or never")
	cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
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

func evalRun(ctx context.Context, st *State, suiteName string, o *runOptions, given func(string) bool) error {
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
	plan, err := suite.Plan(p.Dir, suites.Filter{Programs: o.programs, File: fileNames(p)})
	if err != nil {
		return usage("%w", err)
	}
	if len(plan.Items) == 0 && !o.passOnNone {
		return nothingToRun(p, o.programs)
	}
	return newRun(st, p, o, suiteName).execute(ctx, plan)
}

func nothingToRun(p *project.Project, globs []string) error {
	if len(globs) > 0 {
		return usage("no program matches --program %s (see 'opendesk eval list learn-regression')", strings.Join(globs, ", "))
	}
	return usage("no programs in %s: record or write one (*.program.json), or pass --pass-with-no-programs",
		filepath.Join(p.Dir, filepath.FromSlash(program.LearnedDir)))
}

// settle brings flags and the project's file together: flags beat the file,
// the file beats the defaults.
func (o *runOptions) settle(p *project.Project, given func(string) bool) error {
	if given("geometry") {
		geometry, err := project.ParseGeometry(o.geometry)
		if err != nil {
			return usage("--geometry: %w", err)
		}
		o.geometry, o.geometryGiven = geometry.String(), true
	} else {
		o.geometry = p.Config.Display.Geometry.String()
	}
	if !given("timeout-scale") {
		o.timeoutScale = p.Config.TimeoutScale
	}
	if !given("retries") {
		o.retries = p.Config.Retries
	}
	if !given("env-retries") {
		o.envRetries = p.Config.EnvRetries
	}
	switch {
	case !(o.timeoutScale > 0 && o.timeoutScale <= 100):
		return usage("--timeout-scale must be above 0 and at most 100, not %g", o.timeoutScale)
	case o.retries < 0 || o.envRetries < 0:
		return usage("--retries and --env-retries must not be negative")
	}
	switch session.Isolation(o.isolation) {
	case session.Auto, session.Bwrap, session.None:
		return nil
	}
	return usage("--isolation must be auto, bwrap or none, not %q", o.isolation)
}

// fileNames gives the path of a program's file from the git root, as
// annotations want it; from the project where there is none.
func fileNames(p *project.Project) func(program.Found) string {
	root := project.GitRoot(p.Dir)
	return func(f program.Found) string {
		if root == "" {
			return f.Path
		}
		abs, err := filepath.Abs(f.File)
		if err != nil {
			return f.Path
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil || !filepath.IsLocal(rel) {
			return f.Path
		}
		return filepath.ToSlash(rel)
	}
}

// evaluation is one run of eval run.
type evaluation struct {
	st      *State
	project *project.Project
	options *runOptions
	start   results.Run
	dir     string
}

func newRun(st *State, p *project.Project, o *runOptions, suite string) *evaluation {
	now := st.Now().UTC()
	hostname, _ := os.Hostname()
	random := make([]byte, 2)
	_, _ = rand.Read(random)
	e := &evaluation{st: st, project: p, options: o, start: results.Run{
		SchemaVersion: results.SchemaVersion,
		ID:            now.Format("2006-01-02T15-04-05Z") + "-" + hex.EncodeToString(random),
		Suite:         suite, Project: p.Dir, Tool: tool(), StartedAt: now,
		Environment: results.Environment{
			OS: runtime.GOOS, Arch: runtime.GOARCH, Hostname: hostname, UID: os.Getuid(),
			Display: "virtual", Geometry: o.geometry, Locale: p.Config.Locale, Timezone: p.Config.Timezone,
			TimeoutScale: o.timeoutScale, Isolation: o.isolation,
		},
	}}
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
	manager, err := e.newReporters()
	if err != nil {
		return err
	}
	events, err := e.makeFolder()
	if err != nil {
		return &exit{exitInternal, err}
	}
	spools := filepath.Join(e.dir, "spool")
	defer func() {
		if e := os.RemoveAll(spools); err == nil && e != nil {
			err = &exit{exitInternal, e}
		}
	}()
	if err := os.MkdirAll(spools, 0o700); err != nil {
		return &exit{exitInternal, errors.Join(err, events.Close())}
	}
	executable, err := os.Executable()
	if err != nil {
		return &exit{exitInternal, err}
	}
	if _, err := session.Sweep(""); err != nil {
		fmt.Fprintf(e.st.Stderr, "opendesk: what an earlier run left behind could not be removed: %v\n", err)
	}
	log := results.NewEventWriter(events)
	run, err := harness.Run(ctx, e.start, plan, harness.Options{
		Retries: e.options.retries, EnvRetries: e.options.envRetries,
		PassWithNoPrograms: e.options.passOnNone,
		Leaser:             &leaser{options: e.sessionOptions(executable), spools: spools},
		Launcher: &worker.Launcher{
			RunDir: e.dir, Apps: e.project.Config.Apps, OCRLanguages: e.project.Config.OCR.Languages,
			TimeoutScale: e.options.timeoutScale, Procedure: procedure(e.project.Dir),
		},
		Sink: func(ev results.Event) error {
			if err := log.Write(&ev); err != nil {
				return fmt.Errorf("write events.ndjson: %w", err)
			}
			manager.Event(ev)
			return nil
		},
	})
	err = errors.Join(err, events.Close(), manager.Finish(run))
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
	return events, nil
}

// sessionTimeout is how long a session may take to start, before scaling.
const sessionTimeout = 20 * time.Second

// sessionOptions says what session a program needs.
func (e *evaluation) sessionOptions(executable string) func(harness.Item) session.Options {
	common := e.commonSession(executable)
	return func(item harness.Item) session.Options {
		o := common
		if g := item.Settings.Geometry; g != nil && !e.options.geometryGiven {
			o.Geometry = g.String()
		}
		setup := item.Settings.Setup
		o.HomeFiles = setup.Files
		o.Environment = slices.Clone(o.Environment)
		for _, name := range sortedKeys(setup.Environment) {
			o.Environment = append(o.Environment, name+"="+setup.Environment[name])
		}
		return o
	}
}

func (e *evaluation) commonSession(executable string) session.Options {
	config := e.project.Config
	o := session.Options{
		Geometry: e.options.geometry, Isolation: session.Isolation(e.options.isolation),
		Locale: config.Locale, Timezone: config.Timezone, HomeSkeleton: e.project.HomeSkeleton(),
		StartTimeout: time.Duration(e.options.timeoutScale * float64(sessionTimeout)),
		Executable:   executable, HostArgs: []string{"session-host"},
		Readable: readable(e.project, executable), Network: session.Network(config.Network),
	}
	for _, key := range sortedKeys(config.Environment) {
		o.Environment = append(o.Environment, key+"="+config.Environment[key])
	}
	if e.options.verbose {
		o.Log = e.st.Stderr
	}
	return o
}

// readable is what must stay readable in a session also where it lies in a
// part of the file system that isolation makes private: the project with its
// repository, this program, and the files that the app map names.
func readable(p *project.Project, executable string) []string {
	paths := []string{p.Dir, executable}
	if root := project.GitRoot(p.Dir); root != "" {
		paths = append(paths, root)
	}
	for _, name := range sortedKeys(p.Config.Apps) {
		for _, word := range p.Config.Apps[name] {
			if !filepath.IsAbs(word) {
				continue
			}
			if _, err := os.Stat(word); err == nil {
				paths = append(paths, filepath.Dir(word))
			}
		}
	}
	return paths
}

// procedure reads the natural-language procedure next to a program.
func procedure(projectDir string) func(*program.Program) json.RawMessage {
	return func(p *program.Program) json.RawMessage {
		data := program.Procedure(filepath.Join(projectDir, filepath.FromSlash(p.Path)))
		if !json.Valid(data) {
			return nil
		}
		return data
	}
}
