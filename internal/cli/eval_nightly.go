package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/reporters/comparison"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/suites"
	"github.com/spf13/cobra"
)

// nightlyOptions are the flags of eval nightly that eval run does not have.
type nightlyOptions struct {
	notify string
	keep   int // 0 for all, where schedules are run
	run    runOptions
}

func newEvalNightly(st *State) *cobra.Command {
	var o nightlyOptions
	cmd := &cobra.Command{
		Use:   "nightly [SUITE]",
		Short: "Run a suite, say what is new, and remove old runs",
		Long: `Does in one go what a job of the night has to do: runs the suite as 'eval run'
does, with all of its flags; holds each program against its own last good run as
'eval compare' does, and writes that as comparison.html, comparison.json and
comparison.md into the run's folder; has somebody told where there is news; and
removes all but the newest runs as 'eval prune' does (--keep).

--notify COMMAND is run by 'sh -c' where programs newly fail, drift or are
slower, and only then. On standard input it gets the comparison as JSON, and in
its environment
  OPENDESK_HEADLINE                          the comparison in one line
  OPENDESK_RUN, OPENDESK_RUN_DIR             the run's id and folder
  OPENDESK_SUITE, OPENDESK_PROJECT, OPENDESK_STATUS, OPENDESK_EXIT_CODE
  OPENDESK_NEWLY_FAILING, OPENDESK_STILL_FAILING, OPENDESK_BROKEN,
  OPENDESK_FIXED, OPENDESK_FLAKY, OPENDESK_DRIFTING, OPENDESK_SLOWER,
  OPENDESK_QUARANTINED, OPENDESK_ADDED, OPENDESK_REMOVED
                                             how many programs are in the lists
It is ended when it takes longer than 2 minutes, and what it has started in the
background (&) ends with it. That it fails is told, and changes no verdict, and so
is it with removing old runs.

The exit code is that of the run: known failures make it 1 as new ones do, unless
--fail-on new-failures says that only news count. It is 3 where nothing failed
and the comparison could not be made.
` + exitCodes,
		Example: `  opendesk eval nightly --project . --fail-on new-failures
  opendesk eval nightly learn-regression --retries 1 --keep 60 \
    --notify 'mail -s "$OPENDESK_HEADLINE" team@example.org < "$OPENDESK_RUN_DIR/comparison.md"'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("one suite at a time (given: %s)", strings.Join(args, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			suite := suites.All[0].Name
			if len(args) == 1 {
				suite = args[0]
			}
			switch {
			case o.run.noHistory:
				return usage("--no-history: what is new is known by the history; 'eval run' goes without")
			case o.keep < 1:
				return usage("--keep must be 1 or more, not %d", o.keep)
			}
			o.run.after = func(ctx context.Context, p *project.Project, dir string, run *results.Run) error {
				return o.after(ctx, st, p, dir, run)
			}
			return evalRun(cmd.Context(), st, suite, &o.run, cmd.Flags().Changed)
		},
	}
	o.run.addFlags(cmd)
	cmd.Flags().StringVar(&o.notify, "notify", "", "a command that is run where there is news (see above)")
	cmd.Flags().IntVar(&o.keep, "keep", 30, "how many of the newest runs are kept; last good runs stay in any case")
	return cmd
}

// after does what comes after the run. The error is that nobody can tell what
// is new.
func (o *nightlyOptions) after(ctx context.Context, st *State, p *project.Project, dir string, run *results.Run) error {
	// Also of a run that was interrupted, twice even: it takes no time.
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTime)
	defer cancel()
	c, err := compareRun(looking, st, p, run)
	if err == nil {
		err = writeComparisons(dir, c)
	}
	if err != nil {
		return fmt.Errorf("what is new is not known: %w", err)
	}
	out := st.Stdout
	if !slices.Contains(withConsole(withDefaults(o.run.reporters)), "console") {
		out = st.Stderr // a report goes to standard output
	}
	if len(c.Groups()) > 0 || !o.run.quiet {
		fmt.Fprintln(out)
		if err := comparison.Text(out, c); err != nil {
			return err
		}
		fmt.Fprintf(out, "comparison in %s\n", filepath.Join(fromHere(dir), comparisonFile("html")))
	}
	if ctx.Err() != nil {
		fmt.Fprintln(st.Stderr, "opendesk: interrupted: nobody is told, and old runs stay")
		return nil
	}
	if o.notify != "" && c.News() {
		if err := notify(ctx, st, o.notify, notification{c, run, dir}); err != nil {
			fmt.Fprintf(st.Stderr, "opendesk: --notify: %v\n", err)
		}
	}
	if o.keep == 0 {
		return nil
	}
	removed, err := pruneProject(ctx, st, p, pruneRule{keep: o.keep}, false)
	switch {
	case err != nil:
		fmt.Fprintf(st.Stderr, "opendesk: old runs could not be removed: %v\n", err)
	case len(removed.runs) > 0 && !o.run.quiet:
		fmt.Fprintf(out, "removed %d of %d runs (--keep %d)\n", len(removed.runs), removed.all, o.keep)
	}
	return nil
}

func comparisonFile(ending string) string { return "comparison." + ending }

// writeComparisons writes the comparison in the run's folder.
func writeComparisons(dir string, c *compare.Comparison) error {
	var errs []error
	for _, format := range []struct {
		ending string
		write  func(io.Writer, *compare.Comparison) error
	}{{"json", writeComparisonJSON}, {"md", comparison.Markdown}, {"html", comparison.HTMLInRun}} {
		file, err := os.Create(filepath.Join(dir, comparisonFile(format.ending)))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, format.write(file, c), file.Close())
	}
	return errors.Join(errs...)
}
