package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

const exitCodes = `
Exit codes:
  0    all programs passed
  1    at least one program failed: a regression is never hidden behind another code
  2    none failed or broke, but a file is invalid, the usage is wrong, or there was nothing to run
  3    none failed, but something broke: the environment, or opendesk itself
  130  interrupted, or the run's time budget was used up
`

func newRoot(st *State) *cobra.Command {
	root := &cobra.Command{
		Use:   "opendesk",
		Short: "Tells whether learned desktop programs still work, and when one does not, why",
		Long: `opendesk runs learned programs (.opendesk/learned/*.program.json) on a virtual
display, without a model and without repair, and reports pass or fail per
postcondition.

  opendesk eval run learn-regression --project .
` + exitCodes,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       versionText(),
	}
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, "print the version, as 'opendesk version' does")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w\nSee '%s --help'.", flagError(err), cmd.CommandPath())
	})
	root.AddCommand(
		newEval(st), newLearn(st), newSession(st), newDo(st), newAudit(st), newSchedule(st), newDoctor(st), newVersion(st),
		newSessionHost(st), newWorker(st), newClipboardOwner(st), newVideo(), newVNC(),
	)
	return root
}

// group is a command that only has subcommands: a word that is none of them
// is an error with suggestions.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		message := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			message += fmt.Sprintf(" (did you mean %q?)", near[0])
		}
		return usage("%s\nSee '%s --help'.", message, cmd.CommandPath())
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(subcommands...)
	return cmd
}
