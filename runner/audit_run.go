package runner

import (
	"cmp"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/audit"
	"github.com/opendesk/opendesk/runner/step"
)

// audit tells of the step's action, however it ended.
func (r *run) audit(s program.Step, out step.Outcome, err error) {
	if r.Audit == nil {
		return
	}
	entry, ok := audit.Of(s, r.Now(), audit.Outcome{
		Result: cmp.Or(out.Value, out.ActedBy), Err: err, Secret: out.Secret,
	})
	if ok {
		r.Audit(entry)
	}
}

// auditCall tells of a tool that a script called.
func (r *run) auditCall(s program.Step, out step.Outcome, err error) { r.audit(s, out, err) }

// saw tells of what the runner itself has looked at.
func (r *run) saw(what, stepID, result string) {
	if r.Audit != nil {
		r.Audit(audit.Seen(what, stepID, r.Now(), result))
	}
}
