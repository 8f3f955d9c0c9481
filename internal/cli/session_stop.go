package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/spf13/cobra"
)

func newSessionStop(st *State) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "stop NAME... | --all",
		Short: "Stop display sessions and everything in them",
		Long: `Stops sessions with everything that runs in them, and removes their private homes.
` + sessionExitCodes,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && !all:
				return usage("which session? See 'opendesk session list', or give --all")
			case len(args) > 0 && all:
				return usage("give names or --all, not both")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionEnds(st, asJSON, stopSessions(cmd.Context(), st, all, asJSON, args))
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "stop every session of this user")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func stopSessions(ctx context.Context, st *State, all, asJSON bool, names []string) error {
	sweepSessions(st)
	if all {
		sessions, err := session.ListNamed(ctx)
		if err != nil {
			return err
		}
		for _, n := range sessions {
			names = append(names, n.Name)
		}
	}
	stopped := []string{}
	var errs []error
	for _, name := range names {
		var unknown *session.UnknownNameError
		err := session.StopNamed(ctx, name)
		switch {
		case err == nil:
			stopped = append(stopped, name)
		case all && errors.As(err, &unknown): // it ended by itself
		default:
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if asJSON {
		return printJSON(st, map[string]any{"stopped": stopped})
	}
	for _, name := range stopped {
		fmt.Fprintf(st.Stdout, "session %s is stopped\n", name)
	}
	return nil
}
