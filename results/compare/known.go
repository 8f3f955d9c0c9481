package compare

import (
	"math"
	"slices"

	"github.com/opendesk/opendesk/results"
)

// FlakinessRuns is how many runs with a verdict the flakiness is of, at most.
const FlakinessRuns = 20

// known is what earlier runs say of a program.
type known struct {
	// runs counts the earlier runs that the program is known from; it is exact
	// only up to what had to be looked at.
	runs int
	// state is the newest verdict, "" for none.
	state results.Status
	// good is the newest good outcome, nil for none.
	good *Outcome
	// since is the first run of those that it has been failing in, nil where
	// the state is not failing; failing counts them.
	since   *RunRef
	failing int
	// verdicts are the newest outcomes that say something, the newest first,
	// at most FlakinessRuns.
	verdicts []Outcome
	// durations are those of good outcomes that can be compared with this
	// run's, in milliseconds, the newest first, at most SlowRuns.
	durations []int64
}

// goodRef points at the last good run.
func (k known) goodRef() *RunRef {
	if k.good == nil {
		return nil
	}
	return &k.good.Run
}

// maxLook bounds how many earlier runs of a program are looked at once its
// last good run is known.
const maxLook = 200

// known looks at the program's earlier outcomes until nothing more is needed.
func (c *comparer) known(now Current) (known, error) {
	var k known
	for o, err := range c.past.Outcomes(now.Path) {
		if err != nil {
			return k, err
		}
		k.runs++
		k.add(o, now)
		full := len(k.verdicts) >= FlakinessRuns && len(k.durations) >= SlowRuns
		if k.good != nil && (full || k.runs >= maxLook) {
			break
		}
	}
	return k, nil
}

// add takes the next older outcome.
func (k *known) add(o Outcome, now Current) {
	state := o.state()
	if state == "" {
		return
	}
	if k.state == "" {
		k.state = state
	}
	if len(k.verdicts) < FlakinessRuns {
		k.verdicts = append(k.verdicts, o)
	}
	switch {
	case !good(o):
		if k.good == nil {
			since := o.Run
			k.since = &since
			k.failing++
		}
		return
	case k.good == nil:
		newest := o // of its own: only this one of all that are looked at is kept
		k.good = &newest
	}
	if len(k.durations) < SlowRuns && comparable(o, now.Outcome) {
		k.durations = append(k.durations, o.DurationMS)
	}
}

// flakiness is how steadily the newest runs came out, this one among them.
func (k known) flakiness(now Current) *Flakiness {
	outcomes := k.verdicts
	if now.state() != "" {
		outcomes = append([]Outcome{now.Outcome}, outcomes...)
	}
	return FlakinessOf(outcomes)
}

// FlakinessOf is the flakiness of a program with these outcomes, the newest
// first; those without a verdict do not count. It is nil where none has one.
func FlakinessOf(outcomes []Outcome) *Flakiness {
	var f Flakiness
	unsteady := 0
	var newer *Outcome
	for i := range outcomes {
		o := &outcomes[i]
		if o.state() == "" {
			continue
		}
		if newer != nil && flipped(*o, *newer) {
			f.Flips++
			if !isFlaky(*newer) {
				unsteady++
			}
		}
		if f.Runs == FlakinessRuns {
			break
		}
		f.Runs++
		if isFlaky(*o) {
			f.Flaky++
			unsteady++
		}
		newer = o
	}
	if f.Runs == 0 {
		return nil
	}
	f.Percent = math.Round(1000*float64(unsteady)/float64(f.Runs)) / 10
	return &f
}

// isFlaky says whether the outcome alone shows that the program is flaky.
func isFlaky(o Outcome) bool { return o.Status == results.Flaky || o.Mixed }

// flipped says whether two runs of the same thing came out differently.
func flipped(older, newer Outcome) bool {
	return good(older) != good(newer) && sameThing(older, newer)
}

// sameThing says whether nothing that is known changed between two outcomes.
func sameThing(a, b Outcome) bool {
	x, y := a.Environment, b.Environment
	return a.SHA256 == b.SHA256 && a.CodeSHA256 == b.CodeSHA256 &&
		x.Commit == y.Commit && !x.Dirty && !y.Dirty && slices.Equal(x.Packages, y.Packages)
}
