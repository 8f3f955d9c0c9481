package history

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestMigrate: tables are brought up to date step by step, once, also by
// several at a time; a step that fails changes nothing.
func TestMigrate(t *testing.T) {
	ctx := context.Background()
	db := openFile(t, filepath.Join(t.TempDir(), "history.db"))
	defer db.Close() //nolint:errcheck // it was only a test
	first := []string{"CREATE TABLE a (x)"}
	if version, err := migrate(ctx, db, first); version != 1 || err != nil {
		t.Fatal(version, err)
	}
	if _, err := db.Exec("INSERT INTO a VALUES (7)"); err != nil {
		t.Fatal(err)
	}
	broken := append(first, "ALTER TABLE a ADD COLUMN y DEFAULT 8", "CREATE TABLE a (z)")
	if _, err := migrate(ctx, db, broken); err == nil || !strings.Contains(err.Error(), "from version 2 to the next") {
		t.Errorf("a step that fails: %v", err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if version, err := migrate(ctx, db, broken[:2]); version != 2 || err != nil {
				t.Error(version, err)
			}
		})
	}
	all.Wait()
	var x, y, version int
	if err := db.QueryRow("SELECT x, y FROM a").Scan(&x, &y); err != nil || x != 7 || y != 8 {
		t.Error(x, y, err)
	}
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != 2 {
		t.Error(version, err)
	}
	if _, err := migrate(ctx, db, first); err == nil {
		t.Error("a newer version was taken")
	}
}

// oldHistory is the path of a history of an earlier version, with these rows.
func oldHistory(t *testing.T, version int, rows string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	db := openFile(t, path)
	if got, err := migrate(context.Background(), db, migrations[:version]); got != version || err != nil {
		t.Fatal(got, err)
	}
	if _, err := db.Exec(rows); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// openFile opens a file that is to become a database.
func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	name, err := dataSource(path, writing)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	return db
}
