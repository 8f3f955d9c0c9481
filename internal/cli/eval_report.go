package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/spf13/cobra"
)

// reportOptions are the flags of eval report.
type reportOptions struct {
	project string
	reportFlags
}

func newEvalReport(st *State) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Report a run again, also one that was killed",
		Long: `Renders the results of a run again, in any format; without --reporter on the
console. A RUN is a run's folder, its results.json, the id of a run of the
project, or the word latest.

A run that was killed has left no results.json: the results are rebuilt from
its events.ndjson. What had not come to its end is skipped, as interrupted; what
had failed stays failed. They are written where the run would have written them
(results.json, junit.xml and report.html), then reported.

Exit codes:
  0    the run was reported, whatever its verdict
  2    there is no such run, it is still under way, or the usage is wrong
  3    a report could not be written, or the run's events are damaged
  130  interrupted
`,
		Example: `  opendesk eval report latest
  opendesk eval report latest --reporter junit:build/junit.xml --reporter github
  opendesk eval report .opendesk/eval/runs/2026-01-02T03-04-05Z-0001`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage("which run? Give a run's folder, its results.json, its id, or latest")
			case 1:
				return nil
			}
			return usage("one run at a time (given: %s)", strings.Join(args, ", "))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return evalReport(cmd.Context(), st, args[0], &o)
		},
	}
	cmd.Flags().StringVar(&o.project, "project", ".", "the project's folder, for ids of runs")
	o.addReportFlags(cmd, "NAME[:PATH], repeatable (default the console): ")
	return cmd
}

func evalReport(ctx context.Context, st *State, arg string, o *reportOptions) error {
	place, err := findRun(arg, o.project)
	if err != nil {
		return usage("%w", err)
	}
	run, rebuilt, damage := place.read()
	if run == nil {
		return usage("%w", damage)
	}
	specs := o.reporters
	if len(specs) == 0 {
		specs = []string{"console"}
	}
	if rebuilt {
		why := "the run left no results"
		if _, err := readResults(place.results); !errors.Is(err, fs.ErrNotExist) {
			why = fmt.Sprintf("the run's results cannot be read (%v)", err)
		}
		fmt.Fprintf(st.Stderr, "opendesk: %s: they are rebuilt from %s\n", why, fromHere(place.events()))
		if err := o.report(st, withDefaults(nil), place.dir, run); err != nil {
			return err
		}
	}
	o.rename(run, o.project)
	if err := ctx.Err(); err != nil {
		return &exit{results.ExitInterrupted, err}
	}
	if err := o.report(st, specs, place.dir, run); err != nil {
		return err
	}
	if damage != nil {
		return &exit{exitInternal, damage}
	}
	return nil
}

// report reports a run that is over.
func (o *reportFlags) report(st *State, specs []string, dir string, run *results.Run) error {
	manager, err := o.manager(st, specs, dir, false)
	if err != nil {
		return err
	}
	if err := manager.Finish(run); err != nil {
		return &exit{exitInternal, err}
	}
	return nil
}

// rename names the programs' files from the folder of --paths-from. The project
// is where the run was, or else the given folder.
func (o *reportFlags) rename(run *results.Run, project string) {
	if o.pathsFrom == "" {
		return
	}
	dir := run.Project
	if _, err := os.Stat(dir); err != nil {
		dir = project
	}
	for i := range run.Programs {
		p := &run.Programs[i]
		if name, ok := below(o.pathsFrom, filepath.Join(dir, filepath.FromSlash(p.Path))); ok {
			p.File = name
		}
	}
}

// runPlace is where a run's files are.
type runPlace struct {
	// dir is the run's folder.
	dir string
	// results is the file of its results, which may not be there.
	results string
}

// events is the file of the run's events, which may not be there.
func (p runPlace) events() string { return filepath.Join(p.dir, "events.ndjson") }

// findRun finds the run that a word on the command line means.
func findRun(arg, projectDir string) (runPlace, error) {
	runsDir := filepath.Join(projectDir, ".opendesk", "eval", "runs")
	info, err := os.Stat(arg)
	if err != nil && arg == filepath.Base(arg) {
		if arg == latest {
			return latestRun(runsDir)
		}
		if named, e := os.Stat(filepath.Join(runsDir, arg)); e == nil {
			arg, info, err = filepath.Join(runsDir, arg), named, nil
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return runPlace{}, fmt.Errorf("there is no run %q: neither a file or folder, nor the id of a run in %s", arg, runsDir)
	case err != nil:
		return runPlace{}, err
	}
	dir, file := arg, filepath.Join(arg, "results.json")
	if !info.IsDir() {
		dir, file = filepath.Dir(arg), arg
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return runPlace{}, err
	}
	return runPlace{dir: dir, results: file}, nil
}

// latest is the word for the newest run.
const latest = "latest"

// latestRun is the run that began last, however it ended.
func latestRun(runsDir string) (runPlace, error) {
	folders, err := os.ReadDir(runsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return runPlace{}, err
	}
	var newest string
	var newestBegan time.Time
	for _, folder := range slices.Backward(folders) { // their names begin with the time, to the second
		if newest != "" && second(folder.Name()) != second(newest) {
			break
		}
		dir := filepath.Join(runsDir, folder.Name())
		if began, ok := began(dir); ok && (newest == "" || began.After(newestBegan)) {
			newest, newestBegan = folder.Name(), began
		}
	}
	if newest == "" {
		return runPlace{}, fmt.Errorf("there is no run in %s", runsDir)
	}
	return findRun(filepath.Join(runsDir, newest), "")
}

// began says when the run of a folder began, false where it holds none.
func began(dir string) (time.Time, bool) {
	events, err := os.Open(filepath.Join(dir, "events.ndjson"))
	if err == nil {
		defer events.Close() //nolint:errcheck // read only
		if first, err := results.NewEventReader(events, dir).Next(); err == nil {
			return first.Time, true
		}
	}
	run, err := readResults(dir)
	if err != nil {
		return time.Time{}, false
	}
	return run.StartedAt, true
}

// read gives the run's results: those that it wrote, or, where it was killed
// before it could, those that its events give. The error says what is wrong
// with the run's files; results that come with an error are incomplete.
func (p runPlace) read() (run *results.Run, rebuilt bool, err error) {
	run, unread := readResults(p.results)
	if unread == nil {
		return run, false, nil
	}
	events, err := os.Open(p.events())
	switch none := errors.Is(err, fs.ErrNotExist); {
	case none && errors.Is(unread, fs.ErrNotExist):
		return nil, false, fmt.Errorf("%s holds no run: neither results.json nor events.ndjson is in it", p.dir)
	case none || filepath.Base(p.results) != "results.json":
		return nil, false, unread
	}
	if err != nil {
		return nil, false, err
	}
	defer events.Close() //nolint:errcheck // read only
	if isLocked(events) {
		return nil, false, fmt.Errorf("the run in %s is still under way: its results come with its end", p.dir)
	}
	run, err = results.Rebuild(events)
	switch {
	case err == nil:
	case run == nil:
		err = fmt.Errorf("%s: %w", p.dir, err)
	default:
		err = fmt.Errorf("%s: %w: what comes after that is not in the results", p.dir, err)
		run.Notes = append(run.Notes, err.Error())
	}
	return run, true, err
}
