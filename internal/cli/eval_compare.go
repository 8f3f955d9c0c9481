package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/reporters/comparison"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
	"github.com/spf13/cobra"
)

// comparisonFormats are the formats of a comparison and what writes them.
var comparisonFormats = map[string]func(io.Writer, *compare.Comparison) error{
	"html":     comparison.HTML,
	"text":     comparison.Text,
	"json":     writeComparisonJSON,
	"markdown": comparison.Markdown,
}

func formatNames() string { return strings.Join(sortedKeys(comparisonFormats), ", ") }

func newEvalCompare(st *State) *cobra.Command {
	var projectDir, with, format string
	var failOn []string
	cmd := &cobra.Command{
		Use:   "compare [RUN]",
		Short: "Say what is new in a run, and what changed since the last good one",
		Long: `Holds a run against the project's history: each program against its own last
good run, or everything against one run (--with RUN). For each program that
newly fails it says what changed since it was good: packages, the program's file
step by step, the environment, and the range of git commits.

A RUN is a run's folder, its results.json, its id, or latest (the default).

Broken programs are neither news nor good: a program keeps the state that it had
before it broke, and --fail-on new-failures takes no notice of it.

Exit codes:
  0    compared; nothing of what --fail-on names
  1    there is something that --fail-on names
  2    there is no such run, or the usage is wrong
  3    the history cannot be read
`,
		Example: `  opendesk eval compare
  opendesk eval compare latest --with 2026-01-02T03-04-05Z-0001
  opendesk eval compare --format markdown --fail-on new-failures,drift`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("one run at a time (given: %s)", strings.Join(args, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := comparisonFormats[format]
			if !known {
				return usage("--format %q is unknown: there are %s", format, formatNames())
			}
			remarks, err := parseNews(failOn)
			if err != nil {
				return usage("--fail-on: %w", err)
			}
			p, err := openProject(projectDir)
			if err != nil {
				return err
			}
			arg := latest
			if len(args) == 1 {
				arg = args[0]
			}
			c, err := compareNamed(cmd.Context(), st, p, arg, with)
			if err != nil {
				return err
			}
			if err := write(st.Stdout, c); err != nil {
				return &exit{exitInternal, err}
			}
			return failOnNews(c, remarks)
		},
	}
	f := cmd.Flags()
	f.StringVar(&projectDir, "project", ".", "the project's folder")
	f.StringVar(&with, "with", compare.LastGood, "what to compare with: last-good, or a run")
	f.StringVar(&format, "format", "text", formatNames())
	f.StringSliceVar(&failOn, "fail-on", nil, "exit with 1 where there is one of these: "+strings.Join(newsNames, ", "))
	return cmd
}

// newsNames are what a comparison can be made to fail on.
var newsNames = []string{string(results.NewFailures), string(results.WarnDrift), string(results.WarnSlow)}

func parseNews(failOn []string) ([]string, error) {
	for _, name := range failOn {
		if !slices.Contains(newsNames, name) {
			return nil, fmt.Errorf("%q is unknown: there are %s", name, strings.Join(newsNames, ", "))
		}
	}
	return failOn, nil
}

// failOnNews is the exit code for what is new.
func failOnNews(c *compare.Comparison, names []string) error {
	lists := map[string][]compare.ProgramChange{
		newsNames[0]: c.NewlyFailing, newsNames[1]: c.Drifting, newsNames[2]: c.Slower,
	}
	for _, name := range names {
		if len(lists[name]) > 0 {
			return &exit{code: exitFailed}
		}
	}
	return nil
}

// compareNamed compares the run that a word on the command line means with what
// another one means: compare.LastGood, or one run.
func compareNamed(ctx context.Context, st *State, p *project.Project, arg, with string) (c *compare.Comparison, err error) {
	defer limitMemory()()
	h, err := readHistory(ctx, st, p)
	if err != nil {
		return nil, err
	}
	if h != nil {
		defer func() { err = errors.Join(err, h.Close()) }()
	}
	var past compare.Past
	var noPast error
	var reading sync.WaitGroup
	if with != compare.LastGood {
		reading.Go(func() { past, with, noPast = pastOf(ctx, h, p, with) })
	}
	run, err := readToCompare(arg, p)
	reading.Wait()
	if err != nil {
		err = usage("%w", err)
	}
	if err := errors.Join(err, noPast); err != nil {
		return nil, err
	}
	return compareIn(ctx, h, run, past, with)
}

// readToCompare reads what there is to compare of the run that a word on the
// command line means.
func readToCompare(arg string, p *project.Project) (*compare.Run, error) {
	place, err := findRun(arg, p.Dir)
	if err != nil {
		return nil, err
	}
	return place.toCompare()
}

// toCompare reads what there is to compare of the run.
func (p runPlace) toCompare() (*compare.Run, error) {
	if run, err := readResultsBy(compare.Read, p.results); err == nil {
		return run, nil
	}
	run, _, err := p.read() // from its events, or why not
	if run == nil {
		return nil, err
	}
	return compare.Of(run), nil
}

// compareRun compares a finished run with what the project's history knows from
// before it.
func compareRun(ctx context.Context, st *State, p *project.Project, run *results.Run) (c *compare.Comparison, err error) {
	h, err := readHistory(ctx, st, p)
	if err != nil {
		return nil, err
	}
	if h != nil {
		defer func() { err = errors.Join(err, h.Close()) }()
	}
	return compareIn(ctx, h, compare.Of(run), nil, compare.LastGood)
}

// compareIn compares a run with the past, or where that is nil with what the
// history knows from before it; that is nil where there is none.
func compareIn(ctx context.Context, h *history.DB, run *compare.Run, past compare.Past, with string) (*compare.Comparison, error) {
	switch {
	case past != nil:
	case h != nil:
		past = h.Before(ctx, run.Info())
	default:
		past = compare.OfRuns(nil)
	}
	c, err := compare.Compare(run, past, with)
	if err != nil {
		return nil, &exit{exitInternal, fmt.Errorf("read the history: %w", err)}
	}
	if h == nil && with == compare.LastGood {
		c.Notes = append(c.Notes, "the project has no history yet: 'opendesk eval run' begins it")
	}
	return c, nil
}

// pastOf is the past of the one run that a word on the command line means, and
// its id.
func pastOf(ctx context.Context, h *history.DB, p *project.Project, arg string) (compare.Past, string, error) {
	run, err := readToCompare(arg, p)
	if run != nil {
		past := compare.OfRuns([]*compare.Run{run})
		if h != nil {
			past = withContents{past, h.Only(ctx, run.Info().ID).Content}
		}
		return past, run.Info().ID, nil
	}
	if h != nil { // its folder can have been pruned
		past := h.Only(ctx, arg)
		for range past.Runs() {
			return past, arg, nil
		}
	}
	return nil, "", usage("--with: %w", err)
}

// readHistory opens the project's history to look something up, nil where
// there is none.
func readHistory(ctx context.Context, st *State, p *project.Project) (*history.DB, error) {
	if !isThere(p.HistoryFile()) {
		return nil, nil
	}
	h, err := history.Open(ctx, p.HistoryFile())
	if err != nil {
		return nil, &exit{exitInternal, err}
	}
	if note := h.Note(); note != "" {
		fmt.Fprintf(st.Stderr, "opendesk: %s\n", note)
	}
	return h, nil
}

func writeComparisonJSON(w io.Writer, c *compare.Comparison) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(c)
}
