package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/spf13/cobra"
)

// maxDuration is the longest that a program can have taken, in milliseconds.
const maxDuration = int64(30 * 24 * time.Hour / time.Millisecond)

// durationsFile is what eval durations writes.
type durationsFile struct {
	// MS is how long each program takes, in milliseconds, by path.
	MS map[string]int64 `json:"program_ms"`
}

func newEvalDurations(st *State) *cobra.Command {
	var projectDir string
	cmd := &cobra.Command{
		Use:   "durations [RUN...]",
		Short: "Write how long programs take, for eval run --shard --durations",
		Long: `Prints how long each program took: of several runs, the median; without a RUN,
that of its newest 20 good runs in the project's history. A RUN is a run's folder, its results.json, the id of a run of the project, or the word latest.
The file decides which shard has which program, so give all shards the same one.`,
		Example: `  opendesk eval durations > durations.json
  opendesk eval durations .opendesk/eval/runs/* > durations.json
  opendesk eval run learn-regression --shard 1/3 --durations durations.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				ms, err := historyDurations(cmd.Context(), st, projectDir)
				if err != nil {
					return err
				}
				return writeDurations(st.Stdout, ms)
			}
			var runs []*results.Run
			var errs []error
			for _, arg := range args {
				run, err := readRun(arg, projectDir)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				runs = append(runs, run)
			}
			if len(errs) > 0 {
				return usage("%w", errors.Join(errs...))
			}
			ms := medians(runs)
			if len(ms) == 0 {
				return usage("no program was run in these runs")
			}
			return writeDurations(st.Stdout, ms)
		},
	}
	cmd.Flags().StringVar(&projectDir, "project", ".", "the project's folder")
	return cmd
}

func writeDurations(w io.Writer, ms map[string]int64) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(durationsFile{MS: ms})
}

// historyDurations is how long programs took in the newest good runs of the
// project's history, in milliseconds.
func historyDurations(ctx context.Context, st *State, projectDir string) (ms map[string]int64, err error) {
	p, err := openProject(projectDir)
	if err != nil {
		return nil, err
	}
	h, err := readHistory(ctx, st, p)
	switch {
	case err != nil:
		return nil, err
	case h == nil:
		return nil, usage("there is no history in %s yet: give folders of runs, or their results.json", p.HistoryFile())
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	all, err := h.Durations(ctx, compare.SlowRuns)
	if err != nil {
		return nil, &exit{exitInternal, err}
	}
	if len(all) == 0 {
		return nil, usage("the history knows no good run yet: give folders of runs, or their results.json")
	}
	ms = make(map[string]int64, len(all))
	for path, list := range all {
		ms[path] = compare.Median(list)
	}
	return ms, nil
}

// readRun reads the results that a word on the command line means.
func readRun(arg, projectDir string) (*results.Run, error) {
	place, err := findRun(arg, projectDir)
	if err != nil {
		return nil, err
	}
	return readResults(place.results)
}

// medians is how long programs took that were run, in milliseconds.
func medians(runs []*results.Run) map[string]int64 {
	all := map[string][]int64{}
	for _, run := range runs {
		for i := range run.Programs {
			if p := &run.Programs[i]; len(p.Attempts) > 0 {
				all[p.Path] = append(all[p.Path], p.DurationMS)
			}
		}
	}
	ms := make(map[string]int64, len(all))
	for path, list := range all {
		slices.Sort(list)
		ms[path] = list[len(list)/2]
	}
	return ms
}

// readDurations reads what eval durations wrote; nothing for no file.
func readDurations(path string) (harness.Durations, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file durationsFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(file.MS) == 0 {
		return nil, fmt.Errorf("%s: holds no durations: write it by 'opendesk eval durations'", path)
	}
	durations := harness.Durations{}
	for name, ms := range file.MS {
		if ms < 0 || ms > maxDuration {
			return nil, fmt.Errorf("%s: %s took %d ms: write it by 'opendesk eval durations'", path, name, ms)
		}
		durations[name] = time.Duration(ms) * time.Millisecond
	}
	return durations, nil
}
