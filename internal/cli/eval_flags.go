package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/policy"
	"github.com/spf13/cobra"
)

// runOptions are the flags of eval run.
type runOptions struct {
	project string
	output  string
	reportFlags

	selection selection
	order     string
	shard     string
	durations string
	repeat    int

	display       string // virtual, real or a name
	real          *realDisplay
	geometry      string
	geometryGiven bool // it beats a program's own
	isolation     string
	timeoutScale  float64

	workers       int
	retries       int
	envRetries    int
	maxFailures   int
	failFast      bool
	programBudget string
	runBudget     string
	failOn        []string
	passOnNone    bool
	noHistory     bool
	trace         string // off, retain-on-failure or on
	video         string // the same

	// kind is on whose behalf it is run, "" for eval.
	kind policy.Kind

	// after is called when everything of the run is written, nil for nothing
	// more. Its error makes the exit code that of an internal fault, where that
	// of the run is no worse.
	after func(ctx context.Context, p *project.Project, dir string, run *results.Run) error

	// What settle makes of them.
	part    *harness.Shard
	seed    int64 // of a random order, 0 for none
	remarks []results.Remark
	budget  time.Duration
}

// selection are the flags that say which programs are wanted.
type selection struct {
	programs, tags, skipTags []string
	lastFailed               bool
}

func (s *selection) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.programs, "program", nil, "only programs that match this glob (repeatable)")
	f.StringSliceVar(&s.tags, "tag", nil, "only programs with this tag of eval.yaml (repeatable: with one of these)")
	f.StringSliceVar(&s.skipTags, "skip-tag", nil, "no programs with this tag (repeatable)")
	f.BoolVar(&s.lastFailed, "last-failed", false, "only what did not pass in the newest complete run in .opendesk/eval/runs")
}

// String is the selection as it is written, "" where everything is wanted.
func (s *selection) String() string {
	var parts []string
	for _, one := range []struct {
		flag   string
		values []string
	}{{"--program", s.programs}, {"--tag", s.tags}, {"--skip-tag", s.skipTags}} {
		for _, v := range one.values {
			parts = append(parts, one.flag+" "+v)
		}
	}
	if s.lastFailed {
		parts = append(parts, "--last-failed")
	}
	return strings.Join(parts, " ")
}

func (o *runOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.project, "project", ".", "the project's folder")
	f.StringVar(&o.output, "output", "", "the run's folder (default .opendesk/eval/runs/<run id>)")
	o.addReportFlags(cmd, "NAME[:PATH], repeatable, in addition to results.json, junit.xml and report.html in the run's folder and the console: ")
	o.selection.addFlags(cmd)
	f.StringVar(&o.order, "order", "file", "file (by path) or random[:SEED]")
	f.StringVar(&o.shard, "shard", "", "I/N: only the Ith of N parts; which program is in which follows from its path")
	f.StringVar(&o.durations, "durations", "", "with --shard: parts of about the same duration, by a file that 'opendesk eval durations' wrote")
	f.IntVar(&o.repeat, "repeat-each", 1, "run each program this many times")
	f.StringVar(&o.display, "display", virtual, displayUsage)
	f.StringVar(&o.geometry, "geometry", "", "the display's size, WIDTHxHEIGHT[xDEPTH] (default 1280x800x24)")
	f.StringVar(&o.isolation, "isolation", "auto", "how sessions are isolated: auto, bwrap or none")
	f.Float64Var(&o.timeoutScale, "timeout-scale", 1, "multiplies every timeout, for slow machines")
	f.IntVar(&o.workers, "workers", 0, "how many programs run at the same time (default by cores and memory, see above)")
	f.IntVar(&o.retries, "retries", 0, "how often a failed program is tried again")
	f.IntVar(&o.envRetries, "env-retries", 1, "how often a program is tried again whose environment broke")
	f.IntVar(&o.maxFailures, "max-failures", 0, "begin no more programs once this many have failed or broken (0: no limit)")
	f.BoolVar(&o.failFast, "fail-fast", false, "the same as --max-failures 1")
	f.StringVar(&o.programBudget, "program-budget", "", "a program fails that takes longer, such as 90s (beats eval.yaml; default: no limit)")
	f.StringVar(&o.runBudget, "run-budget", "", "the run is ended when it takes longer, such as 30m (default: no limit)")
	f.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 1 also where there is one of these: "+remarkNames())
	f.StringVar(&o.trace, "trace", string(worker.TraceOff), "a picture of the screen after each step, for report.html: "+worker.TraceNames())
	f.StringVar(&o.video, "video", string(worker.TraceOff), "a film of each attempt, by ffmpeg: "+worker.TraceNames()+" (none of programs that type secrets)")
	f.BoolVar(&o.noHistory, "no-history", false, "compare with no earlier run, and do not add this one to .opendesk/eval/history.db")
	f.BoolVar(&o.passOnNone, "pass-with-no-programs", false, "an empty run is a success")
	cmd.MarkFlagsMutuallyExclusive("max-failures", "fail-fast")
}

