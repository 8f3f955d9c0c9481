package cli

import (
	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

func newLearnSchema(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the program format, for editors",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := st.Stdout.Write(program.Schema())
			return err
		},
	}
}
