package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/suites"
	"github.com/spf13/cobra"
)

func newEvalList(st *State) *cobra.Command {
	var projectDir string
	var wanted selection
	cmd := &cobra.Command{
		Use:   "list [SUITE]",
		Short: "List the suites, or what a suite would run",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listSuites(st)
			}
			return listPrograms(cmd.Context(), st, args[0], projectDir, &wanted)
		},
	}
	cmd.Flags().StringVar(&projectDir, "project", ".", "the project's folder")
	wanted.addFlags(cmd)
	return cmd
}

// inQuarantine says until when a program is excused, "" for one that is not.
func inQuarantine(q *results.Quarantine) string {
	switch {
	case q == nil:
		return ""
	case q.Expired:
		return fmt.Sprintf("quarantine expired on %s: %s", q.Until, q.Issue)
	}
	return fmt.Sprintf("in quarantine until %s: %s", q.Until, q.Issue)
}

func listSuites(st *State) error {
	table := tabwriter.NewWriter(st.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range suites.All {
		fmt.Fprintf(table, "%s\t%s\n", s.Name, s.Doc)
	}
	return table.Flush()
}

func listPrograms(ctx context.Context, st *State, suite, projectDir string, wanted *selection) error {
	s, err := findSuite(suite)
	if err != nil {
		return err
	}
	p, err := openProject(projectDir)
	if err != nil {
		return err
	}
	e := newRun(st, p, &runOptions{selection: *wanted, passOnNone: true}, suite)
	filter, err := e.filter()
	if err != nil {
		return err
	}
	scripts := newScriptChecks(ctx, p.Config)
	filter.Inspect = scripts.problems
	plan, err := s.Plan(p.Dir, filter)
	if err != nil {
		return usage("%w", err)
	}
	scripts.warn(st)
	table := tabwriter.NewWriter(st.Stdout, 0, 0, 2, ' ', 0)
	for _, item := range plan.Items {
		if item.Program == nil {
			fmt.Fprintf(table, "%s\tinvalid\t\n", item.Path)
			continue
		}
		checks := 0
		for _, step := range item.Program.Steps {
			if step.Postcondition != nil {
				checks++
			}
		}
		fmt.Fprintf(table, "%s\t%d steps\t%d postconditions\t%s\t%s\n", item.Path, len(item.Program.Steps), checks,
			strings.Join(item.Settings.Tags, ","), inQuarantine(item.Quarantine))
	}
	return table.Flush()
}
