package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
	"github.com/spf13/cobra"
)

func newEvalHistory(st *State) *cobra.Command {
	var projectDir string
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "history [PROGRAM]",
		Short: "Show how programs fared in earlier runs",
		Long: `Shows for each program the newest runs, the oldest first, as a line of marks, how
flaky it is, and how long it takes; of one program, run by run.

  ▁ passed  ▄ flaky  █ failed or invalid  ? broken  · not run  q failed in quarantine

Flakiness is the share of the newest 20 runs with a verdict in which the program
passed on a retry only, passed in some repetitions only, or came out otherwise
than the run before although its file, the packages and the git commit were the
same.`,
		Example: `  opendesk eval history
  opendesk eval history export-report --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if limit < 1 {
				return usage("--runs must be 1 or more, not %d", limit)
			}
			p, err := openProject(projectDir)
			if err != nil {
				return err
			}
			h, err := readHistory(cmd.Context(), st, p)
			switch {
			case err != nil:
				return err
			case h == nil:
				return usage("there is no history in %s yet: 'opendesk eval run' begins it", p.HistoryFile())
			}
			defer func() { err = errors.Join(err, h.Close()) }()
			programs, err := programHistories(cmd.Context(), h, p, args, limit)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				encoder := json.NewEncoder(st.Stdout)
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				return encoder.Encode(map[string]any{"programs": programs})
			case len(args) == 1:
				return writeProgramHistory(st.Stdout, programs[0])
			case len(programs) == 0:
				_, err := fmt.Fprintf(st.Stdout, "no run is in %s yet\n", fromHere(p.HistoryFile()))
				return err
			}
			return writeHistories(st.Stdout, programs)
		},
	}
	f := cmd.Flags()
	f.StringVar(&projectDir, "project", ".", "the project's folder")
	f.BoolVar(&asJSON, "json", false, "as JSON")
	f.IntVar(&limit, "runs", 30, "how many of the newest runs to show")
	return cmd
}

// programHistory is what is known of a program.
type programHistory struct {
	Path      string             `json:"path"`
	Name      string             `json:"name"`
	Flakiness *compare.Flakiness `json:"flakiness,omitempty"`
	MedianMS  int64              `json:"median_ms,omitempty"` // of good runs
	LastGood  *compare.RunRef    `json:"last_good,omitempty"`
	Runs      []programRun       `json:"runs"` // the newest first
}

// programRun is what came of a program in a run.
type programRun struct {
	Run        string         `json:"run"`
	StartedAt  time.Time      `json:"started_at"`
	Status     results.Status `json:"status"`
	Excused    bool           `json:"excused,omitempty"`
	Mixed      bool           `json:"mixed,omitempty"`
	DurationMS int64          `json:"duration_ms"`
	Commit     string         `json:"git_commit,omitempty"`
	SHA256     string         `json:"sha256,omitempty"`
	Reason     string         `json:"reason,omitempty"`
}

// programHistories are those of the named program, or of all.
func programHistories(ctx context.Context, h *history.DB, p *project.Project, args []string, limit int) ([]programHistory, error) {
	paths, _, err := h.Programs(ctx)
	if err != nil {
		return nil, &exit{exitInternal, err}
	}
	if len(args) == 1 {
		named := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
			return path != args[0] && compare.ShortName(path) != args[0]
		})
		if len(named) == 0 {
			return nil, usage("no program %q in the history (see 'opendesk eval history')", args[0])
		}
		paths = named[:1]
	}
	past := h.All(ctx, "")
	list := make([]programHistory, 0, len(paths))
	for _, path := range paths {
		one, err := historyOf(past, path, limit)
		if err != nil {
			return nil, &exit{exitInternal, fmt.Errorf("%s: %w", p.HistoryFile(), err)}
		}
		list = append(list, one)
	}
	return list, nil
}

func historyOf(past compare.Past, path string, limit int) (programHistory, error) {
	out := programHistory{Path: path, Name: compare.ShortName(path), Runs: []programRun{}}
	var outcomes []compare.Outcome
	var durations []int64
	for o, err := range past.Outcomes(path) {
		if err != nil {
			return out, err
		}
		outcomes = append(outcomes, o)
		if o.Status == results.Passed || o.Status == results.Flaky {
			if out.LastGood == nil {
				out.LastGood = &o.Run
			}
			if len(durations) < compare.SlowRuns {
				durations = append(durations, o.DurationMS)
			}
		}
		if len(out.Runs) < limit {
			out.Runs = append(out.Runs, programRun{
				Run: o.Run.ID, StartedAt: o.Run.StartedAt, Status: o.Status, Excused: o.Excused, Mixed: o.Mixed,
				DurationMS: o.DurationMS, Commit: o.Run.Commit, SHA256: o.SHA256, Reason: o.Reason,
			})
		} else if len(outcomes) > 3*compare.FlakinessRuns {
			break
		}
	}
	out.Flakiness, out.MedianMS = compare.FlakinessOf(outcomes), compare.Median(durations)
	return out, nil
}

// mark is a run of a program as one character.
func (r programRun) mark() string {
	switch {
	case r.Excused:
		return "q"
	case r.Status == results.Passed && !r.Mixed:
		return "▁"
	case r.Status == results.Flaky, r.Mixed:
		return "▄"
	case r.Status == results.Failed, r.Status == results.Invalid:
		return "█"
	case r.Status == results.Broken:
		return "?"
	}
	return "·"
}

// bars are the marks of a sparkline, the lowest first.
var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline draws the values, relative to the largest; zero is a space.
func sparkline(values []int64) string {
	if len(values) == 0 {
		return ""
	}
	most := slices.Max(values)
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = ' '
		if v > 0 {
			line[i] = bars[int(v*int64(len(bars)-1)/most)]
		}
	}
	return string(line)
}

// lines are the marks of the runs and their durations, the oldest first.
func (h programHistory) lines() (marks, durations string) {
	var b strings.Builder
	var values []int64
	for _, r := range slices.Backward(h.Runs) {
		b.WriteString(r.mark())
		values = append(values, r.DurationMS)
	}
	return b.String(), sparkline(values)
}

func (h programHistory) flakiness() string {
	if h.Flakiness == nil {
		return "no verdict yet"
	}
	return fmt.Sprintf("flakiness %g %% of %d", h.Flakiness.Percent, h.Flakiness.Runs)
}

// median is how long good runs take, the number of seconds at least that wide.
func (h programHistory) median(width int) string {
	if h.LastGood == nil {
		return "no good run"
	}
	return fmt.Sprintf("median %*.1f s", width, float64(h.MedianMS)/1000)
}

func writeHistories(w io.Writer, programs []programHistory) error {
	name, runs := 0, 0
	for _, p := range programs {
		name, runs = max(name, len([]rune(p.Name))), max(runs, len(p.Runs))
	}
	for _, p := range programs {
		marks, durations := p.lines()
		_, err := fmt.Fprintf(w, "%-*s  %*s  %*s  %-14s  %s\n",
			name, p.Name, runs, marks, runs, durations, p.median(5), p.flakiness())
		if err != nil {
			return err
		}
	}
	return nil
}

func writeProgramHistory(w io.Writer, p programHistory) error {
	marks, durations := p.lines()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  outcomes   %s\n  durations  %s  %s\n", p.Path, marks, durations, p.median(0))
	if f := p.Flakiness; f != nil {
		fmt.Fprintf(&b, "  %s runs: %d flaky, %d flips without a change\n", p.flakiness(), f.Flaky, f.Flips)
	}
	if p.LastGood != nil {
		fmt.Fprintf(&b, "  last good  %s (%s)\n", p.LastGood.StartedAt.Format("2006-01-02 15:04 UTC"), p.LastGood.ID)
	}
	b.WriteString("\n")
	for _, r := range p.Runs {
		status := string(r.Status)
		if r.Excused {
			status = "excused"
		}
		reason := []rune(strings.Join(strings.Fields(r.Reason), " "))
		if len(reason) > 100 {
			reason = append(reason[:99], '…')
		}
		fmt.Fprintf(&b, "%s  %-8s %6.1f s  %-10.10s  %s", r.StartedAt.Format("2006-01-02 15:04"), status,
			float64(r.DurationMS)/1000, r.Commit, r.Run)
		if len(reason) > 0 {
			fmt.Fprintf(&b, "  %s", string(reason))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
