package compare

import (
	"slices"

	"github.com/opendesk/opendesk/results"
)

// The rule for what is slower. Of a program that passed at once, the duration
// of its attempt is held against those of its newest SlowRuns good runs of the
// same content, in sessions of the same kind and with the same number of
// workers; with fewer than SlowSamples of them nothing is said. Slower is what
// is above the median by more than each of: five times the scaled median
// absolute deviation, a quarter of the median, and a second.
const (
	// SlowRuns is how many earlier durations are looked at, at most.
	SlowRuns = 20
	// SlowSamples is how many there must be.
	SlowSamples = 5

	slowDeviations = 5
	slowShare      = 0.25
	slowLeastMS    = 1000
	// madScale makes the median absolute deviation of a normal distribution its
	// standard deviation.
	madScale = 1.4826
)

// comparable says whether two durations of a program can be held against each
// other.
func comparable(a, b Outcome) bool {
	x, y := a.Environment, b.Environment
	return a.Status == results.Passed && a.DurationMS > 0 && a.SHA256 == b.SHA256 && a.CodeSHA256 == b.CodeSHA256 && a.Isolation == b.Isolation &&
		x.Display == y.Display && x.Workers == y.Workers && x.TimeoutScale == y.TimeoutScale &&
		x.OS == y.OS && x.Arch == y.Arch
}

// slowdown says what is slower, nil for nothing.
func (c *comparer) slowdown(now Current, k known) (*Slowdown, error) {
	if now.Status != results.Passed || len(k.durations) < SlowSamples {
		return nil, nil
	}
	s := limit(k.durations)
	s.DurationMS = now.DurationMS
	if s.DurationMS <= s.LimitMS {
		return nil, nil
	}
	before, err := c.past.Steps(*k.good)
	if err != nil {
		return nil, err
	}
	s.Step = slowest(before, now.stepsOf())
	return &s, nil
}

// limit is what the rule makes of these durations.
func limit(durations []int64) Slowdown {
	middle := Median(durations)
	deviations := make([]int64, len(durations))
	for i, d := range durations {
		deviations[i] = max(d-middle, middle-d)
	}
	mad := Median(deviations)
	margin := max(int64(slowDeviations*madScale*float64(mad)), int64(slowShare*float64(middle)), slowLeastMS)
	return Slowdown{MedianMS: middle, MADMS: mad, LimitMS: middle + margin, Samples: len(durations)}
}

// Median is the middle one of the values, of an even number the mean of the
// two in the middle; 0 for none.
func Median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// slowest is the step that grew most, nil where none grew.
func slowest(before, now []StepOutcome) *StepSlowdown {
	var worst *StepSlowdown
	for _, s := range now {
		i := slices.IndexFunc(before, func(b StepOutcome) bool { return b.ID == s.ID })
		if i < 0 {
			continue
		}
		grew := s.DurationMS - before[i].DurationMS
		if grew > 0 && (worst == nil || grew > worst.DurationMS-worst.BeforeMS) {
			worst = &StepSlowdown{Step: s.StepRef, DurationMS: s.DurationMS, BeforeMS: before[i].DurationMS}
		}
	}
	return worst
}
