package cli

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/opendesk/opendesk/results/history"
)

// lastGood gives the runs that are the last good one of a program, with those
// programs' paths, by the run's id. Suites are looked at one by one. What the
// history calls that counts in any case: it is what runs are compared with. A
// run that it does not know (--no-history, a history that was lost) counts by
// the results that it left, where it is newer.
func lastGood(ctx context.Context, h *history.DB, runs []oldRun) (map[string][]string, error) {
	type program struct{ suite, path string }
	needed, known := map[string][]string{}, map[string]bool{}
	newest := map[program]time.Time{}
	if h != nil {
		var err error
		if needed, err = h.LastGood(ctx); err != nil {
			return nil, err
		}
		for info, err := range h.All(ctx, "").Runs() {
			if err != nil {
				return nil, err
			}
			known[info.ID] = true
			for _, path := range needed[info.ID] {
				newest[program{info.Suite, path}] = info.StartedAt
			}
		}
	}
	for _, old := range runs {
		if known[old.id] || old.busy || old.folder == "" {
			continue
		}
		run, _ := runPlace{dir: old.folder, results: filepath.Join(old.folder, "results.json")}.toCompare()
		if run == nil {
			continue // nobody can read it: it shows nothing
		}
		for _, o := range run.Outcomes() {
			key := program{run.Info().Suite, o.Path}
			if o.Good() && run.Info().StartedAt.After(newest[key]) {
				newest[key] = run.Info().StartedAt
				needed[old.id] = append(needed[old.id], o.Path)
			}
		}
	}
	return needed, nil
}

// inUse says whether one of the programs is still in the project.
func inUse(projectDir string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return isThere(filepath.Join(projectDir, filepath.FromSlash(path)))
	})
}
