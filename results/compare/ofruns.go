package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"

	"github.com/opendesk/opendesk/results"
)

// OfRuns is the past that consists of these runs. contents are program files
// as they were, in any order.
func OfRuns(runs []*results.Run, contents ...[]byte) Past {
	p := &runsPast{runs: slices.Clone(runs), contents: map[string][]byte{}}
	slices.SortFunc(p.runs, func(a, b *results.Run) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
	})
	for _, content := range contents {
		p.contents[SHA256(content)] = content
	}
	return p
}

// SHA256 is the name of a content, in hexadecimal.
func SHA256(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// runsPast is a past of runs that are at hand, the newest first.
type runsPast struct {
	runs     []*results.Run
	contents map[string][]byte
}

func (p *runsPast) Runs() iter.Seq2[RunInfo, error] {
	return func(yield func(RunInfo, error) bool) {
		for _, run := range p.runs {
			if !yield(InfoOf(run), nil) {
				return
			}
		}
	}
}

func (p *runsPast) Paths(info RunInfo) ([]string, error) {
	var paths []string
	for _, run := range p.runs {
		if run.ID == info.ID {
			for _, o := range Outcomes(run) {
				paths = append(paths, o.Path)
			}
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func (p *runsPast) Outcomes(path string) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		for _, run := range p.runs {
			if now, known := outcome(run, path); known && !yield(now.Outcome, nil) {
				return
			}
		}
	}
}

// outcome is what came of the program in the run.
func outcome(run *results.Run, path string) (now Current, known bool) {
	for i := range run.Programs {
		prog := &run.Programs[i]
		if prog.Path != path {
			continue
		}
		one := Current{Outcome: OutcomeOf(run, prog), Program: prog}
		if known {
			one = combine(now, one)
		}
		now, known = one, true
	}
	return now, known
}

func (p *runsPast) Steps(o Outcome) ([]StepOutcome, error) {
	for _, run := range p.runs {
		if run.ID != o.Run.ID {
			continue
		}
		if now, known := outcome(run, o.Path); known {
			return StepsOf(now.Program), nil
		}
	}
	return nil, nil
}

func (p *runsPast) Content(sha256 string) ([]byte, error) { return p.contents[sha256], nil }
