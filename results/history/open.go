package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// DB is an open history. It is for concurrent use. Close must be called.
type DB struct {
	db       *sql.DB
	path     string
	readOnly error
	note     string

	mu         sync.Mutex
	statements map[string]*sql.Stmt // by text
}

// ErrNewer is the error of a history that a newer opendesk has written.
var ErrNewer = errors.New("was written by a newer version of opendesk, and is left alone")

// errDamaged is the error of a file that is no intact database.
var errDamaged = errors.New("is damaged")

// errForeign is the error of a database of something else.
var errForeign = errors.New("is a database, but no history of opendesk: move it away")

// busyTimeout is how long a process waits for another one that is writing.
const busyTimeout = 15 * time.Second

// Open opens the history in the file, which is made where there is none; its
// folder must exist. A damaged file is renamed to <path>.damaged-<time> first,
// which Note then tells. Where the file cannot be written to, it is opened for
// reading only, and Record fails.
func Open(ctx context.Context, path string) (*DB, error) {
	h, err := open(ctx, path, writing)
	if errors.Is(err, errDamaged) {
		aside, moveErr := keepAside(ctx, path)
		if moveErr != nil {
			return nil, fmt.Errorf("%s %w and cannot be kept aside: %w", path, err, moveErr)
		}
		if h, err = open(ctx, path, writing); err == nil && aside != "" {
			h.note = fmt.Sprintf("%s was damaged: it is kept as %s, and a new history begins", path, filepath.Base(aside))
		}
	}
	if err == nil {
		return h, nil
	}
	if cannotWrite(err) {
		for _, m := range []mode{reading, immutable} {
			if h, readErr := open(ctx, path, m); readErr == nil {
				h.readOnly = err
				return h, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// Note is one line on what happened when the history was opened, "" for
// nothing.
func (h *DB) Note() string { return h.note }

// Close closes the history.
func (h *DB) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, s := range h.statements {
		errs = append(errs, s.Close())
	}
	h.statements = nil
	return errors.Join(append(errs, h.db.Close())...)
}

// statement is the prepared statement of this text, which is prepared once:
// that takes longer than most statements themselves. It is closed with the
// history.
func (h *DB) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.statements[text]; s != nil {
		return s, nil
	}
	s, err := h.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if h.statements == nil {
		h.statements = map[string]*sql.Stmt{}
	}
	h.statements[text] = s
	return s, nil
}

// query reads a few rows by a statement that is used many times. The end of ctx
// is looked at before it only: to watch for it takes as long as the statement.
func (h *DB) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := h.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.WithoutCancel(ctx), args...)
}

// mode is how a file is opened.
type mode string

const (
	writing   mode = "mode=rwc&_txlock=immediate"
	reading   mode = "mode=ro"
	immutable mode = "mode=ro&immutable=1" // in a folder that cannot be written to
)

// open opens the file and brings it up to date.
func open(ctx context.Context, path string, m mode) (*DB, error) {
	if m != writing {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		if _, err := os.Stat(path + "-wal"); m == immutable && err == nil {
			return nil, errors.New("another process is writing to it")
		}
	}
	name, err := dataSource(path, m)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	h := &DB{db: db, path: path}
	if err := h.prepare(ctx, m); err != nil {
		return nil, classify(errors.Join(err, db.Close()))
	}
	return h, nil
}

// dataSource is the file as SQLite's URI.
func dataSource(path string, m mode) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	slashed := filepath.ToSlash(abs)
	if runtime.GOOS == "windows" && !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	escaped := (&url.URL{Path: slashed}).EscapedPath()
	return fmt.Sprintf("file://%s?%s&_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)&_pragma=synchronous(normal)",
		escaped, m, busyTimeout.Milliseconds()), nil
}

// prepare checks the file and brings it up to date.
func (h *DB) prepare(ctx context.Context, m mode) error {
	version, err := h.version(ctx)
	if err != nil {
		return err
	}
	if version > len(migrations) {
		return ErrNewer
	}
	if m == writing {
		if err := h.writeAhead(ctx); err != nil {
			return err
		}
		if version, err = migrate(ctx, h.db, migrations); err != nil {
			return err
		}
	}
	if version < len(migrations) {
		return fmt.Errorf("is of version %d, and can be brought up to date only where it can be written to", version)
	}
	return h.check(ctx)
}

// writeAhead makes the file one with a write-ahead log, so that it can be read
// while it is written to. SQLite does not wait here for another process that is
// doing the same, whatever busy_timeout says.
func (h *DB) writeAhead(ctx context.Context) error {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for began := time.Now(); ; {
		_, err := h.db.ExecContext(ctx, "PRAGMA journal_mode = wal")
		if code(err) != sqlite3.SQLITE_BUSY || time.Since(began) >= busyTimeout {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// version is the version of the file's tables, 0 for a new file. One statement
// reads all of it: another process may be making the tables.
func (h *DB) version(ctx context.Context) (int, error) {
	var version, app, tables int
	err := h.db.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`).Scan(&version, &app, &tables)
	if err != nil {
		return 0, err
	}
	if app != applicationID && (tables > 0 || version > 0) {
		return 0, errForeign
	}
	return version, nil
}

// check says whether the file is intact.
func (h *DB) check(ctx context.Context) error {
	var verdict string
	if err := h.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, verdict)
	}
	return nil
}

// classify makes SQLite's errors of damaged files errDamaged.
func classify(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w (%w)", errDamaged, err)
	}
	return err
}

// code is SQLite's code of an error, without what is special about it; 0 for
// other errors.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// cannotWrite says whether the error is that of a file or folder that cannot be
// written to.
func cannotWrite(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return true
	}
	return errors.Is(err, fs.ErrPermission)
}

// keepAside renames a damaged file and what belongs to it. It gives the new
// name, "" where another process has done that already.
func keepAside(ctx context.Context, path string) (string, error) {
	before, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	// Another process can have begun a new file since the damage was seen.
	h, err := open(ctx, path, writing)
	if err == nil {
		return "", h.Close()
	}
	if now, statErr := os.Stat(path); !errors.Is(err, errDamaged) || statErr != nil || !os.SameFile(before, now) {
		return "", nil
	}
	aside := freeName(path + ".damaged-" + time.Now().UTC().Format("2006-01-02T15-04-05Z"))
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	for _, more := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+more, aside+more); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// freeName is the name, or one like it that is not taken.
func freeName(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
