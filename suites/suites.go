// Package suites has the named suites: what a suite selects of a project, in
// which order, and what counts.
package suites

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// Suite is one named suite.
type Suite struct {
	Name string
	// Doc is one line that says what it runs.
	Doc string
	// Plan selects the programs of the project.
	Plan func(projectDir string, filter Filter) (harness.Plan, error)
}

// All lists the suites by name.
var All = []Suite{{
	Name: "learn-regression",
	Doc:  "every learned program of the project, deterministically",
	Plan: learnRegression,
}}

// Find gives the suite of that name.
func Find(name string) (Suite, bool) {
	i := slices.IndexFunc(All, func(s Suite) bool { return s.Name == name })
	if i < 0 {
		return Suite{}, false
	}
	return All[i], true
}

// Filter says which of a suite's programs are wanted.
type Filter struct {
	// Programs are globs; empty for all. A glob matches a program's path, its
	// path below the learned folder without the ending, with or without
	// "learned/" before it, as the console prints it, or the last part of that.
	Programs []string
	// Tags are wanted, one of them is enough; empty for all programs. SkipTags
	// are not wanted.
	Tags, SkipTags []string
	// Paths are the only paths that are wanted, nil for all.
	Paths []string
	// Config is the project's, nil for one without settings of programs.
	Config *project.Config
	// Now is when the run begins: quarantines expire.
	Now time.Time
	// Inspect finds errors of a program that loads, nil for none: it is planned
	// as an invalid one then.
	Inspect func(p *program.Program) []program.Problem
	// File gives the path of a program's file for annotations.
	File func(found program.Found) string
}

// learnRegression plans every program file, valid or not, in the order of
// their paths.
func learnRegression(projectDir string, filter Filter) (harness.Plan, error) {
	for _, glob := range filter.Programs {
		if !doublestar.ValidatePattern(glob) {
			return harness.Plan{}, fmt.Errorf("--program %q is not a valid glob", glob)
		}
	}
	found, err := program.Discover(projectDir)
	if err != nil {
		return harness.Plan{}, err
	}
	if err := filter.check(found); err != nil {
		return harness.Plan{}, err
	}
	var plan harness.Plan
	for _, f := range found {
		settings := filter.settings(f.Path)
		if !filter.wants(f.Path) || !filter.wantsTags(settings.Tags) {
			continue
		}
		item := harness.Item{Path: f.Path, File: f.Path, Settings: settings, Quarantine: filter.quarantine(settings)}
		if filter.File != nil {
			item.File = filter.File(f)
		}
		if f.Problem != nil {
			item.Problems = []program.Problem{*f.Problem}
		} else {
			var content []byte
			item.Program, content, item.Problems = program.LoadWithContent(f.File, f.Path)
			if item.Program != nil && filter.Inspect != nil {
				if wrong := filter.Inspect(item.Program); len(wrong) > 0 {
					item.Program, item.Problems = nil, append(item.Problems, wrong...)
				}
			}
			if item.Program == nil {
				item.Refused = content
			}
		}
		plan.Items = append(plan.Items, item)
	}
	slices.SortStableFunc(plan.Items, func(a, b harness.Item) int { return cmp.Compare(a.Path, b.Path) })
	return plan, nil
}

// check says what in the filter and in the project's settings is about nothing
// that there is.
func (f Filter) check(found []program.Found) error {
	if f.Config == nil {
		return nil
	}
	var names [][]string
	known := map[string]bool{}
	for _, p := range found {
		names = append(names, Names(p.Path))
		for _, tag := range f.settings(p.Path).Tags {
			known[tag] = true
		}
	}
	var errs []error
	for _, problem := range f.Config.Unmatched(names) {
		errs = append(errs, problem)
	}
	for _, tag := range slices.Concat(f.Tags, f.SkipTags) {
		if known[tag] {
			continue
		}
		there := "no program has a tag: give them in .opendesk/eval.yaml (programs)"
		if len(known) > 0 {
			there = "there are " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
		}
		errs = append(errs, fmt.Errorf("no program has the tag %q (%s)", tag, there))
	}
	return errors.Join(errs...)
}

func (f Filter) settings(programPath string) project.Settings {
	if f.Config == nil {
		return project.Settings{}
	}
	return f.Config.Settings(Names(programPath))
}

// quarantine is the program's, as it is when the run begins.
func (f Filter) quarantine(s project.Settings) *results.Quarantine {
	if s.Quarantine == nil {
		return nil
	}
	return &results.Quarantine{
		Issue: s.Quarantine.Issue, Until: s.Quarantine.LastDay(), Expired: s.Quarantine.Expired(f.Now),
	}
}

func (f Filter) wantsTags(tags []string) bool {
	has := func(tag string) bool { return slices.Contains(tags, tag) }
	return (len(f.Tags) == 0 || slices.ContainsFunc(f.Tags, has)) && !slices.ContainsFunc(f.SkipTags, has)
}

// Names are the names that a program goes by, on the command line and in
// eval.yaml.
func Names(programPath string) []string {
	short := program.TaskName(programPath)
	return []string{programPath, short, path.Base(short), "learned/" + short, "learned/" + short + program.Suffix}
}

func (f Filter) wants(programPath string) bool {
	if f.Paths != nil && !slices.Contains(f.Paths, programPath) {
		return false
	}
	if len(f.Programs) == 0 {
		return true
	}
	names := Names(programPath)
	for _, glob := range f.Programs {
		if slices.ContainsFunc(names, func(name string) bool { return doublestar.MatchUnvalidated(glob, name) }) {
			return true
		}
	}
	return false
}
