package compare

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/opendesk/opendesk/results"
)

// Compare says what is new in the run against what is known of earlier ones.
// with is LastGood, or the id of the one run that the past consists of. The
// error is that of the past, which could not be read.
func Compare(run *Run, past Past, with string) (*Comparison, error) {
	c := &comparer{past: past, run: run, out: &Comparison{
		SchemaVersion: SchemaVersion, Run: run.info, With: cmp.Or(with, LastGood),
	}}
	c.out.Part = c.out.Run.Part
	whole, err := c.earlier()
	if err != nil {
		return nil, err
	}
	c.out.Programs = len(run.outcomes)
	if err := c.programs(run.outcomes); err != nil {
		return nil, err
	}
	if err := c.removed(whole, run.outcomes); err != nil {
		return nil, err
	}
	c.out.sort()
	return c.out, nil
}

// comparer is one comparison under way.
type comparer struct {
	past Past
	run  *Run
	out  *Comparison
}

// earlier notes the newest earlier run, and gives the newest one that was of
// the whole project.
func (c *comparer) earlier() (whole *RunInfo, err error) {
	for info, err := range c.past.Runs() {
		if err != nil {
			return nil, err
		}
		if c.out.Earlier == nil {
			c.out.Earlier = &info
		}
		if info.Part == "" {
			return &info, nil
		}
	}
	return nil, nil
}

// removed lists the programs that an earlier whole run had.
func (c *comparer) removed(whole *RunInfo, current []Current) error {
	if whole == nil || c.out.Part != "" {
		return nil
	}
	paths, err := c.past.Paths(*whole)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, o := range current {
		here[o.Path] = true
	}
	for _, path := range paths {
		if here[path] {
			continue
		}
		k, err := c.known(Current{Outcome: Outcome{Path: path, Environment: &c.run.info.Environment, Tool: &c.run.info.Tool}})
		if err != nil {
			return err
		}
		c.out.Removed = append(c.out.Removed, ProgramChange{
			Path: path, Name: ShortName(path), Before: k.state, LastGood: k.goodRef(),
		})
	}
	return nil
}

// atOnce is how many programs the past is asked for at a time. Fewer are
// compared by one core.
const atOnce = 256

