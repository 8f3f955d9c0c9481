package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
)

// OfRuns is the past that consists of these runs. contents are program files
// as they were, in any order.
func OfRuns(runs []*Run, contents ...[]byte) Past {
	p := &runsPast{runs: slices.Clone(runs), contents: ContentsOf(contents...)}
	slices.SortFunc(p.runs, func(a, b *Run) int {
		return cmp.Or(b.info.StartedAt.Compare(a.info.StartedAt), cmp.Compare(b.info.ID, a.info.ID))
	})
	for _, run := range p.runs {
		places := make(map[string]int, len(run.outcomes))
		for i := range run.outcomes {
			places[run.outcomes[i].Path] = i
		}
		p.places = append(p.places, places)
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
	runs     []*Run
	places   []map[string]int // of the outcomes of each run, by path
	contents Contents
}

// of is what came of the program in the run of that place, nil where it is not
// in it.
func (p *runsPast) of(run int, path string) *Current {
	if at, known := p.places[run][path]; known {
		return &p.runs[run].outcomes[at]
	}
	return nil
}

func (p *runsPast) Runs() iter.Seq2[RunInfo, error] {
	return func(yield func(RunInfo, error) bool) {
		for _, run := range p.runs {
			if !yield(run.info, nil) {
				return
			}
		}
	}
}

func (p *runsPast) Paths(info RunInfo) ([]string, error) {
	var paths []string
	for i, run := range p.runs {
		if run.info.ID == info.ID {
			paths = slices.AppendSeq(paths, maps.Keys(p.places[i]))
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func (p *runsPast) Outcomes(path string) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		for i := range p.runs {
			if now := p.of(i, path); now != nil && !yield(now.Outcome, nil) {
				return
			}
		}
	}
}

func (p *runsPast) Some([]string) (Past, error) { return p, nil }

func (p *runsPast) Steps(o Outcome) ([]StepOutcome, error) {
	for i, run := range p.runs {
		if run.info.ID != o.Run.ID {
			continue
		}
		if now := p.of(i, o.Path); now != nil {
			return now.stepsOf(), nil
		}
	}
	return nil, nil
}

func (p *runsPast) Content(sha256 string) ([]byte, error) { return p.contents(sha256) }
