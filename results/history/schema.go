package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// applicationID marks a database as a history of opendesk: "ODHI".
const applicationID = 0x4f444849

// migrations bring the tables from each version to the next one; the version
// is the number of them that were made. What is in the list is never changed:
// histories of that version are about.
var migrations = []string{`
CREATE TABLE runs (
	n           INTEGER PRIMARY KEY,
	id          TEXT NOT NULL UNIQUE,
	suite       TEXT NOT NULL,
	started_at  INTEGER NOT NULL, -- milliseconds since 1970, UTC
	duration_ms INTEGER NOT NULL,
	status      TEXT NOT NULL,
	interrupted INTEGER NOT NULL,
	part        TEXT NOT NULL,    -- '' for a run of the whole project
	tool        TEXT NOT NULL,    -- JSON, as in results.json
	environment TEXT NOT NULL,    -- JSON, as in results.json
	counts      TEXT NOT NULL     -- JSON, as in results.json
);
CREATE INDEX runs_by_time ON runs (suite, started_at, id);

CREATE TABLE programs (
	n    INTEGER PRIMARY KEY,
	path TEXT NOT NULL UNIQUE
);

CREATE TABLE outcomes (
	program     INTEGER NOT NULL REFERENCES programs (n),
	run         INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
	repeat      INTEGER NOT NULL, -- 0 where programs are not repeated
	status      TEXT NOT NULL,
	excused     INTEGER NOT NULL,
	reason      TEXT NOT NULL,
	program_ms  INTEGER NOT NULL, -- all attempts
	attempt_ms  INTEGER NOT NULL, -- the deciding one
	isolation   TEXT NOT NULL,
	sha256      TEXT NOT NULL,
	PRIMARY KEY (program, run, repeat)
) WITHOUT ROWID;
CREATE INDEX outcomes_by_run ON outcomes (run);
CREATE INDEX outcomes_by_content ON outcomes (sha256);

CREATE TABLE steps (
	program INTEGER NOT NULL,
	run     INTEGER NOT NULL,
	repeat  INTEGER NOT NULL,
	place   INTEGER NOT NULL, -- in the file, from 0
	id      TEXT NOT NULL,
	status  TEXT NOT NULL,
	ms      INTEGER NOT NULL,
	target  TEXT NOT NULL,    -- by what the target was found
	acted   TEXT NOT NULL,    -- what acted
	held    TEXT NOT NULL,    -- by what the postcondition held
	PRIMARY KEY (program, run, repeat, place),
	FOREIGN KEY (program, run, repeat) REFERENCES outcomes (program, run, repeat) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE contents (
	sha256  TEXT PRIMARY KEY,
	content BLOB NOT NULL
) WITHOUT ROWID;
`, `
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT ''; -- on whose behalf; '' for unknown
`, `
ALTER TABLE outcomes ADD COLUMN code_sha256 TEXT NOT NULL DEFAULT ''; -- of the code of its scripts; '' for none
`, `
DROP INDEX outcomes_by_content; -- took as long to keep as the outcomes themselves
`, `
ALTER TABLE steps RENAME TO steps_one_by_one;
CREATE TABLE steps (
	program INTEGER NOT NULL,
	run     INTEGER NOT NULL,
	repeat  INTEGER NOT NULL,
	list    TEXT NOT NULL, -- JSON, a storedStep for each that was begun
	PRIMARY KEY (program, run, repeat),
	FOREIGN KEY (program, run, repeat) REFERENCES outcomes (program, run, repeat) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO steps
	SELECT program, run, repeat, json_group_array(json_object('place', place, 'id', id, 'status', iif(status = '', 'unknown', status), 'ms', ms,
		'target', target, 'acted', acted, 'held', held) ORDER BY place)
	FROM steps_one_by_one GROUP BY program, run, repeat;
DROP TABLE steps_one_by_one;
`}

// migrate makes the migrations that were not made yet, all in one transaction,
// and gives the version then. Another process can be doing the same.
func migrate(ctx context.Context, db *sql.DB, migrations []string) (version int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	if version > len(migrations) {
		return 0, ErrNewer
	}
	for _, statements := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, statements); err != nil {
			return 0, fmt.Errorf("bring the tables from version %d to the next: %w", version, err)
		}
		version++
	}
	settings := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)
	if _, err := tx.ExecContext(ctx, settings); err != nil {
		return 0, err
	}
	return version, tx.Commit()
}
