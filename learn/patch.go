package learn

import (
	"context"
	"fmt"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// Patch applies one edit to the task's program. An edit that is refused leaves
// the file as it is; the errors are those of program.Edit.Apply, a
// *StrictError where the author may not, and a *WriteError where the file cannot be written.
func Patch(ctx context.Context, t Task, e program.Edit, by Author) (*program.Edited, error) {
	var edited *program.Edited
	err := update(ctx, t.ProgramFile(), func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, fmt.Errorf("%s does not exist", t.ProgramFile())
		}
		if err := by.may(policy.Patch, old); err != nil {
			return nil, err
		}
		e.Unlock = by.Unlock
		var err error
		if edited, err = e.Apply(t.ProgramFile(), old); err != nil {
			return nil, err
		}
		return edited.Data, nil
	})
	if err != nil {
		return nil, err
	}
	return edited, nil
}
