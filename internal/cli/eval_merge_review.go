package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/merge"
)

// mergeHistory is the history that a merged run is added to.
type mergeHistory struct {
	project  *project.Project
	contents [][]byte // the programs' files, once the run was compared
}

// history is the one of the project that the flags name; nil for none. A folder
// without programs that nobody named is no project.
func (o *mergeOptions) history(named bool) (*mergeHistory, error) {
	about := slices.IndexFunc(o.remarks, results.Remark.OfHistory)
	none := o.noHistory || !named && !isThere(filepath.Join(o.project, ".opendesk"))
	switch {
	case !none:
		p, err := openProject(o.project)
		if err != nil {
			return nil, err
		}
		return &mergeHistory{project: p}, nil
	case about < 0:
		return nil, nil
	case o.noHistory:
		return nil, usage("--fail-on %s is about the history: leave out --no-history", o.remarks[about])
	}
	return nil, usage("--fail-on %s is about the history: name the project's folder by --project", o.remarks[about])
}

// compare says what is new in the merged run. What cannot be done is a note.
func (m *mergeHistory) compare(ctx context.Context, run *results.Run) merge.Review {
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	m.contents = m.files(run)
	review := compareWithHistory(ctx, m.project, run, m.contents)
	return merge.Review{Warnings: review.Warnings, News: review.News, Notes: review.Notes}
}

// record adds the run, of which everything is known now.
func (m *mergeHistory) record(ctx context.Context, run *results.Run) {
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	note, err := recordRun(ctx, m.project, run, m.contents...)
	if note != "" && !slices.Contains(run.Notes, note) {
		run.Notes = append(run.Notes, note)
	}
	if err != nil {
		run.Notes = append(run.Notes, notWritten(err))
	}
}

// files are the programs' files that are in the project as they were run.
func (m *mergeHistory) files(run *results.Run) [][]byte {
	var contents [][]byte
	for i := range run.Programs {
		p := &run.Programs[i]
		name := filepath.FromSlash(p.Path)
		if p.SHA256 == "" || p.Repeat > 1 || !filepath.IsLocal(name) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.project.Dir, name))
		if err == nil && compare.SHA256(content) == p.SHA256 {
			contents = append(contents, content)
		}
	}
	return contents
}

// firstStart is when the first of the shards began.
func firstStart(shards []merge.Shard) time.Time {
	var first time.Time
	for i, s := range shards {
		if i == 0 || s.Run.StartedAt.Before(first) {
			first = s.Run.StartedAt
		}
	}
	return first
}
