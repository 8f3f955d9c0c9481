package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// LastGood gives the runs that are the last good one of a program, with those
// programs' paths, by the run's id. Suites are looked at one by one.
func (h *DB) LastGood(ctx context.Context) (map[string][]string, error) {
	rows, err := h.db.QueryContext(ctx, `SELECT id, path FROM (
			SELECT r.id, p.path, row_number() OVER (PARTITION BY r.suite, p.n ORDER BY r.started_at DESC, r.id DESC) AS place
			FROM (SELECT program, run FROM outcomes GROUP BY program, run
				HAVING min(status IN ('passed', 'flaky')) = 1) o
			JOIN programs p ON p.n = o.program JOIN runs r ON r.n = o.run
		) WHERE place = 1 ORDER BY path`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	last := map[string][]string{}
	for rows.Next() {
		var id, path string
		if err := rows.Scan(&id, &path); err != nil {
			return nil, err
		}
		last[id] = append(last[id], path)
	}
	return last, rows.Err()
}

// Delete takes these runs out, in one transaction, and gives their space back.
// Contents that no run refers to any more go with them.
func (h *DB) Delete(ctx context.Context, ids []string) (err error) {
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
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, "DELETE FROM runs WHERE id = ?", id); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"DELETE FROM contents WHERE sha256 NOT IN (SELECT sha256 FROM outcomes)",
		"DELETE FROM programs WHERE n NOT IN (SELECT program FROM outcomes)",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// Where others are at it, or there is no room for a copy, the space is used
	// by later runs instead.
	_, err = h.db.ExecContext(ctx, "VACUUM")
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL:
		return nil
	}
	return err
}

// Durations are how long each program took when it was good last, in all its
// attempts together: of its newest runs, at most limit, in milliseconds, by
// path.
func (h *DB) Durations(ctx context.Context, limit int) (map[string][]int64, error) {
	rows, err := h.db.QueryContext(ctx, `SELECT path, program_ms FROM (
			SELECT p.path, o.program_ms, row_number() OVER (PARTITION BY p.n ORDER BY r.started_at DESC, r.id DESC) AS place
			FROM outcomes o JOIN programs p ON p.n = o.program JOIN runs r ON r.n = o.run
			WHERE o.status IN ('passed', 'flaky') AND o.program_ms > 0
		) WHERE place <= ?`, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	all := map[string][]int64{}
	for rows.Next() {
		var path string
		var ms int64
		if err := rows.Scan(&path, &ms); err != nil {
			return nil, err
		}
		all[path] = append(all[path], ms)
	}
	return all, rows.Err()
}

// Programs are the paths of all programs that are known, by path, with when
// they were run last.
func (h *DB) Programs(ctx context.Context) (paths []string, last map[string]time.Time, err error) {
	rows, err := h.db.QueryContext(ctx, `SELECT p.path, max(r.started_at) FROM programs p
		JOIN outcomes o ON o.program = p.n JOIN runs r ON r.n = o.run GROUP BY p.n ORDER BY p.path`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	last = map[string]time.Time{}
	for rows.Next() {
		var path string
		var ms int64
		if err := rows.Scan(&path, &ms); err != nil {
			return nil, nil, err
		}
		paths, last[path] = append(paths, path), time.UnixMilli(ms).UTC()
	}
	return paths, last, rows.Err()
}
