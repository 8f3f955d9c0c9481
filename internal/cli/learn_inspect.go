package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/suites"
	"github.com/spf13/cobra"
)

// inspectOptions are the flags of learn inspect.
type inspectOptions struct {
	run   runOptions // project, geometry, isolation, timeout scale
	app   string
	after string
	until string
	view  treeView
}

func newLearnInspect(st *State) *cobra.Command {
	o := inspectOptions{run: runOptions{repeat: 1, order: "file"}}
	cmd := &cobra.Command{
		Use:   "inspect",
		Short: "Print an app's accessibility tree, with a ready target for each element",
		Long: `Opens the app in a display session of its own, as a program's 'app open' does,
prints its accessibility tree as the runner sees it, and ends the session. With
--after it runs a program first, to its end or to where it fails, so that
dialogs and what a failing step saw can be looked at.

Every element comes with a target that names it and nothing else: by its
identifier, else by role and title, else with its ref as well. Targets are
looked up as those of steps are before they are printed. An element without one
is hidden.

Exit codes: 0 printed, 1 the app did not open or the program failed (what there
is to see is printed all the same), 2 wrong usage, 3 the environment broke, 130
interrupted.`,
		Example: `  opendesk learn inspect --app mousepad
  opendesk learn inspect --app Numbers --project . --json
  opendesk learn inspect --after export-report --until s2 --project .`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inspect(cmd.Context(), st, &o, cmd.Flags().Changed)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.app, "app", "", "the app to look at, by any of its names; it is opened first, unless --after is given")
	f.StringVar(&o.after, "after", "", "run the program of this task first, to its end or its failure (NAME as 'learn list' prints it)")
	f.StringVar(&o.until, "until", "", "with --after: stop after the step with this id")
	f.StringVar(&o.run.project, "project", ".", "the project's folder; without one, apps are found as on any desktop")
	f.BoolVar(&o.view.json, "json", false, "print JSON, one element a line")
	f.IntVar(&o.view.depth, "depth", 0, "print only elements down to this depth below the app (1: its windows)")
	f.BoolVar(&o.view.showing, "showing", false, "print only elements that can be seen")
	f.StringVar(&o.run.geometry, "geometry", "", "the display's size, WIDTHxHEIGHT[xDEPTH] (default 1280x800x24)")
	f.StringVar(&o.run.isolation, "isolation", "auto", "how the session is isolated: auto, bwrap or none")
	f.Float64Var(&o.run.timeoutScale, "timeout-scale", 1, "multiplies every timeout, for slow machines")
	return cmd
}

func inspect(ctx context.Context, st *State, o *inspectOptions, given func(string) bool) error {
	if err := o.check(given); err != nil {
		return err
	}
	p, err := inspectedProject(o.run.project, given("project") || o.after != "")
	if err != nil {
		return err
	}
	if err := o.run.settle(p, given); err != nil {
		return err
	}
	prepared, err := o.prepare(p)
	if err != nil {
		return err
	}
	if lacks := buildLacks(); lacks != "" {
		return &exit{exitInternal, fmt.Errorf("this build cannot open apps: %s", lacks)}
	}
	look, err := o.look(ctx, st, p, prepared)
	if ctx.Err() != nil {
		return &exit{results.ExitInterrupted, errors.Join(errors.New("interrupted"), err)}
	}
	if err != nil {
		return &exit{exitInternal, err}
	}
	if look.record != nil {
		if err := o.view.print(ctx, st.Stdout, look.record, o.app); err != nil {
			return &exit{exitInternal, err}
		}
	}
	return look.verdict()
}

func (o *inspectOptions) check(given func(string) bool) error {
	switch {
	case o.app == "" && o.after == "":
		return usage("what is to be looked at? Name an app that is to be opened (--app), or a program that is to be run first (--after)")
	case o.until != "" && o.after == "":
		return usage("--until names a step of the program that --after names")
	case given("depth") && o.view.depth < 1:
		return usage("--depth must be at least 1")
	}
	return nil
}

// inspectedProject opens the project. Where none is asked for and there is
// none here, the defaults of a project serve.
func inspectedProject(dir string, asked bool) (*project.Project, error) {
	if !asked {
		if _, err := os.Stat(filepath.Join(dir, ".opendesk")); errors.Is(err, os.ErrNotExist) {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return nil, &exit{exitInternal, err}
			}
			return &project.Project{Dir: abs, Config: project.DefaultConfig()}, nil
		}
	}
	return openProject(dir)
}

// openStep is the id of the step that opens an app for a look.
const openStep = "inspect: open"

// prepare gives the program that is to be run before the look, with what
// eval.yaml says about it.
func (o *inspectOptions) prepare(p *project.Project) (harness.Item, error) {
	if o.after == "" {
		source, err := json.Marshal(map[string]any{"name": "inspect", "version": program.Version, "steps": []any{
			map[string]any{"id": openStep, "tool": "app", "params": map[string]any{"action": "open", "name": o.app}},
		}})
		if err != nil {
			return harness.Item{}, &exit{exitInternal, err}
		}
		opening, err := parsed("inspect"+program.Suffix, source)
		return harness.Item{Program: opening}, err
	}
	task, err := (&taskOptions{project: o.run.project}).find(o.after)
	if err != nil {
		return harness.Item{}, usage("%w", err)
	}
	if !task.HasProgram {
		return harness.Item{}, noProgram(task)
	}
	loaded, problems := program.Load(task.ProgramFile(), task.ProgramPath())
	if loaded == nil {
		return harness.Item{}, problemsOf(problems)
	}
	if o.until != "" {
		if loaded, err = until(loaded, o.until); err != nil {
			return harness.Item{}, err
		}
	}
	return harness.Item{Program: loaded, Settings: p.Config.Settings(suites.Names(task.ProgramPath()))}, nil
}

