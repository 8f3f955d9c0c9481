package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/reporters/console"
	"github.com/spf13/cobra"
)

// reportFlags are the flags that say how a run is reported.
type reportFlags struct {
	reporters []string
	quiet     bool
	verbose   bool
	color     string
	console   string
	pathsFrom string
}

// addReportFlags adds them; usage stands before the names of the formats.
func (o *reportFlags) addReportFlags(cmd *cobra.Command, usage string) {
	f := cmd.Flags()
	f.StringArrayVar(&o.reporters, "reporter", nil, usage+strings.Join(reporters.Names(), ", "))
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only what did not pass, and the summary")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print every step")
	f.StringVar(&o.console, "console", string(console.FormatAuto), "how the console tells of the run: "+console.FormatNames()+" (auto: live on a terminal, else lines)")
	f.StringVar(&o.pathsFrom, "paths-from", "", "the `DIR` that reports name the programs' files from (default: the git root)")
	f.StringVar(&o.color, "color", "auto", "colours: auto, always or never")
	cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
	cmd.MarkFlagsMutuallyExclusive("quiet", "console")
}

// withDefaults adds the reports that a run always leaves in its folder.
func withDefaults(specs []string) []string {
	specs = slices.Clone(specs)
	for _, always := range []string{"json", "junit", "html"} {
		if !slices.Contains(specs, always) {
			specs = append(specs, always)
		}
	}
	return specs
}

// withConsole adds the console, unless another reporter writes to standard
// output.
func withConsole(specs []string) []string {
	taken := slices.ContainsFunc(specs, func(s string) bool { return s == "console" || strings.HasSuffix(s, ":-") && s != "github:-" })
	if taken {
		return specs
	}
	return append(slices.Clone(specs), "console")
}

// newReporters makes the run's reporters: results.json, junit.xml and report.html are
// always in the run's folder, the console is always there unless another
// reporter writes to standard output, and --reporter adds to them.
func (e *evaluation) newReporters() (*reporters.Manager, error) {
	return e.options.manager(e.st, withConsole(withDefaults(e.options.reporters)), e.dir, true)
}

// manager makes the reporters of these specs for the run in a folder. Live
// says that the run is still to come.
func (o *reportFlags) manager(st *State, specs []string, dir string, live bool) (*reporters.Manager, error) {
	look, err := console.Detect(st.Stdout, o.color, st.Getenv)
	if err != nil {
		return nil, usage("%w", err)
	}
	switch {
	case o.quiet:
		look.Verbosity = console.Quiet
	case o.verbose:
		look.Verbosity = console.Verbose
	}
	if err := look.Set(console.Format(o.console)); err != nil {
		return nil, usage("--console: %w", err)
	}
	look.Live = look.Live && live
	look.ResultsDir = fromHere(dir)
	here, err := os.Getwd()
	if err != nil {
		return nil, &exit{exitInternal, err}
	}
	manager, err := reporters.NewManager(specs, reporters.Env{
		Stdout: st.Stdout, RunDir: dir, WorkDir: here, Console: look, Summary: st.Getenv("GITHUB_STEP_SUMMARY"),
		Events: filepath.Join(dir, "events.ndjson"),
	})
	var place *reporters.PlaceError
	switch {
	case errors.As(err, &place) && !live: // what is to be reported is there already
		return nil, &exit{exitInternal, err}
	case err != nil:
		return nil, usage("%w", err)
	}
	return manager, nil
}
