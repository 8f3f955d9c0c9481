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
// replaced. contents are the programs' files as they were run, in any order.
func (h *DB) Record(ctx context.Context, run *results.Run, contents ...[]byte) (err error) {
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
	for _, content := range contents {
		if err := w.exec("INSERT OR IGNORE INTO contents VALUES (?, ?)", compare.SHA256(content), content); err != nil {
			return err
		}
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
	ctx   context.Context
	tx    *sql.Tx
	n     int64 // the run's
	steps *sql.Stmt
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
	if w.steps, err = w.tx.PrepareContext(w.ctx, "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"); err != nil {
		return err
	}
	for i := range run.Programs {
		if err := w.program(run, &run.Programs[i]); err != nil {
			return err
		}
	}
	return w.steps.Close()
}

func (w *writer) program(run *results.Run, p *results.Program) error {
	if err := w.exec("INSERT OR IGNORE INTO programs (path) VALUES (?)", p.Path); err != nil {
		return err
	}
	var n int64
	if err := w.tx.QueryRowContext(w.ctx, "SELECT n FROM programs WHERE path = ?", p.Path).Scan(&n); err != nil {
		return err
	}
	o := compare.OutcomeOf(run, p)
	err := w.exec("INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		n, w.n, o.Repeat, string(o.Status), o.Excused, o.Reason, p.DurationMS, o.DurationMS, o.Isolation, o.SHA256, o.CodeSHA256)
	if err != nil {
		return err
	}
	for place, s := range compare.StepsOf(p) {
		if s.Status == results.StepBlocked {
			continue
		}
		_, err := w.steps.ExecContext(w.ctx, n, w.n, o.Repeat, place, s.ID, string(s.Status), s.DurationMS,
			string(s.Target), s.ActedBy, string(s.Held))
		if err != nil {
			return err
		}
	}
	return nil
}
