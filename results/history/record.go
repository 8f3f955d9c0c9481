package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

// Record adds the run, in one transaction; one that is known already is
// replaced. contents are asked for the programs' files that are not known yet;
// nil for none.
func (h *DB) Record(ctx context.Context, run *results.Run, contents compare.Contents) error {
	return h.RecordWhen(ctx, run, contents, func() error { return nil })
}

// RecordWhen is Record that waits for ready before the run is in the history,
// and leaves it as it was where that gives an error. Nobody else can write to
// the history meanwhile.
func (h *DB) RecordWhen(ctx context.Context, run *results.Run, contents compare.Contents, ready func() error) (err error) {
	if h.readOnly != nil {
		return fmt.Errorf("%s cannot be written to: %w", h.path, h.readOnly)
	}
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreDone(tx.Rollback()))
		}
	}()
	w := writer{ctx: ctx, tx: tx}
	if err := w.run(run); err != nil {
		return err
	}
	if contents != nil {
		if err := w.contents(contents); err != nil {
			return err
		}
	}
	if err := ready(); err != nil {
		return err
	}
	return tx.Commit()
}

// ignoreDone takes away the error of a transaction that has ended already.
func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// writer writes one run.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
	n   int64 // the run's

	numbers         map[string]int64 // of programs, by path; nil where they are looked up
	known, program  *sql.Stmt
	outcomes, steps inserter
	list            []storedStep // used again and again
}

// manyPrograms is for how many programs it is faster to read the numbers of all
// that are known at once.
const manyPrograms = 1000

// prepare makes ready for this many programs. The statements end with the
// transaction.
func (w *writer) prepare(programs int) (err error) {
	w.outcomes = inserter{tx: w.tx, table: "outcomes", columns: 11}
	w.steps = inserter{tx: w.tx, table: "steps", columns: 4}
	if w.program, err = w.tx.PrepareContext(w.ctx, "INSERT INTO programs (path) VALUES (?) RETURNING n"); err != nil {
		return err
	}
	if programs < manyPrograms {
		w.known, err = w.tx.PrepareContext(w.ctx, "SELECT n FROM programs WHERE path = ?")
		return err
	}
	rows, err := w.tx.QueryContext(w.ctx, "SELECT path, n FROM programs")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	w.numbers = map[string]int64{}
	for rows.Next() {
		var path string
		var n int64
		if err := rows.Scan(&path, &n); err != nil {
			return err
		}
		w.numbers[path] = n
	}
	return rows.Err()
}

func (w *writer) exec(statement string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, statement, args...)
	return err
}

func (w *writer) run(run *results.Run) error {
	info := compare.InfoOf(run)
	var texts [3]string
	for i, v := range []any{info.Tool, info.Environment, info.Counts} {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		texts[i] = string(data)
	}
	if err := w.exec("DELETE FROM runs WHERE id = ?", info.ID); err != nil {
		return err
	}
	err := w.tx.QueryRowContext(w.ctx, `INSERT INTO runs
		(id, suite, started_at, duration_ms, status, interrupted, part, tool, environment, counts, kind)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
		info.ID, info.Suite, info.StartedAt.UnixMilli(), info.DurationMS, string(info.Status), info.Interrupted,
		info.Part, texts[0], texts[1], texts[2], info.Kind).Scan(&w.n)
	if err != nil {
		return err
	}
	if err := w.prepare(len(run.Programs)); err != nil {
		return err
	}
	// To watch for the end of a context takes as long as a small statement: it is
	// looked at between programs instead.
	ctx := w.ctx
	w.ctx = context.WithoutCancel(ctx)
	for i := range run.Programs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.result(run, &run.Programs[i]); err != nil {
			return err
		}
	}
	return w.flush()
}

// contents adds the files of the run's programs that are not known yet.
func (w *writer) contents(contents compare.Contents) error {
	missing, err := w.missing()
	if err != nil {
		return err
	}
	for _, sha256 := range missing {
		content, err := contents(sha256)
		if err != nil {
			return err
		}
		if content == nil {
			continue
		}
		if err := w.exec("INSERT INTO contents VALUES (?, ?)", sha256, content); err != nil {
			return err
		}
	}
	return nil
}

// missing are the names of the contents that the run's programs had and that are
// not known.
func (w *writer) missing() ([]string, error) {
	rows, err := w.tx.QueryContext(w.ctx, `SELECT DISTINCT sha256 FROM outcomes
		WHERE run = ? AND sha256 <> '' AND sha256 NOT IN (SELECT sha256 FROM contents) ORDER BY program`, w.n)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	var missing []string
	for rows.Next() {
		var sha256 string
		if err := rows.Scan(&sha256); err != nil {
			return nil, err
		}
		missing = append(missing, sha256)
	}
	return missing, rows.Err()
}

// number is the program's, which is given one where it is new.
func (w *writer) number(path string) (n int64, err error) {
	known := false
	if w.numbers != nil {
		n, known = w.numbers[path]
	} else {
		err = w.known.QueryRowContext(w.ctx, path).Scan(&n)
		known = !errors.Is(err, sql.ErrNoRows)
	}
	if known {
		return n, err
	}
	err = w.program.QueryRowContext(w.ctx, path).Scan(&n)
	if w.numbers != nil {
		w.numbers[path] = n
	}
	return n, err
}

// result adds what came of one program.
func (w *writer) result(run *results.Run, p *results.Program) error {
	n, err := w.number(p.Path)
	if err != nil {
		return err
	}
	o := compare.OutcomeOf(run, p)
	full := w.outcomes.add(n, w.n, o.Repeat, string(o.Status), o.Excused, o.Reason, p.DurationMS, o.DurationMS,
		o.Isolation, o.SHA256, o.CodeSHA256)
	if full {
		if err := w.outcomes.flush(w.ctx); err != nil {
			return err
		}
	}
	steps, err := encodeSteps(compare.StepsOf(p), &w.list)
	if err != nil || steps == nil {
		return err
	}
	if w.steps.add(n, w.n, o.Repeat, string(steps)) {
		return w.flush()
	}
	return nil
}

// flush adds what is waiting, steps after the outcomes that they refer to.
func (w *writer) flush() error {
	if err := w.outcomes.flush(w.ctx); err != nil {
		return err
	}
	return w.steps.flush(w.ctx)
}
