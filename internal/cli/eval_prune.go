package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/spf13/cobra"
)

func newEvalPrune(st *State) *cobra.Command {
	var projectDir, olderThan string
	var keep int
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs: their folders and their rows in the history",
		Long: `Removes runs of the project, by age, by number or by both: what --keep keeps is
kept however old it is. The last good run of a program that is still there is
never removed, nor is a run that is under way.`,
		Example: `  opendesk eval prune --keep 50
  opendesk eval prune --older-than 30d --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rule := pruneRule{keep: keep}
			given := cmd.Flags().Changed
			switch {
			case !given("keep") && !given("older-than"):
				return usage("what is to go? Give --keep N, --older-than 30d, or both")
			case given("keep") && keep < 0:
				return usage("--keep must not be negative, as %d is", keep)
			}
			if given("older-than") {
				age, err := parseAge(olderThan)
				if err != nil {
					return usage("--older-than: %w", err)
				}
				rule.before = st.Now().Add(-age)
			}
			p, err := openProject(projectDir)
			if err != nil {
				return err
			}
			pruned, err := pruneProject(cmd.Context(), st, p, rule, dryRun)
			if err != nil {
				return &exit{exitInternal, err}
			}
			verb := "removed"
			if dryRun {
				verb = "would remove"
			}
			for _, id := range pruned.runs {
				fmt.Fprintf(st.Stdout, "%s %s\n", verb, id)
			}
			fmt.Fprintf(st.Stdout, "%s %d of %d runs; %d more are the last good run of a program\n",
				verb, len(pruned.runs), pruned.all, pruned.needed)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&projectDir, "project", ".", "the project's folder")
	f.IntVar(&keep, "keep", 0, "keep this many of the newest runs")
	f.StringVar(&olderThan, "older-than", "", "only runs that are older than this, such as 30d or 12h")
	f.BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	return cmd
}

// maxAge is the longest age that parseAge reads.
const maxAge = 100 * 365 * 24 * time.Hour

// parseAge reads "30d", or what Go's durations are written like.
func parseAge(text string) (time.Duration, error) {
	age, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n int
		if n, err = strconv.Atoi(days); err == nil && n <= int(maxAge/(24*time.Hour)) {
			age = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil || age <= 0 || age > maxAge {
		return 0, fmt.Errorf("%q is no age: write 30d or 12h", text)
	}
	return age, nil
}

// pruneRule says which runs may go.
type pruneRule struct {
	// keep is how many of the newest stay, before when the others must have
	// begun to go; zero for any time.
	keep   int
	before time.Time
}

// pruned is what was removed.
type pruned struct {
	runs   []string // the newest first
	all    int
	needed int // that would have gone, and are the last good run of a program
}

// oldRun is a run that can be pruned.
type oldRun struct {
	id     string
	began  time.Time
	folder string // "" for none
	busy   bool   // it is under way
}

// pruneProject removes the runs that the rule lets go: folders first, so that
// what is cut short can be done again.
func pruneProject(ctx context.Context, st *State, p *project.Project, rule pruneRule, dryRun bool) (out pruned, err error) {
	h, err := readHistory(ctx, st, p)
	if err != nil {
		return out, err
	}
	runs, err := runFolders(p.RunsDir())
	if h != nil {
		defer func() { err = errors.Join(err, h.Close()) }()
	}
	if err != nil {
		return out, err
	}
	if h != nil {
		if runs, err = withRecorded(runs, h.All(ctx, "")); err != nil {
			return out, err
		}
	}
	slices.SortFunc(runs, func(a, b oldRun) int { return cmp.Or(b.began.Compare(a.began), cmp.Compare(b.id, a.id)) })
	needed, err := lastGood(ctx, h, runs)
	if err != nil {
		return out, err
	}
	out.all = len(runs)
	for i, run := range runs {
		if i < rule.keep || run.busy || !rule.before.IsZero() && !run.began.Before(rule.before) {
			continue
		}
		if inUse(p.Dir, needed[run.id]) {
			out.needed++
			continue
		}
		if !dryRun && run.folder != "" {
			if err := os.RemoveAll(run.folder); err != nil {
				return out, err
			}
		}
		out.runs = append(out.runs, run.id)
	}
	if h == nil || dryRun || len(out.runs) == 0 {
		return out, nil
	}
	return out, h.Delete(ctx, out.runs)
}

// runFolders are the runs that have a folder in the project.
func runFolders(dir string) ([]oldRun, error) {
	folders, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var runs []oldRun
	for _, folder := range folders {
		run := oldRun{id: folder.Name(), folder: filepath.Join(dir, folder.Name())}
		began, isRun := began(run.folder)
		if !folder.IsDir() || !isRun {
			continue // not ours to remove
		}
		run.began, run.busy = began, underWay(run.folder)
		runs = append(runs, run)
	}
	return runs, nil
}

// withRecorded adds the runs that only the history knows.
func withRecorded(runs []oldRun, past compare.Past) ([]oldRun, error) {
	for info, err := range past.Runs() {
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(runs, func(r oldRun) bool { return r.id == info.ID }) {
			runs = append(runs, oldRun{id: info.ID, began: info.StartedAt})
		}
	}
	return runs, nil
}

// underWay says whether the run of a folder is going on.
func underWay(dir string) bool {
	events, err := os.Open(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		return false
	}
	defer events.Close() //nolint:errcheck // read only
	return isLocked(events)
}
