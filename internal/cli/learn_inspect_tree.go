package cli

import (
	"io"

	"github.com/opendesk/opendesk/desktop"
)

// treeView says how trees are printed.
type treeView struct {
	json    bool
	depth   int // 0 for all
	showing bool
}

func (v treeView) print(w io.Writer, record *desktop.Record, app string) error {
	return record.Write(w)
}
