package worker

import (
	"errors"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
)

// audit keeps an entry of the attempt.
func (p *pipe) audit(e results.AuditEntry) {
	if p.launcher.Audit == nil {
		return
	}
	e.Program, e.Attempt = p.attempt.Program.Path, p.attempt.Number
	p.launcher.Audit(e)
}

// unaudited keeps an entry for the action that the worker was at when it
// ended: it may have been done. What it typed may have been secret.
func (p *pipe) unaudited(err error) {
	if p.acting == nil {
		return
	}
	if err == nil {
		err = errors.New("the worker ended before it told how this had gone")
	}
	if e, ok := audit.Of(*p.acting, time.Now(), audit.Outcome{Err: err, Secret: true}); ok {
		e.SessionID = p.session
		p.audit(e)
	}
}
