package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/spf13/cobra"
)

func newSessionList(st *State) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the display sessions of this user",
		Long: `Lists the sessions that 'opendesk session start' has started, each with its state:
idle, in use (a program runs in it), starting, or faulty (what of it does not
answer is said). What is left of sessions that were killed is removed first.
` + sessionExitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sweepSessions(st)
			all, err := session.ListNamed(cmd.Context())
			if err != nil {
				return sessionEnds(st, asJSON, err)
			}
			return listSessions(st, asJSON, all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func listSessions(st *State, asJSON bool, all []session.Named) error {
	shown := make([]sessionShown, 0, len(all))
	for _, n := range all {
		shown = append(shown, st.shown(n))
	}
	if asJSON {
		return printJSON(st, map[string]any{"sessions": shown})
	}
	if len(shown) == 0 {
		fmt.Fprintln(st.Stdout, "no sessions (start one with 'opendesk session start')")
		return nil
	}
	rows := [][]string{{"NAME", "STATE", "DISPLAY", "GEOMETRY", "AGE", "PID", ""}}
	for _, s := range shown {
		age := (time.Duration(s.AgeS) * time.Second).String()
		rows = append(rows, []string{s.Name, s.State, s.Display, s.Geometry, age, strconv.Itoa(s.PID), said(s.Detail)})
	}
	return printTable(st, rows)
}
