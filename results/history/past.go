package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

// Before is what is known of the runs of the same suite that began before this
// one.
func (h *DB) Before(ctx context.Context, run compare.RunInfo) compare.Past {
	return &past{ctx: ctx, h: h, where: "r.suite = ? AND (r.started_at, r.id) < (?, ?)",
		args: []any{run.Suite, run.StartedAt.UnixMilli(), run.ID}}
}

// Only is what is known of the run with this id.
func (h *DB) Only(ctx context.Context, id string) compare.Past {
	return &past{ctx: ctx, h: h, where: "r.id = ?", args: []any{id}}
}

// All is what is known of all runs of the suite, "" for those of every suite.
func (h *DB) All(ctx context.Context, suite string) compare.Past {
	if suite == "" {
		return &past{ctx: ctx, h: h, where: "true"}
	}
	return &past{ctx: ctx, h: h, where: "r.suite = ?", args: []any{suite}}
}

// past is a part of the runs.
type past struct {
	ctx   context.Context
	h     *DB
	where string // in terms of runs as r
	args  []any

	once     sync.Once
	infos    map[string]*numbered // by id
	byNumber map[int64]*numbered
	newest   []int64       // the numbers of the runs, the newest first
	rank     map[int64]int // the places in newest
	err      error
}

// load reads what is known of the runs themselves, once.
func (p *past) load() error {
	p.once.Do(func() {
		p.infos, p.byNumber, p.rank = map[string]*numbered{}, map[int64]*numbered{}, map[int64]int{}
		for run, err := range p.runs() {
			if err != nil {
				p.err = err
				return
			}
			p.infos[run.ID], p.byNumber[run.n], p.rank[run.n] = &run, &run, len(p.newest)
			p.newest = append(p.newest, run.n)
		}
	})
	return p.err
}

// info is one of the runs.
func (p *past) info(id string) (*numbered, error) {
	if err := p.load(); err != nil {
		return nil, err
	}
	if info := p.infos[id]; info != nil {
		return info, nil
	}
	return &numbered{RunInfo: compare.RunInfo{ID: id}}, nil // it was added meanwhile
}

// in says that the outcome is of this run.
func (p *past) in(o *compare.Outcome, run *numbered) {
	o.Run = compare.RunRef{ID: run.ID, StartedAt: run.StartedAt, Commit: run.Environment.Commit}
	o.Tool, o.Environment = &run.Tool, &run.Environment
}

// newest is the order of runs that everything is read in.
const newest = " ORDER BY r.started_at DESC, r.id DESC"

const runColumns = "r.n, r.id, r.suite, r.started_at, r.duration_ms, r.status, r.interrupted, r.part, r.tool, r.environment, r.counts, r.kind"

// numbered is a run with its number in the history.
type numbered struct {
	compare.RunInfo
	n int64
}

func (p *past) Runs() iter.Seq2[compare.RunInfo, error] {
	return func(yield func(compare.RunInfo, error) bool) {
		for run, err := range p.runs() {
			if !yield(run.RunInfo, err) {
				return
			}
		}
	}
}

// runs are the runs, the newest first.
func (p *past) runs() iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		rows, err := p.h.db.QueryContext(p.ctx, "SELECT "+runColumns+" FROM runs r WHERE "+p.where+newest, p.args...)
		if err != nil {
			yield(numbered{}, err)
			return
		}
		defer rows.Close() //nolint:errcheck // rows.Err is looked at
		for rows.Next() {
			run, err := scanRun(rows)
			if !yield(run, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(numbered{}, err)
		}
	}
}

func scanRun(rows *sql.Rows) (numbered, error) {
	var info numbered
	var started int64
	var tool, environment, counts, status string
	err := rows.Scan(&info.n, &info.ID, &info.Suite, &started, &info.DurationMS, &status, &info.Interrupted, &info.Part,
		&tool, &environment, &counts, &info.Kind)
	info.StartedAt, info.Status = time.UnixMilli(started).UTC(), results.Status(status)
	return info, errors.Join(err, decode(tool, &info.Tool), decode(environment, &info.Environment), decode(counts, &info.Counts))
}

// decode reads JSON of the history; the empty text is nothing.
func decode(text string, into any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}

func (p *past) Paths(run compare.RunInfo) ([]string, error) {
	rows, err := p.h.db.QueryContext(p.ctx, `SELECT DISTINCT p.path FROM outcomes o
		JOIN programs p ON p.n = o.program JOIN runs r ON r.n = o.run WHERE r.id = ? ORDER BY p.path`, run.ID)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	var paths []string
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, rows.Err()
}

func (p *past) Outcomes(path string) iter.Seq2[compare.Outcome, error] {
	return func(yield func(compare.Outcome, error) bool) {
		rows, err := p.h.query(p.ctx, `SELECT r.id, `+outcomeColumns+`
			FROM programs p JOIN outcomes o ON o.program = p.n JOIN runs r ON r.n = o.run
			WHERE p.path = ? AND `+p.where+newest+", o.repeat", slices.Concat([]any{path}, p.args)...)
		if err != nil {
			yield(compare.Outcome{}, err)
			return
		}
		defer rows.Close()        //nolint:errcheck // rows.Err is looked at
		var open *compare.Outcome // the repetitions so far of the run that is being read
		for rows.Next() {
			o, err := p.outcome(rows, path)
			switch {
			case err != nil:
				yield(o, err)
				return
			case open == nil:
				open = &o
			case open.Run.ID == o.Run.ID:
				worse := compare.Combine(*open, o)
				open = &worse
			default:
				if !yield(*open, nil) {
					return
				}
				open = &o
			}
		}
		if err := rows.Err(); err != nil {
			yield(compare.Outcome{}, err)
			return
		}
		if open != nil {
			yield(*open, nil)
		}
	}
}

// outcome reads one repetition.
func (p *past) outcome(rows *sql.Rows, path string) (compare.Outcome, error) {
	o := compare.Outcome{Path: path}
	var id string
	if err := scanOutcome(rows, &o, &id); err != nil {
		return o, err
	}
	run, err := p.info(id)
	if err != nil {
		return o, err
	}
	p.in(&o, run)
	return o, nil
}

func (p *past) Steps(o compare.Outcome) ([]compare.StepOutcome, error) {
	rows, err := p.h.query(p.ctx, `SELECT s.list FROM programs p JOIN runs r JOIN steps s ON s.program = p.n AND s.run = r.n
		WHERE p.path = ? AND r.id = ? AND s.repeat = ?`, o.Path, o.Run.ID, o.Repeat)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	if !rows.Next() {
		return nil, rows.Err()
	}
	var list sql.RawBytes
	if err := rows.Scan(&list); err != nil {
		return nil, err
	}
	return decodeSteps(list)
}

func (p *past) Content(sha256 string) ([]byte, error) {
	var content []byte
	err := p.h.db.QueryRowContext(p.ctx, "SELECT content FROM contents WHERE sha256 = ?", sha256).Scan(&content)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err == nil && content == nil:
		content = []byte{} // an empty file is not an unknown one
	}
	return content, err
}
