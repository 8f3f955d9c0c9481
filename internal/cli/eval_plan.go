package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/suites"
)

// plan selects what is to be run, puts it in its order, and takes the part of
// it that this run is.
func (e *evaluation) plan(ctx context.Context, suite suites.Suite) (harness.Plan, error) {
	o := e.options
	filter, err := e.filter()
	if err != nil {
		return harness.Plan{}, err
	}
	scripts := newScriptChecks(ctx, e.project.Config)
	filter.Inspect = scripts.problems
	whole, err := suite.Plan(e.project.Dir, filter)
	if err != nil {
		return harness.Plan{}, usage("%w", err)
	}
	scripts.warn(e.st)
	whole = whole.Repeated(o.repeat)
	info := &results.Plan{Programs: len(whole.Items), Order: "file", Seed: o.seed, Repeat: o.repeat, FailOn: o.remarks, Selection: o.selection.String()}
	e.apps = appsOf(whole, e.project.Config)
	if info.Digest, err = whole.Digest(e.matters()); err != nil {
		return harness.Plan{}, &exit{exitInternal, err}
	}
	plan := whole
	if o.seed != 0 {
		info.Order = "random"
		plan = plan.Shuffled(o.seed)
		e.start.Notes = append(e.start.Notes, fmt.Sprintf("random order, the same again by --order random:%d", o.seed))
	}
	if o.part != nil {
		info.Shard = o.part.String()
		durations, err := readDurations(o.durations)
		if err != nil {
			return harness.Plan{}, usage("--durations: %w", err)
		}
		plan = plan.Shard(*o.part, durations)
	}
	e.start.Plan = info
	if len(plan.Items) == 0 && !o.passOnNone {
		return harness.Plan{}, e.nothingToRun(suite.Name, len(whole.Items))
	}
	return plan, nil
}

// matters are the options that a verdict can depend on: the same in all parts
// of one evaluation, wherever they run.
func (e *evaluation) matters() any {
	o, config := e.options, e.project.Config
	return map[string]any{
		"suite": e.start.Suite, "version": e.start.Tool, "geometry": o.geometry, "locale": config.Locale,
		"timezone": config.Timezone, "network": config.Network, "limits": config.Limits, "environment": config.Environment,
		"ocr": config.OCR.Languages, "timeout scale": o.timeoutScale,
		"retries": o.retries, "env retries": o.envRetries,
	}
}

// filter is what the flags select by.
func (e *evaluation) filter() (suites.Filter, error) {
	s := &e.options.selection
	filter := suites.Filter{
		Programs: s.programs, Tags: s.tags, SkipTags: s.skipTags,
		Config: &e.project.Config, Now: e.start.StartedAt, File: fileNames(e.project, e.options.pathsFrom),
	}
	if !s.lastFailed {
		return filter, nil
	}
	last, err := newestRun(e.project.RunsDir(), e.start.Suite)
	if err != nil {
		return filter, usage("--last-failed: %w", err)
	}
	filter.Paths = notPassed(last)
	e.start.Notes = append(e.start.Notes, fmt.Sprintf("only what did not pass in %s", last.ID))
	if len(filter.Paths) == 0 && !e.options.passOnNone {
		return filter, usage("--last-failed: everything passed in %s, the newest complete run", last.ID)
	}
	return filter, nil
}

// nothingToRun says why no program is left.
func (e *evaluation) nothingToRun(suite string, whole int) error {
	o := e.options
	switch {
	case whole > 0:
		return usage("shard %s has none of the %d programs: take fewer shards, or pass --pass-with-no-programs", o.part, whole)
	case o.selection.String() != "":
		return usage("no program matches %s (see 'opendesk eval list %s')", &o.selection, suite)
	}
	return usage("no programs in %s: record or write one (*%s), or pass --pass-with-no-programs",
		e.project.LearnedDir(), program.Suffix)
}

// notPassed are the programs that are worth another look: what did not pass,
// excused or not.
func notPassed(run *results.Run) []string {
	paths := []string{}
	for i := range run.Programs {
		p := &run.Programs[i]
		switch {
		case slices.Contains(paths, p.Path):
		case p.Status == results.Failed, p.Status == results.Broken, p.Status == results.Invalid, p.Excused():
			paths = append(paths, p.Path)
		}
	}
	return paths
}

// newestRun is the newest run of the suite that came to its end.
func newestRun(runsDir, suite string) (*results.Run, error) {
	folders, err := os.ReadDir(runsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// Their names begin with the time, to the second.
	slices.SortFunc(folders, func(a, b fs.DirEntry) int { return cmp.Compare(b.Name(), a.Name()) })
	var newest *results.Run
	for _, folder := range folders {
		if newest != nil && second(folder.Name()) != second(newest.ID) {
			break
		}
		run, err := readResults(filepath.Join(runsDir, folder.Name()))
		if err != nil || run.Interrupted || run.Suite != suite {
			continue
		}
		if newest == nil || run.StartedAt.After(newest.StartedAt) {
			newest = run
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("there is no complete run of %s in %s", suite, runsDir)
	}
	return newest, nil
}

// second is the part of a run's id that is its time.
func second(id string) string {
	time, _, _ := strings.Cut(id, "Z")
	return time
}

// readResults reads the results of a run: its folder, or its results.json.
func readResults(path string) (*results.Run, error) {
	return readResultsBy(results.Read, path)
}

// readResultsBy reads them by another way to read them.
func readResultsBy[T any](read func(io.Reader) (*T, error), path string) (*T, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "results.json")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	run, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}

// fileNames gives the path of a program's file from a folder, or where that is
// "" from the git root, as annotations want it; from the project where it is
// not below that.
func fileNames(p *project.Project, from string) func(program.Found) string {
	if from == "" {
		from = project.GitRoot(p.Dir)
	}
	return func(f program.Found) string {
		if name, ok := below(from, f.File); ok {
			return name
		}
		return f.Path
	}
}

// below is the path of a file from a folder, false where it is not below it.
func below(dir, file string) (string, bool) {
	if dir == "" {
		return "", false
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(from, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
