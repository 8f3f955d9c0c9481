package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
	"github.com/opendesk/opendesk/results/merge"
)

// mergeHistory is the history that a merged run is added to.
type mergeHistory struct {
	project *project.Project
	db      *history.DB // nil until the run is compared, and where it cannot be opened
	run     *results.Run
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
	m.run = run
	db, err := openHistory(ctx, m.project)
	if err != nil {
		return merge.Review{Notes: []string{notWritten(err)}}
	}
	m.db = db
	review := compareWithHistory(ctx, db, run, m.contents())
	return merge.Review{Warnings: review.Warnings, News: review.News, Notes: review.Notes}
}

// record adds the run, of which everything is known now, unless written, which
// it waits for, gives an error. The note is on what it could not do itself.
func (m *mergeHistory) record(ctx context.Context, written func() error) (note string) {
	if m == nil || m.db == nil {
		return ""
	}
	err := errors.Join(m.db.RecordWhen(ctx, m.run, m.contents(), written), m.close())
	if err == nil || written() != nil {
		return ""
	}
	return notWritten(err)
}

// close ends the use of the history.
func (m *mergeHistory) close() error {
	if m == nil || m.db == nil {
		return nil
	}
	db := m.db
	m.db = nil
	return db.Close()
}

// contents are the programs' files that are in the project as they were run.
func (m *mergeHistory) contents() compare.Contents {
	paths := sync.OnceValue(func() map[string]string {
		paths := map[string]string{}
		for i := range m.run.Programs {
			if p := &m.run.Programs[i]; p.SHA256 != "" && filepath.IsLocal(filepath.FromSlash(p.Path)) {
				paths[p.SHA256] = p.Path
			}
		}
		return paths
	})
	return func(sha256 string) ([]byte, error) {
		path, known := paths()[sha256]
		if !known {
			return nil, nil
		}
		content, err := os.ReadFile(filepath.Join(m.project.Dir, filepath.FromSlash(path)))
		if err != nil || compare.SHA256(content) != sha256 {
			return nil, nil // it is another one by now
		}
		return content, nil
	}
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
