package history

import (
	"cmp"
	"database/sql"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/opendesk/opendesk/results/compare"
)

// some is a past that has at hand what the newest runs say of a few programs:
// two statements read that, instead of two for each program, the second one as
// soon as the steps of any of them are asked for.
type some struct {
	*past
	paths    []string
	list     []*ready          // of these paths
	programs map[string]*ready // by path
	steps    func() error      // reads the steps
}

// ready is what is at hand of a program.
type ready struct {
	outcomes []readyOutcome // the newest first
	steps    []compare.StepOutcome
	good     int // of outcomes: the steps are those of this one; -1 for none
}

// readyOutcome is an outcome with its run's number.
type readyOutcome struct {
	compare.Outcome
	run int64
}

// readyRuns is how many of the newest runs are read ahead: more than what is
// mostly looked at.
const readyRuns = compare.SlowRuns + compare.SlowRuns/2

func (p *past) Some(paths []string) (compare.Past, error) {
	if err := p.load(); err != nil {
		return nil, err
	}
	s := &some{past: p, paths: paths, list: make([]*ready, len(paths)), programs: make(map[string]*ready, len(paths))}
	s.steps = sync.OnceValue(s.readSteps)
	for i, path := range paths {
		s.list[i] = &ready{good: -1}
		s.programs[path] = s.list[i]
	}
	if len(p.newest) == 0 || len(paths) == 0 {
		return s, nil
	}
	return s, s.readOutcomes()
}

// readOutcomes reads what came of the programs in the newest runs.
func (s *some) readOutcomes() error {
	args := make([]any, 0, len(s.paths)+1)
	for _, path := range s.paths {
		args = append(args, path)
	}
	args = append(args, slices.Min(s.newest[:min(len(s.newest), readyRuns)]))
	rows, err := s.h.query(s.ctx, `SELECT v.column2, o.run, `+outcomeColumns+`
		FROM (VALUES `+values("?", len(s.paths))+`) v CROSS JOIN programs p ON p.path = v.column1
		CROSS JOIN outcomes o ON o.program = p.n AND o.run >= ?
		ORDER BY o.program, o.run, o.repeat`, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	for rows.Next() {
		var i int
		var o readyOutcome
		if err := scanOutcome(rows, &o.Outcome, &i, &o.run); err != nil {
			return err
		}
		if rank, known := s.rank[o.run]; !known || rank >= readyRuns {
			continue
		}
		o.Path = s.paths[i]
		s.in(&o.Outcome, s.byNumber[o.run])
		r := s.list[i]
		if last := len(r.outcomes) - 1; last >= 0 && r.outcomes[last].run == o.run {
			r.outcomes[last].Outcome = compare.Combine(r.outcomes[last].Outcome, o.Outcome)
			continue
		}
		r.outcomes = append(r.outcomes, o)
	}
	for _, r := range s.list {
		slices.SortFunc(r.outcomes, func(a, b readyOutcome) int { return cmp.Compare(s.rank[a.run], s.rank[b.run]) })
		r.good = slices.IndexFunc(r.outcomes, func(o readyOutcome) bool { return o.Good() })
	}
	return rows.Err()
}

// readSteps reads the steps of each program's newest good outcome.
func (s *some) readSteps() error {
	args := make([]any, 0, 3*len(s.paths))
	for i, r := range s.list {
		if r.good < 0 {
			args = append(args, nil, nil, nil)
			continue
		}
		args = append(args, s.paths[i], r.outcomes[r.good].run, r.outcomes[r.good].Repeat)
	}
	rows, err := s.h.query(s.ctx, `SELECT v.column4, s.list
		FROM (VALUES `+values("?, ?, ?", len(s.paths))+`) v CROSS JOIN programs p ON p.path = v.column1
		CROSS JOIN steps s ON s.program = p.n AND s.run = v.column2 AND s.repeat = v.column3`, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	for rows.Next() {
		var i int
		var list sql.RawBytes
		if err := rows.Scan(&i, &list); err != nil {
			return err
		}
		if s.list[i].steps, err = decodeSteps(list); err != nil {
			return err
		}
	}
	return rows.Err()
}

// values are count rows with these places for values, and a number from 0 behind
// them.
func values(places string, count int) string {
	var text strings.Builder
	for i := range count {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString("(" + places + ", " + strconv.Itoa(i) + ")")
	}
	return text.String()
}

func (s *some) Outcomes(path string) iter.Seq2[compare.Outcome, error] {
	r := s.programs[path]
	if r == nil {
		return s.past.Outcomes(path)
	}
	return func(yield func(compare.Outcome, error) bool) {
		for _, o := range r.outcomes {
			if !yield(o.Outcome, nil) {
				return
			}
		}
		if len(s.newest) <= readyRuns {
			return
		}
		for o, err := range s.past.Outcomes(path) {
			if err == nil && s.isReady(o.Run.ID) {
				continue
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// isReady says whether the run is one of those that were read ahead.
func (s *some) isReady(id string) bool {
	info := s.infos[id]
	return info != nil && s.rank[info.n] < readyRuns
}

func (s *some) Steps(o compare.Outcome) ([]compare.StepOutcome, error) {
	if r := s.programs[o.Path]; r != nil && r.good >= 0 {
		if good := r.outcomes[r.good]; good.Run.ID == o.Run.ID && good.Repeat == o.Repeat {
			err := s.steps()
			return r.steps, err
		}
	}
	return s.past.Steps(o)
}

// outcomeColumns are what scanOutcome reads, of outcomes as o.
const outcomeColumns = "o.repeat, o.status, o.excused, o.reason, o.attempt_ms, o.isolation, o.sha256, o.code_sha256"

// scanOutcome reads one repetition, behind other columns.
func scanOutcome(rows *sql.Rows, o *compare.Outcome, before ...any) error {
	return rows.Scan(append(before, &o.Repeat, (*string)(&o.Status), &o.Excused, &o.Reason, &o.DurationMS,
		&o.Isolation, &o.SHA256, &o.CodeSHA256)...)
}
