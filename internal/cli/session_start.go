package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/guard"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/results"
	"github.com/spf13/cobra"
)

// startOptions are the flags of session start.
type startOptions struct {
	run    runOptions // project, geometry, isolation, timeout scale
	name   string
	apps   []string
	region string
	idle   time.Duration
	json   bool
}

func newSessionStart(st *State) *cobra.Command {
	o := startOptions{run: runOptions{repeat: 1, order: "file"}}
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start a display session that goes on until it is stopped",
		Long: `Starts a display session (X server, buses, window manager, private home) that
goes on when this command has ended, until 'opendesk session stop'. Programs run
in it by 'opendesk learn run NAME --session SESSION', single steps are done in it
by 'opendesk do', one at a time, and what they leave open stays open. With
--idle-timeout it ends by itself once no command has worked in it for so long.

Only the user who started it finds it, and gets into it. With --allow-app and
--screen-region, steps that act on another app or outside of that part of the
screen are refused: they fail with that reason.
` + sessionExitCodes,
		Example: `  opendesk session start --name desk --project .
  opendesk session start --allow-app Numbers --screen-region 0,0,1280,700`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sessionEnds(st, o.json, o.start(cmd.Context(), st, cmd.Flags().Changed))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "how the session is called (default desk, or desk-2 where there is one)")
	f.StringArrayVar(&o.apps, "allow-app", nil, "only apps whose name has this in it may be acted on (repeatable)")
	f.StringVar(&o.region, "screen-region", "", "only this part of the screen may be acted on: X,Y,WIDTH,HEIGHT")
	f.DurationVar(&o.idle, "idle-timeout", 0, "end the session when no command has worked in it for so long, such as 30m (default never)")
	f.StringVar(&o.run.project, "project", ".", "the project's folder, for the settings of its eval.yaml")
	f.StringVar(&o.run.geometry, "geometry", "", "the display's size, WIDTHxHEIGHT[xDEPTH] (default 1280x800x24)")
	f.StringVar(&o.run.isolation, "isolation", "auto", "how the session is isolated: auto, bwrap or none")
	f.Float64Var(&o.run.timeoutScale, "timeout-scale", 1, "multiplies the time that starting may take")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func (o *startOptions) start(ctx context.Context, st *State, given func(string) bool) error {
	rules := guard.Rules{AllowedApps: o.apps}
	for _, app := range o.apps {
		if strings.TrimSpace(app) == "" {
			return usage("--allow-app needs a part of an app's name")
		}
	}
	if o.region != "" {
		region, err := parseRegion(o.region)
		if err != nil {
			return err
		}
		rules.ScreenRegion = region
	}
	if given("idle-timeout") && o.idle < time.Second {
		return usage("--idle-timeout must be at least 1s, not %v", o.idle)
	}
	p, err := inspectedProject(o.run.project, given("project"))
	if err != nil {
		return err
	}
	if err := o.run.settle(p, given); err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	e := evaluation{st: st, project: p, options: &o.run}
	options := e.commonSession(executable)
	options.IdleTimeout = o.idle
	notes, err := json.Marshal(sessionNotes{Project: p.Dir, Guard: rules})
	if err != nil {
		return err
	}
	sweepSessions(st)
	n, err := o.named(ctx, notes, options)
	var failed *session.StartError
	switch {
	case ctx.Err() != nil:
		return &exit{results.ExitInterrupted, errors.New("interrupted")}
	case errors.As(err, &failed) && failed.Output != "":
		return fmt.Errorf("the session did not start: %w\n%s", err, strings.TrimSpace(failed.Output))
	case errors.As(err, &failed):
		return fmt.Errorf("the session did not start: %w", err)
	case errors.Is(err, session.ErrNameTaken):
		return err
	case err != nil:
		return usage("%w", err)
	}
	if o.json {
		return printJSON(st, st.shown(*n))
	}
	fmt.Fprintf(st.Stdout, "session %s is up: display %s, %s, isolation %s, process %d\n",
		n.Name, n.Info.Display, n.Info.Geometry, n.Info.Isolation, n.PID)
	fmt.Fprintf(st.Stdout, "  opendesk learn run NAME --session %s\n  opendesk session stop %s\n", n.Name, n.Name)
	if o.idle > 0 {
		fmt.Fprintf(st.Stdout, "it ends by itself when no command has worked in it for %v\n", o.idle)
	}
	return nil
}

// named starts the session under the name that was given, or the first free one.
func (o *startOptions) named(ctx context.Context, notes json.RawMessage, options session.Options) (*session.Named, error) {
	if o.name != "" {
		return session.StartNamed(ctx, o.name, notes, options)
	}
	const most = 100
	for i := 1; ; i++ {
		name := "desk"
		if i > 1 {
			name = fmt.Sprintf("desk-%d", i)
		}
		n, err := session.StartNamed(ctx, name, notes, options)
		if !errors.Is(err, session.ErrNameTaken) || i == most {
			return n, err
		}
	}
}
