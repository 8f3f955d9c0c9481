package learn

import (
	"context"
	"fmt"

	"github.com/opendesk/opendesk/program"
)

// Patch applies one edit to the task's program. An edit that is refused leaves
// the file as it is; the errors are those of program.Edit.Apply, and a
// *WriteError where the file cannot be written.
func Patch(ctx context.Context, t Task, e program.Edit) (*program.Edited, error) {
	var edited *program.Edited
	err := update(ctx, t.ProgramFile(), func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, fmt.Errorf("%s does not exist", t.ProgramFile())
		}
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
