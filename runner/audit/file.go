package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/opendesk/opendesk/results"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// Append writes the entry at the end of the file, which several commands may
// write to, and gives it an id that is unique there. Others than its user
// cannot read the file: what was typed stands in it. A line that a command did
// not get to end, since it was killed, stays a line of its own.
func Append(path string, e results.AuditEntry) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the audit log: %w", err)
		}
	}()
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	before, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	var line []byte
	lines := bytes.Count(before, []byte("\n"))
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		line = append(line, '\n')
		lines++
	}
	e.ID = fmt.Sprintf("a%d", lines+1)
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(append(line, text...), '\n')
	_, err = f.Write(line)
	return err
}
