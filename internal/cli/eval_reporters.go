package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/reporters"
	"github.com/opendesk/opendesk/reporters/console"
)

// newReporters makes the run's reporters: results.json and junit.xml are
// always in the run's folder, the console is always there unless another
// reporter writes to standard output, and --reporter adds to them.
func (e *evaluation) newReporters() (*reporters.Manager, error) {
	specs := slices.Clone(e.options.reporters)
	for _, always := range []string{"json", "junit"} {
		if !slices.Contains(specs, always) {
			specs = append(specs, always)
		}
	}
	taken := slices.ContainsFunc(specs, func(s string) bool {
		return s == "console" || strings.HasSuffix(s, ":-")
	})
	if !taken {
		specs = append(specs, "console")
	}
	look, err := console.Detect(e.st.Stdout, e.options.color, e.st.Getenv)
	if err != nil {
		return nil, usage("%w", err)
	}
	switch {
	case e.options.quiet:
		look.Verbosity = console.Quiet
	case e.options.verbose:
		look.Verbosity = console.Verbose
	}
	look.ResultsDir = fromHere(e.dir)
	here, err := os.Getwd()
	if err != nil {
		return nil, &exit{exitInternal, err}
	}
	manager, err := reporters.NewManager(specs, reporters.Env{
		Stdout: e.st.Stdout, RunDir: e.dir, WorkDir: here, Console: look,
	})
	if err != nil {
		return nil, usage("%w", err)
	}
	return manager, nil
}
