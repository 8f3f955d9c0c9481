// Package merge makes one run of the shards of one evaluation. The merged run
// is what the same evaluation in one run would have given, but for what differs
// from run to run anyway: counts, notes, status and exit code are made anew
// from the programs, by the code that makes those of any run.
package merge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
)

// Shard is the run of one part of an evaluation.
type Shard struct {
	// Dir is the run's folder, as problems name it.
	Dir string
	// Run is what it found. Merging takes its programs over: it has none then.
	Run *results.Run

	artifacts []results.Artifact // once its programs were taken over
}

// Options say what of the merged run the shards do not say.
type Options struct {
	// ID names the run.
	ID string
	// FailOn are remarks that make the exit code that of a failure, in addition
	// to those that the shards were run with.
	FailOn []results.Remark
	// Review, unless nil, is shown the merged run before its exit code is made,
	// and says what earlier runs say of it.
	Review func(run *results.Run) Review
}

// Review is what earlier runs say of a merged one.
type Review struct {
	// Warnings are on programs, by path; of repetitions each gets them.
	Warnings map[string][]results.Warning
	// News is one line on what is new.
	News string
	// Notes are remarks on the run.
	Notes []string
}

// Runs merges runs. The error holds every reason why they cannot be merged, one
// a line.
func Runs(shards []Shard, o Options) (*results.Run, error) {
	if err := check(shards); err != nil {
		return nil, err
	}
	for i := range shards {
		shards[i].artifacts = artifactsOf(shards[i].Run)
	}
	shards = inOrder(shards)
	first := shards[0].Run
	run := &results.Run{
		SchemaVersion: results.SchemaVersion, ID: o.ID, Kind: first.Kind, Suite: first.Suite, Project: first.Project, Tool: first.Tool,
	}
	plan := *first.Plan
	plan.Shard = ""
	run.Plan = &plan
	run.Programs = programs(shards)
	var differ []string
	run.Environment, differ = environment(shards)
	run.StartedAt, run.DurationMS = span(shards)
	for _, s := range shards {
		run.Interrupted = run.Interrupted || s.Run.Interrupted
		for _, r := range s.Run.Plan.FailOn {
			if !slices.Contains(plan.FailOn, r) {
				plan.FailOn = append(slices.Clone(plan.FailOn), r)
			}
		}
	}
	for _, r := range o.FailOn {
		if !slices.Contains(plan.FailOn, r) {
			plan.FailOn = append(slices.Clone(plan.FailOn), r)
		}
	}
	run.Counts = results.Count(run.Programs)
	run.Status = results.RunStatus(run.Programs, run.Interrupted)
	run.Notes = append(notes(shards), differ...)
	worse := unexplained(shards)
	for _, s := range shards {
		s.Run.Programs = nil
	}
	if o.Review != nil {
		review := o.Review(run)
		for i := range run.Programs {
			p := &run.Programs[i]
			p.Warnings = slices.Concat(p.Warnings, review.Warnings[p.Path])
		}
		run.News = review.News
		run.Notes = append(run.Notes, review.Notes...)
	}
	conclude(run, shards, worse)
	return run, nil
}

// inOrder are the shards in the order of their numbers.
func inOrder(shards []Shard) []Shard {
	return slices.SortedFunc(slices.Values(shards), func(a, b Shard) int { return cmp.Compare(part(a), part(b)) })
}

// part is the number of a shard that check has passed.
func part(s Shard) int {
	index, _, _ := parseShard(s.Run.Plan.Shard)
	return index
}

// programs are those of all shards in the plan's order.
func programs(shards []Shard) []results.Program {
	type entry struct {
		key     string
		program *results.Program
	}
	var entries []entry
	seed := shards[0].Run.Plan.Seed
	for _, s := range shards {
		for i := range s.Run.Programs {
			p := &s.Run.Programs[i]
			entries = append(entries, entry{results.PlanKey(seed, p.Path), p})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.program.Repeat, b.program.Repeat))
	})
	all := make([]results.Program, len(entries))
	for i, e := range entries {
		all[i] = *e.program
	}
	return all
}

// span is when the first shard began, and how long it was from then until the
// last one had ended, in milliseconds.
func span(shards []Shard) (time.Time, int64) {
	begin, end := shards[0].Run.StartedAt, time.Time{}
	for _, s := range shards {
		if s.Run.StartedAt.Before(begin) {
			begin = s.Run.StartedAt
		}
		if e := s.Run.StartedAt.Add(time.Duration(s.Run.DurationMS) * time.Millisecond); e.After(end) {
			end = e
		}
	}
	return begin, end.Sub(begin).Milliseconds()
}

// notes are those of the shards, each once. What they say of remarks is made
// anew from all programs.
func notes(shards []Shard) []string {
	var all []string
	for _, s := range shards {
		own := results.FailOn(s.Run.Programs, s.Run.Plan.FailOn)
		for _, note := range s.Run.Notes {
			if !slices.Contains(own, note) && !slices.Contains(all, note) {
				all = append(all, note)
			}
		}
	}
	return all
}

// unexplained are the shards that ended with a worse exit code than their
// programs account for.
func unexplained(shards []Shard) []Shard {
	var worse []Shard
	for _, s := range shards {
		own := exitCode(s.Run, s.Run.Plan.FailOn, s.Run.ExitCode == results.ExitPassed)
		if severity(s.Run.ExitCode) > severity(own) {
			worse = append(worse, s)
		}
	}
	return worse
}

// conclude sets the exit code as a run that ends does. The unexplained codes of
// shards are not forgotten.
func conclude(run *results.Run, shards, worse []Shard) {
	emptyPasses := true
	for _, s := range shards {
		emptyPasses = emptyPasses && s.Run.ExitCode == results.ExitPassed
	}
	run.ExitCode = exitCode(run, run.Plan.FailOn, emptyPasses)
	for _, s := range worse {
		run.Notes = append(run.Notes, fmt.Sprintf("shard %s ended with exit code %d", s.Run.Plan.Shard, s.Run.ExitCode))
		if severity(s.Run.ExitCode) > severity(run.ExitCode) {
			run.ExitCode = s.Run.ExitCode
		}
	}
	run.Notes = append(run.Notes, results.FailOn(run.Programs, run.Plan.FailOn)...)
}

func exitCode(run *results.Run, failOn []results.Remark, emptyPasses bool) int {
	if len(results.FailOn(run.Programs, failOn)) > 0 {
		return results.ExitFailed
	}
	return results.ExitCode(run, emptyPasses)
}

// severity orders exit codes: the higher the worse.
func severity(code int) int {
	order := []int{results.ExitPassed, results.ExitInvalid, results.ExitBroken, results.ExitInterrupted, results.ExitFailed}
	if i := slices.Index(order, code); i >= 0 {
		return i
	}
	return slices.Index(order, results.ExitBroken)
}

// shown is how many problems are told of one kind.
const shown = 20

// joined is the problems as one error, nil for none.
func joined(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	if more := len(problems) - shown; more > 0 {
		problems = append(slices.Clone(problems[:shown]), fmt.Sprintf("… and %d more of these", more))
	}
	return errors.New(strings.Join(problems, "\n"))
}
