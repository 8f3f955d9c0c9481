package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/merge"
	"github.com/spf13/cobra"
)

// mergeOptions are the flags of eval merge.
type mergeOptions struct {
	output    string
	project   string
	noHistory bool
	failOn    []string
	remarks   []results.Remark // failOn
	reportFlags
}

func newEvalMerge(st *State) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge DIR... -o DIR",
		Short: "Make one run of the shards of one evaluation",
		Long: `Makes one run of the folders that 'eval run --shard 1/N' to N/N have left, on
whatever machines: the same as one run of everything would have left, with
results.json, junit.xml, events.ndjson, audit.ndjson and the files that results
name. Every file is held against its hash. Nothing is done with the shards.

Counts, notes and the exit code are made anew from all programs. What differs
between the shards' environments (kernel, versions of packages) is a note. With
--fail-on, more makes the exit code 1 than what the shards were run with.

The merged run is added to the history of the project (--project) and held
against it, as eval run does it; so run the shards with --no-history. In a folder
without .opendesk and without --project there is no history.

It is an error (exit code 2) when folders are no shards of one evaluation: when
suite, plan digest, order or number of shards differ, when a shard is missing or
there twice, when files are missing or are not those that results tell of. All
problems are told at once, and no folder is made.

The exit code is that of the merged run, as eval run would have had it, or 3
where something could not be written:
` + strings.TrimPrefix(exitCodes, "\nExit codes:\n"),
		Example: `  opendesk eval merge shard-1 shard-2 shard-3 -o merged
  opendesk eval merge shards/* -o merged --reporter junit:build/junit.xml
  opendesk eval merge shards/* -o merged --project . --fail-on new-failures`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which runs? Give the folders of all shards")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return evalMerge(cmd.Context(), st, args, &o, cmd.Flags().Changed("project"))
		},
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "the merged run's folder, which is made (required)")
	cmd.Flags().StringVar(&o.project, "project", ".", "the project's folder")
	cmd.Flags().BoolVar(&o.noHistory, "no-history", false, "compare with no earlier run, and do not add this one to .opendesk/eval/history.db")
	cmd.Flags().StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 also where there is one of these: "+remarkNames())
	o.addReportFlags(cmd, "NAME[:PATH], repeatable, in addition to results.json and junit.xml in the run's folder and the console: ")
	return cmd
}

// memoryLimit is what commands on very large runs try to get by with, in bytes:
// the results of a hundred thousand programs have 250 MiB. Above it, garbage is
// collected more often.
const memoryLimit = 424 << 20

// limitMemory sets the limit until the function that it gives is called.
func limitMemory() (restore func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, memoryLimit))
	return func() { debug.SetMemoryLimit(before) }
}

func evalMerge(ctx context.Context, st *State, dirs []string, o *mergeOptions, projectNamed bool) error {
	defer limitMemory()()
	if o.output == "" {
		return usage("where to? Name the merged run's folder: -o DIR")
	}
	if len(o.failOn) > 0 {
		var err error
		if o.remarks, err = results.ParseRemarks(strings.Join(o.failOn, ",")); err != nil {
			return usage("--fail-on: %w", err)
		}
	}
	past, err := o.history(projectNamed)
	if err != nil {
		return err
	}
	defer past.close() //nolint:errcheck // only read, where it is still open
	dir, err := filepath.Abs(o.output)
	if err != nil {
		return &exit{exitInternal, err}
	}
	if err := vacant(dir); err != nil {
		return usage("%w", err)
	}
	shards, unread := readShards(ctx, dirs)
	if ctx.Err() != nil {
		return &exit{results.ExitInterrupted, errors.New(results.Interrupted)}
	}
	options := merge.Options{ID: runID(firstStart(shards)), FailOn: o.remarks}
	var review merge.Review
	if past != nil {
		options.Review = func(run *results.Run) merge.Review {
			review = past.compare(ctx, run)
			return review
		}
	}
	if len(shards) == 0 {
		return unmergeable(unread)
	}
	run, err := merge.Runs(shards, options)
	if err := errors.Join(unread, err); err != nil {
		return unmergeable(err)
	}
	o.rename(run, o.project)
	manager, err := o.manager(st, withConsole(withDefaults(o.reporters)), dir, false)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &exit{exitInternal, err}
	}
	note, err := mergeFiles(ctx, run, shards, review.Warnings, dir, past, func() { manager.FinishFiles(run) })
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir)) // it was empty
		var problem *merge.ProblemError
		if errors.As(err, &problem) {
			return unmergeable(err)
		}
		return &exit{exitInternal, err}
	}
	if note != "" {
		run.Notes = append(run.Notes, note)
		manager.FinishFiles(run)
	}
	code := run.ExitCode
	if err := manager.Finish(run); err != nil {
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

// mergeFiles makes the merged run's files, reports last, and meanwhile adds the
// run to the history. Where the others cannot be made, the history is left as it
// was and no report made. The note is on the history; reports do not have it.
func mergeFiles(ctx context.Context, run *results.Run, shards []merge.Shard, warnings map[string][]results.Warning,
	dir string, past *mergeHistory, reports func()) (note string, err error) {
	copied := sync.OnceValue(func() error { return merge.Artifacts(shards, dir) })
	if merge.ArtifactBytes(shards) > copiedMeanwhile {
		if err := copied(); err != nil {
			return "", err
		}
	}
	ended := make(chan error, 1)
	var making sync.WaitGroup
	making.Go(func() {
		err := copied()
		if err == nil {
			err = merge.Logs(run, shards, warnings, dir)
		}
		ended <- err
		if err == nil {
			reports()
		}
	})
	written := sync.OnceValue(func() error { return <-ended })
	note = past.record(ctx, written)
	making.Wait()
	return note, written()
}

// copiedMeanwhile is how many bytes of files are copied while the history is
// being written, at most: nobody else can write to it as long.
const copiedMeanwhile = 256 << 20

// unmergeable says why runs cannot be merged: one reason behind that, several
// below it.
func unmergeable(reasons error) error {
	if strings.Contains(reasons.Error(), "\n") {
		return usage("the runs cannot be merged:\n%w", reasons)
	}
	return usage("the runs cannot be merged: %w", reasons)
}

// vacant says that the folder of a run that is to be made is in use.
func vacant(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is no folder: -o names that of the merged run", fromHere(dir))
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("the folder %s is not empty: name another by -o", dir)
	}
	return nil
}

// readShards reads the runs of these folders, as many at a time as there are
// cores. The error holds every problem, one a line; the runs that could be read
// come with it.
func readShards(ctx context.Context, dirs []string) ([]merge.Shard, error) {
	shards := make([]merge.Shard, len(dirs))
	problems := make([]error, len(dirs))
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(dirs)) {
		readers.Go(func() {
			for i := range next {
				shards[i].Dir = dirs[i]
				if shards[i].Run, problems[i] = readShard(dirs[i]); problems[i] != nil {
					shards[i].Run = nil
				}
			}
		})
	}
	for i := range dirs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	readers.Wait()
	shards = slices.DeleteFunc(shards, func(s merge.Shard) bool { return s.Run == nil })
	return shards, errors.Join(problems...)
}

// readShard reads a run; that of one that was killed is rebuilt from its events.
func readShard(dir string) (*results.Run, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(dir, "*?["):
		return nil, fmt.Errorf("%s: there are no such folders", dir) // the shell found nothing
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such folder", dir)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is not the folder of a run", dir)
	}
	place, err := findRun(dir, "")
	if err != nil {
		return nil, err
	}
	run, _, err := place.read()
	if run != nil {
		run.Pack()
	}
	return run, err
}
