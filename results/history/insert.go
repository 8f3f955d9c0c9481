package history

import (
	"context"
	"database/sql"
	"strings"
)

// rowsAtOnce is how many rows one statement adds, at most: one statement for
// each row would take twice as long.
const rowsAtOnce = 50

// inserter adds rows to a table, many at a time. What is added is in the table
// after flush only.
type inserter struct {
	tx         *sql.Tx
	table      string
	columns    int
	args       []any                     // of the rows that are waiting
	statements [rowsAtOnce + 1]*sql.Stmt // by how many rows they add
}

// add adds a row; full says that no more than these can wait.
func (in *inserter) add(row ...any) (full bool) {
	in.args = append(in.args, row...)
	return len(in.args) == rowsAtOnce*in.columns
}

// flush adds the rows that are waiting.
func (in *inserter) flush(ctx context.Context) error {
	rows := len(in.args) / in.columns
	if rows == 0 {
		return nil
	}
	if in.statements[rows] == nil {
		row := ", (" + strings.Repeat(", ?", in.columns)[len(", "):] + ")"
		statement, err := in.tx.PrepareContext(ctx, "INSERT INTO "+in.table+" VALUES "+strings.Repeat(row, rows)[len(", "):])
		if err != nil {
			return err
		}
		in.statements[rows] = statement
	}
	_, err := in.statements[rows].ExecContext(ctx, in.args...)
	clear(in.args)
	in.args = in.args[:0]
	return err
}