func remarkNames() string {
	var names []string
	for _, r := range results.Remarks() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// Bounds of flags.
const (
	maxWorkers = 256
	maxRepeat  = 10_000
)

// settle brings flags and the project's file together: flags beat the file,
// the file beats the defaults.
func (o *runOptions) settle(p *project.Project, given func(string) bool) error {
	if given("geometry") {
		geometry, err := project.ParseGeometry(o.geometry)
		if err != nil {
			return usage("--geometry: %w", err)
		}
		o.geometry, o.geometryGiven = geometry.String(), true
	} else {
		o.geometry = p.Config.Display.Geometry.String()
	}
	if !given("timeout-scale") {
		o.timeoutScale = p.Config.TimeoutScale
	}
	if !given("retries") {
		o.retries = p.Config.Retries
	}
	if !given("env-retries") {
		o.envRetries = p.Config.EnvRetries
	}
	switch {
	case o.isReal():
		if err := o.settleReal(p, given); err != nil {
			return err
		}
	case !given("workers"):
		o.workers = defaultWorkers(machine())
	}
	if o.failFast {
		o.maxFailures = 1
	}
	switch {
	case !(o.timeoutScale > 0 && o.timeoutScale <= 100):
		return usage("--timeout-scale must be above 0 and at most 100, not %g", o.timeoutScale)
	case o.retries < 0 || o.envRetries < 0:
		return usage("--retries and --env-retries must not be negative")
	case o.workers < 1 || o.workers > maxWorkers:
		return usage("--workers must be from 1 to %d, not %d", maxWorkers, o.workers)
	case given("repeat-each") && o.repeat < 1 || o.repeat > maxRepeat:
		return usage("--repeat-each must be from 1 to %d, not %d", maxRepeat, o.repeat)
	case o.maxFailures < 0 || given("max-failures") && o.maxFailures == 0:
		return usage("--max-failures must be 1 or more, not %d", o.maxFailures)
	}
	switch session.Isolation(o.isolation) {
	case session.Auto, session.Bwrap, session.None:
	default:
		return usage("--isolation must be auto, bwrap or none, not %q", o.isolation)
	}
	return o.parse(p)
}

// parse reads the flags that have a form of their own.
func (o *runOptions) parse(p *project.Project) (err error) {
	if o.seed, err = parseOrder(o.order); err != nil {
		return usage("--order: %w", err)
	}
	if o.shard != "" {
		part, err := harness.ParseShard(o.shard)
		if err != nil {
			return usage("--shard: %w", err)
		}
		o.part = &part
	}
	if o.durations != "" && o.part == nil {
		return usage("--durations balances the parts of --shard: give that as well")
	}
	if len(o.failOn) > 0 {
		if o.remarks, err = results.ParseRemarks(strings.Join(o.failOn, ",")); err != nil {
			return usage("--fail-on: %w", err)
		}
		if about := slices.IndexFunc(o.remarks, results.Remark.OfHistory); o.noHistory && about >= 0 {
			return usage("--fail-on %s is about the history: leave out --no-history", o.remarks[about])
		}
	}
	if _, err := worker.ParseTrace(o.trace); err != nil {
		return usage("--trace: %w", err)
	}
	if _, err := worker.ParseTrace(o.video); err != nil {
		return usage("--video: %w", err)
	}
	o.budget = p.Config.Budget.Run
	if o.runBudget != "" {
		if o.budget, err = project.ParseBudget(o.runBudget); err != nil {
			return usage("--run-budget: %w", err)
		}
	}
	if o.programBudget != "" {
		budget, err := project.ParseBudget(o.programBudget)
		if err != nil {
			return usage("--program-budget: %w", err)
		}
		p.Config.Budget.Program = budget
		for i := range p.Config.Programs {
			p.Config.Programs[i].Settings.Budget = 0
		}
	}
	return nil
}

// parseOrder reads --order; the seed is 0 for the order of the files.
func parseOrder(s string) (seed int64, err error) {
	switch name, number, hasSeed := strings.Cut(s, ":"); {
	case s == "file" || s == "":
		return 0, nil
	case s == "random":
		return 1 + rand.Int64N(1_000_000_000), nil
	case name == "random" && hasSeed:
		seed, err := strconv.ParseInt(number, 10, 64)
		if err != nil || seed < 1 || seed >= 1<<53 {
			return 0, fmt.Errorf("%q is no seed: a whole number above 0, such as random:42", number)
		}
		return seed, nil
	}
	return 0, fmt.Errorf("%q is unknown: file, random or random:SEED", s)
}