// until is the program cut off after the step with that id.
func until(p *program.Program, id string) (*program.Program, error) {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(p.Raw, &document); err != nil {
		return nil, &exit{exitInternal, err}
	}
	var steps []json.RawMessage
	if err := json.Unmarshal(document["steps"], &steps); err != nil {
		return nil, &exit{exitInternal, err}
	}
	var ids []string
	for i, s := range p.Steps {
		ids = append(ids, s.ID)
		if s.ID != id {
			continue
		}
		var err error
		if document["steps"], err = json.Marshal(steps[:i+1]); err != nil {
			return nil, &exit{exitInternal, err}
		}
		source, err := json.Marshal(document)
		if err != nil {
			return nil, &exit{exitInternal, err}
		}
		part, err := parsed(p.Path, source)
		if part != nil {
			part.Code = p.Code
		}
		return part, err
	}
	return nil, usage("%s has no step %q (it has %s)", p.Path, id, strings.Join(ids, ", "))
}

func parsed(path string, source []byte) (*program.Program, error) {
	p, problems := program.Parse(path, source)
	if p == nil {
		return nil, problemsOf(problems)
	}
	return p, nil
}

func problemsOf(problems []program.Problem) error {
	var lines []string
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	return usage("%s", strings.Join(lines, "\n"))
}

// look is what came of one session.
type look struct {
	record *desktop.Record
	// failed is why a step failed, broken why the environment did.
	failed, broken string
	notes          []string
}

func (l *look) verdict() error {
	for i, note := range l.notes {
		l.notes[i] = "\n" + note
	}
	notes := strings.Join(l.notes, "")
	switch {
	case l.broken != "":
		return &exit{exitInternal, errors.New(l.broken + notes)}
	case l.failed != "":
		return &exit{exitFailed, errors.New(l.failed + notes)}
	case l.record == nil:
		return &exit{exitInternal, errors.New("there is no tree" + notes)}
	case len(l.record.Apps) == 0:
		return &exit{exitFailed, errors.New("no app with an accessibility tree runs" + notes)}
	}
	return nil
}

// look runs the program in a session and reads the trees at its end.
func (o *inspectOptions) look(ctx context.Context, st *State, p *project.Project, prepared harness.Item) (_ *look, err error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if _, err := session.Sweep(""); err != nil {
		fmt.Fprintf(st.Stderr, "opendesk: what an earlier run left behind could not be removed: %v\n", err)
	}
	dir, err := os.MkdirTemp("", "opendesk-inspect-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e := evaluation{st: st, project: p, options: &o.run}
	lessor := &leaser{options: e.sessionOptions(executable), spools: dir}
	leased, failure := lessor.Lease(ctx, prepared)
	if failure != nil {
		return &look{broken: failure.Reason, notes: failure.Details}, nil
	}
	defer func() { err = errors.Join(err, leased.Return(context.WithoutCancel(ctx))) }()

	launcher := &worker.Launcher{
		RunDir: dir, Apps: p.Config.Apps, OCRLanguages: p.Config.OCR.Languages, TimeoutScale: o.run.timeoutScale, Tree: &o.app,
		Archive: p.Dir, Scripts: p.Config.Scripts, Getenv: st.Getenv,
	}
	l := &look{}
	fault := launcher.Launch(ctx, leased, harness.Attempt{
		Program: prepared.Program, Number: 1, ArtifactDir: "files", Settings: prepared.Settings,
	}, func(ev results.Event) {
		if reading := l.see(ev, dir); reading != nil {
			l.notes = append(l.notes, reading.Error())
		}
	})
	if fault != nil {
		l.broken, l.notes = fault.Reason, append(l.notes, fault.Details...)
	}
	return l, nil
}

// see takes what a look needs from an event.
func (l *look) see(ev results.Event, dir string) error {
	switch ev.Type {
	case results.EventStepFinished:
		if f := ev.Step.Failure; f != nil {
			l.notes = append(l.notes, f.Details...)
			reason := f.Reason
			if ev.Step.ID != openStep {
				reason = fmt.Sprintf("%s %s: %s", ev.Step.ID, ev.Step.Summary, f.Reason)
			}
			if ev.Step.Status == results.StepBroken {
				l.broken = reason
			} else {
				l.failed = reason
			}
		}
	case results.EventWarning:
		if ev.Warning.Kind == results.WarnNote {
			l.notes = append(l.notes, ev.Warning.Message)
		}
	case results.EventArtifact:
		if ev.Artifact.Kind != worker.TreeKind {
			return nil
		}
		file, err := os.Open(filepath.Join(dir, filepath.FromSlash(ev.Artifact.Name)))
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // read only
		l.record, err = desktop.ReadRecord(file)
		return err
	}
	return nil
}
