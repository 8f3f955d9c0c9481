package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/opendesk/opendesk/results"
)

// OfRuns is the past that consists of these runs. contents are program files
// as they were, in any order.
func OfRuns(runs []*results.Run, contents ...[]byte) Past {
	p := &runsPast{runs: slices.Clone(runs), contents: ContentsOf(contents...)}
	slices.SortFunc(p.runs, func(a, b *results.Run) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.ID, a.ID))
	})
	for _, run := range p.runs {
		p.outcomes = append(p.outcomes, sync.OnceValue(func() map[string]Current {
			list := Outcomes(run)
			outcomes := make(map[string]Current, len(list))
			for _, o := range list {
				outcomes[o.Path] = o
			}
			return outcomes
		}))
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
	outcomes []func() map[string]Current // of each run, by path
	contents Contents
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
	for i, run := range p.runs {
		if run.ID == info.ID {
			paths = slices.AppendSeq(paths, maps.Keys(p.outcomes[i]()))
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func (p *runsPast) Outcomes(path string) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		for i := range p.runs {
			if now, known := p.outcomes[i]()[path]; known && !yield(now.Outcome, nil) {
				return
			}
		}
	}
}

func (p *runsPast) Some([]string) (Past, error) { return p, nil }

func (p *runsPast) Steps(o Outcome) ([]StepOutcome, error) {
	for i, run := range p.runs {
		if run.ID != o.Run.ID {
			continue
		}
		if now, known := p.outcomes[i]()[o.Path]; known {
			return StepsOf(now.Program), nil
		}
	}
	return nil, nil
}

func (p *runsPast) Content(sha256 string) ([]byte, error) { return p.contents(sha256) }
