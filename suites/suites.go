// Package suites has the named suites: what a suite selects of a project, in
// which order, and what counts.
package suites

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
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
	var plan harness.Plan
	for _, f := range found {
		if !filter.wants(f.Path) {
			continue
		}
		item := harness.Item{Path: f.Path, File: f.Path}
		if filter.File != nil {
			item.File = filter.File(f)
		}
		if f.Problem != nil {
			item.Problems = []program.Problem{*f.Problem}
		} else {
			item.Program, item.Problems = program.Load(f.File, f.Path)
		}
		plan.Items = append(plan.Items, item)
	}
	slices.SortStableFunc(plan.Items, func(a, b harness.Item) int { return cmp.Compare(a.Path, b.Path) })
	return plan, nil
}

func (f Filter) wants(programPath string) bool {
	if len(f.Programs) == 0 {
		return true
	}
	short := ShortName(programPath)
	names := []string{programPath, short, path.Base(short), "learned/" + short, "learned/" + short + program.Suffix}
	for _, glob := range f.Programs {
		if slices.ContainsFunc(names, func(name string) bool { return doublestar.MatchUnvalidated(glob, name) }) {
			return true
		}
	}
	return false
}

// ShortName is a program's path below the learned folder, without the ending.
func ShortName(programPath string) string {
	return strings.TrimSuffix(strings.TrimPrefix(programPath, program.LearnedDir+"/"), program.Suffix)
}