// programs tells what is new of each program, many of them on all cores.
func (c *comparer) programs(current []Current) error {
	parts := make([]*comparer, min(runtime.GOMAXPROCS(0), 1+len(current)/atOnce))
	var group errgroup.Group
	for i := range parts {
		part := &comparer{run: c.run, out: &Comparison{}}
		parts[i] = part
		list := current[i*len(current)/len(parts) : (i+1)*len(current)/len(parts)]
		group.Go(func() error {
			for some := range slices.Chunk(list, atOnce) {
				if err := part.some(c.past, some); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, part := range parts {
		lists := part.out.lists()
		for i, list := range c.out.lists() {
			*list = append(*list, *lists[i]...)
		}
	}
	return nil
}

// some tells what is new of a few programs.
func (c *comparer) some(past Past, list []Current) (err error) {
	paths := make([]string, len(list))
	for i, o := range list {
		paths[i] = o.Path
	}
	if c.past, err = past.Some(paths); err != nil {
		return err
	}
	for _, o := range list {
		if err := c.program(o); err != nil {
			return err
		}
	}
	return nil
}

// program tells what is new of one program.
func (c *comparer) program(now Current) error {
	k, err := c.known(now)
	if err != nil {
		return err
	}
	change := c.describe(now, k)
	if good(now.Outcome) && k.good != nil {
		if change.Drift, err = c.drift(now, k); err != nil {
			return err
		}
	}
	if change.Slowdown, err = c.slowdown(now, k); err != nil {
		return err
	}
	if ask := now.Excused || !good(now.Outcome) || len(change.Drift) > 0 || change.Slowdown != nil; ask {
		if change.Changed, err = c.differences(now, k); err != nil {
			return err
		}
	}
	c.sortIn(now, k, change)
	return nil
}

// describe is what any list says of the program.
func (c *comparer) describe(now Current, k known) ProgramChange {
	change := ProgramChange{
		Path: now.Path, Name: ShortName(now.Path), File: now.File, Repeat: now.Repeat,
		Status: now.Status, Reason: now.Reason, Before: k.state, LastGood: k.goodRef(),
		Flakiness: k.flakiness(now), Quarantine: now.Quarantine,
	}
	if k.since != nil {
		change.Since, change.FailingRuns = k.since, k.failing
	}
	if failing(now.Outcome) {
		if change.Since == nil {
			ref := now.Run
			change.Since = &ref
		}
		change.FailingRuns++
	}
	if !good(now.Outcome) {
		change.Step, change.Screenshot = now.faultOf()
	}
	return change
}

// sortIn puts the program into the lists that it belongs to. What says nothing
// in a list is left out there.
func (c *comparer) sortIn(now Current, k known, change ProgramChange) {
	plain := change
	plain.Changed, plain.Drift, plain.Slowdown = nil, nil, nil
	changed := plain
	changed.Changed = change.Changed
	out := c.out
	switch {
	case now.Excused:
		out.Quarantined = append(out.Quarantined, changed)
	case failing(now.Outcome) && bad(k.state):
		out.StillFailing = append(out.StillFailing, changed)
	case failing(now.Outcome):
		out.NewlyFailing = append(out.NewlyFailing, changed)
	case now.Status == results.Broken:
		out.Broken = append(out.Broken, changed)
	case good(now.Outcome) && bad(k.state):
		out.Fixed = append(out.Fixed, plain)
	}
	if now.Status == results.Flaky || now.Mixed {
		out.Flaky = append(out.Flaky, plain)
	}
	if len(change.Drift) > 0 {
		drifting := changed
		drifting.Drift = change.Drift
		out.Drifting = append(out.Drifting, drifting)
	}
	if change.Slowdown != nil {
		slower := changed
		slower.Slowdown = change.Slowdown
		out.Slower = append(out.Slower, slower)
	}
	if k.runs == 0 {
		out.Added = append(out.Added, plain)
	}
}

// lists are all lists of programs.
func (c *Comparison) lists() []*[]ProgramChange {
	return []*[]ProgramChange{
		&c.NewlyFailing, &c.StillFailing, &c.Broken, &c.Fixed, &c.Flaky, &c.Drifting, &c.Slower,
		&c.Added, &c.Removed, &c.Quarantined,
	}
}

// sort puts the lists into the order of paths and makes each a list in JSON.
func (c *Comparison) sort() {
	for _, list := range c.lists() {
		if *list == nil {
			*list = []ProgramChange{}
		}
		slices.SortFunc(*list, func(a, b ProgramChange) int { return cmp.Compare(a.Path, b.Path) })
	}
}

// knownText says since when the program has been failing.
func (p *ProgramChange) knownText() string {
	return fmt.Sprintf("has been failing since %s (%s), for %d runs now",
		p.Since.StartedAt.Format("2006-01-02 15:04"), p.Since.ID, p.FailingRuns)
}

// Warnings are what the comparison adds to a run's warnings, by the program's
// path: drift, slow and known.
func (c *Comparison) Warnings() map[string][]results.Warning {
	warnings := map[string][]results.Warning{}
	for _, p := range c.Drifting {
		for _, d := range p.Drift {
			warnings[p.Path] = append(warnings[p.Path], results.Warning{
				Kind: results.WarnDrift, Step: d.Step.ID, Message: d.Message,
			})
		}
	}
	for _, p := range c.StillFailing {
		warnings[p.Path] = append(warnings[p.Path], results.Warning{Kind: results.WarnKnown, Message: p.knownText()})
	}
	for _, p := range c.Slower {
		warnings[p.Path] = append(warnings[p.Path], results.Warning{Kind: results.WarnSlow, Message: p.Slowdown.String()})
	}
	return warnings
}

// String is the slowdown in one line.
func (s *Slowdown) String() string {
	text := fmt.Sprintf("took %d ms, %d ms in the median of %d earlier runs", s.DurationMS, s.MedianMS, s.Samples)
	if s.Step != nil {
		text += fmt.Sprintf(" (step %s: %d ms, %d ms in the last good run)", s.Step.Step.ID, s.Step.DurationMS, s.Step.BeforeMS)
	}
	return text
}
