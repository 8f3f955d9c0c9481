//go:build !linux

package script

import "context"

// Run runs a script; see Runner. There are sandboxes on Linux only.
func (Sandbox) Run(context.Context, Job) (Outcome, error) {
	return Outcome{}, &UnavailableError{Reason: "scripts run in a sandbox, which there is on Linux only"}
}
