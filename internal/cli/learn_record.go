package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func newLearnRecord(st *State) *cobra.Command {
	o := &recordOptions{}
	cmd := &cobra.Command{
		Use:   "record NAME",
		Short: "Record a task until Ctrl-C, and make a program of it",
		Long: `Records what is done in a session or on a real display until it is interrupted
(Ctrl-C) or ended by 'opendesk learn stop', and makes a program of it: 'learn
start' and 'learn stop' in one. What is done in the terminal that it was started
from is not recorded.
` + recordExitCodes,
		Example: `  opendesk learn record export-report
  opendesk learn record export-report --display real`,
		Args: oneTask(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionEnds(st, o.json, o.record(cmd.Context(), st, args[0]))
		},
	}
	o.add(cmd)
	return cmd
}

func (o *recordOptions) record(ctx context.Context, st *State, name string) error {
	if err := o.settle(ctx, st, name); err != nil {
		return err
	}
	o.order.Foreground = true
	begun := false
	r, err := recordTask(ctx, st, o.order, func() {
		begun = true
		if !o.json {
			fmt.Fprintf(st.Stdout, "%s: recording in %s until Ctrl-C\n", said(o.order.Task), o.order.where())
		}
	})
	var running *runningError
	switch {
	case errors.As(err, &running):
		return &exit{exitRefused, err}
	case !begun && ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return err
	}
	if c, err := claimRecording(o.order); err == nil {
		if err := c.remove(); err != nil {
			return err
		}
	}
	hard, _, cancel := st.twoStages(ctx)
	defer cancel()
	return o.ends(st, o.makeProgram(hard, st, r))
}
