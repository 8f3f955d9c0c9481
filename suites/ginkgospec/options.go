package ginkgospec

import "strconv"

// Option changes how the programs of a project are registered or run.
type Option func(*options)

type options struct {
	binary     string
	programs   []string
	isolation  string
	scale      float64
	output     string
	decorators []any
}

// Binary is the opendesk to run: a path, or a name in the PATH.
func Binary(path string) Option { return func(o *options) { o.binary = path } }

// Programs registers only the programs that match one of the globs, as
// --program of eval run has them: a program's path in the project, its path
// below .opendesk/learned without the ending, or the last part of that.
func Programs(globs ...string) Option {
	return func(o *options) { o.programs = append(o.programs, globs...) }
}

// Isolation says how sessions are isolated: "auto" (as without this option),
// "bwrap" or "none".
func Isolation(mode string) Option { return func(o *options) { o.isolation = mode } }

// TimeoutScale multiplies every timeout of the programs, for slow machines; it
// is above 0 and at most 100. Without it the project's eval.yaml decides.
func TimeoutScale(factor float64) Option { return func(o *options) { o.scale = factor } }

// Output is the folder in which the folders of runs are made; without it that
// is the system's temporary folder. Those of programs that passed at once are
// removed, the others are kept.
func Output(dir string) Option { return func(o *options) { o.output = dir } }

// Decorators are handed to every spec, for example ginkgo.Serial,
// ginkgo.Label("desktop") or ginkgo.SpecTimeout(time.Minute).
func Decorators(decorators ...any) Option {
	return func(o *options) { o.decorators = append(o.decorators, decorators...) }
}

// arguments are those of eval run that the options give.
func (o *options) arguments() []string {
	var args []string
	if o.isolation != "" {
		args = append(args, "--isolation", o.isolation)
	}
	if o.scale != 0 {
		args = append(args, "--timeout-scale", strconv.FormatFloat(o.scale, 'g', -1, 64))
	}
	return args
}
