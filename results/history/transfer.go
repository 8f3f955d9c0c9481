package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Export writes the whole history to one file, which must not be there yet.
func (h *DB) Export(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already", path)
	}
	// VACUUM INTO leaves nothing beside the file: no log that could get lost.
	_, err := h.db.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}

// SourceError says that a file that is to be imported is none that can be.
type SourceError struct {
	Path string
	Err  error
}

func (e *SourceError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// Import adds the runs of an exported file that are not known yet, in one
// transaction, and says how many those were and how many there are in the file.
// The file stays as it is. The error is a *SourceError where it is not the
// history's, or the machine's.
func (h *DB) Import(ctx context.Context, path string) (added, all int, err error) {
	if h.readOnly != nil {
		return 0, 0, fmt.Errorf("%s cannot be written to: %w", h.path, h.readOnly)
	}
	dir, err := os.MkdirTemp("", "opendesk-import-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// A copy can be brought up to date.
	data, err := readSource(path)
	if err != nil {
		return 0, 0, &SourceError{path, err}
	}
	copied := filepath.Join(dir, "import.db")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		return 0, 0, err
	}
	other, err := open(ctx, copied, writing)
	if errors.Is(err, errDamaged) || errors.Is(err, errForeign) || errors.Is(err, ErrNewer) {
		return 0, 0, &SourceError{path, err}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	if err := other.Close(); err != nil {
		return 0, 0, err
	}
	return h.merge(ctx, copied)
}

// CheckSource says whether the file can be a history to import; the error is a
// *SourceError.
func CheckSource(path string) error {
	if _, err := readSource(path); err != nil {
		return &SourceError{path, err}
	}
	return nil
}

// header is what every SQLite database begins with.
const header = "SQLite format 3\x00"

// readSource reads a file that is to be imported.
func readSource(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	var fault *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case errors.As(err, &fault):
		return nil, fault.Err // the path is told
	case err != nil:
		return nil, err
	case len(data) == 0:
		return nil, errors.New("is empty")
	case !bytes.HasPrefix(data, []byte(header)):
		return nil, errors.New("is no history: 'opendesk eval export' writes one")
	}
	return data, nil
}

// merging are the statements that add what another history has.
var merging = []string{
	"CREATE TEMP TABLE new_runs AS SELECT n, id FROM other.runs WHERE id NOT IN (SELECT id FROM main.runs)",
	`INSERT INTO main.runs (id, suite, started_at, duration_ms, status, interrupted, part, tool, environment, counts, kind)
		SELECT id, suite, started_at, duration_ms, status, interrupted, part, tool, environment, counts, kind
		FROM other.runs WHERE n IN (SELECT n FROM new_runs) ORDER BY n`,
	"INSERT OR IGNORE INTO main.programs (path) SELECT path FROM other.programs ORDER BY n",
	`INSERT INTO main.outcomes
		SELECT p.n, r.n, o.repeat, o.status, o.excused, o.reason, o.program_ms, o.attempt_ms, o.isolation, o.sha256, o.code_sha256
		FROM other.outcomes o JOIN new_runs x ON x.n = o.run JOIN main.runs r ON r.id = x.id
		JOIN other.programs q ON q.n = o.program JOIN main.programs p ON p.path = q.path`,
	`INSERT INTO main.steps
		SELECT p.n, r.n, s.repeat, s.list
		FROM other.steps s JOIN new_runs x ON x.n = s.run JOIN main.runs r ON r.id = x.id
		JOIN other.programs q ON q.n = s.program JOIN main.programs p ON p.path = q.path`,
	"INSERT OR IGNORE INTO main.contents SELECT sha256, content FROM other.contents",
}

// merge adds what the intact history in the file has.
func (h *DB) merge(ctx context.Context, path string) (added, all int, err error) {
	conn, err := h.db.Conn(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "ATTACH ? AS other", path); err != nil {
		return 0, 0, err
	}
	defer func() {
		_, detachErr := conn.ExecContext(context.WithoutCancel(ctx), "DETACH other")
		err = errors.Join(err, detachErr)
	}()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreDone(tx.Rollback()))
		}
	}()
	for _, statement := range merging {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return 0, 0, err
		}
	}
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM new_runs), (SELECT count(*) FROM other.runs)").Scan(&added, &all); err != nil {
		return 0, 0, err
	}
	if _, err := tx.ExecContext(ctx, "DROP TABLE temp.new_runs"); err != nil {
		return 0, 0, err
	}
	return added, all, tx.Commit()
}
