package cli

import "github.com/spf13/cobra"

func newLearn(st *State) *cobra.Command {
	return group("learn", "Work with learned programs", newLearnValidate(st), newLearnInspect(st), newLearnSchema(st))
}
