package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
)

// auditFile is a run's audit.ndjson. Others than its user cannot read it: what
// was typed stands in it.
type auditFile struct {
	file *os.File
	log  *audit.Log

	mu     sync.Mutex
	failed error // the first that could not be kept
}

func newAuditFile(runDir string) (*auditFile, error) {
	file, err := os.OpenFile(filepath.Join(runDir, "audit.ndjson"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be written: %w", err)
	}
	return &auditFile{file: file, log: audit.NewLog(file)}, nil
}

// keep writes an entry. It is for concurrent use.
func (a *auditFile) keep(e results.AuditEntry) {
	if err := a.log.Write(e); err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.failed == nil {
			a.failed = err
		}
	}
}

// Close says what could not be kept.
func (a *auditFile) Close() error { return errors.Join(a.failed, a.file.Close()) }
