package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// MaxCandidates bounds the candidates of a failure.
const MaxCandidates = 5

// Info is an element as results show it.
func Info(e *desktop.Element) results.ElementInfo {
	info := results.ElementInfo{
		Role: e.RawRole, Title: Title(e), Identifier: e.Identifier, Ref: e.Ref,
		Showing: judge().showing(e), Sensitive: Sensitive(e),
	}
	if e.App != nil {
		info.App = e.App.Display()
	}
	if e.Window != nil && e.Window != e {
		info.Window = Title(e.Window)
	}
	if e.BoundsKnown {
		info.Bounds = &results.Box{X: e.Bounds.X, Y: e.Bounds.Y, Width: e.Bounds.Width, Height: e.Bounds.Height}
	}
	return info
}

// Explain turns a miss into what a failure says: its kind, further lines for
// people, and the closest elements, best first.
func Explain(m *Miss, t program.Target) (kind results.FailureKind, details []string, candidates []results.Candidate) {
	kind = results.TargetNotFound
	if m == nil || m.Snapshot == nil {
		return kind, nil, nil
	}
	switch m.Reached {
	case ReachedNothing:
		kind = results.AppNotFound
		details = append(details, fmt.Sprintf("no running app is called '%s'", t.App))
	case ReachedHidden:
		kind = results.TargetHidden
		details = append(details, fmt.Sprintf("[%s] '%s' is there, but hidden", m.Unusable.RawRole, Title(m.Unusable)))
	case ReachedInsensitive:
		kind = results.TargetInsensitive
		details = append(details, fmt.Sprintf("[%s] '%s' is there, but greyed out", m.Unusable.RawRole, Title(m.Unusable)))
	case ReachedApp:
		details = append(details, fmt.Sprintf("app '%s' runs, but shows no window in its accessibility tree", t.App))
	}
	for _, fault := range m.Snapshot.Faults {
		details = append(details, fault.Err.Error())
		if m.Reached != ReachedFault && m.Reached != ReachedNothing && m.Reached != ReachedApp {
			continue
		}
		var hung *desktop.HungError
		var noTree *desktop.NoTreeError
		var gone *desktop.GoneError
		switch {
		case errors.As(fault.Err, &hung):
			kind = results.AppHung
		case errors.As(fault.Err, &noTree):
			kind = results.AppNoTree
		case errors.As(fault.Err, &gone):
			kind = results.AppDied
		}
	}
	return kind, details, closest(m.Snapshot, t)
}

// closest ranks the elements that resemble the target.
func closest(snap *desktop.Snapshot, t program.Target) []results.Candidate {
	w := Finder{}.prepare(t)
	var candidates []results.Candidate
	for _, r := range w.rank(snap) {
		candidates = append(candidates, results.Candidate{Element: Info(r.element), Differs: w.differences(r.element, judge())})
	}
	return candidates
}

// ranked is an element with how much it resembles a target.
type ranked struct {
	element *desktop.Element
	score   float64
}

// rank gives the elements that resemble the target, best first, at most
// MaxCandidates.
func (w wanted) rank(snap *desktop.Snapshot) []ranked {
	if w.bare() {
		return nil
	}
	v := judge()
	var all []ranked
	each(snap, func(e *desktop.Element) {
		if score := w.resemblance(e); score > 0 {
			if v.showing(e) {
				score += showingScore
			}
			all = append(all, ranked{e, score})
		}
	})
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return all[:min(len(all), MaxCandidates)]
}

// What it counts that an element shows, and that it has the target's role.
const (
	showingScore = 0.1
	roleScore    = 0.5
)

// resemblance is above 0 for elements worth showing; 3 would be all the same.
func (w wanted) resemblance(e *desktop.Element) float64 {
	var score float64
	if w.Identifier != "" && e.Identifier != "" {
		score += closeness(fold.Text(w.Identifier), fold.Text(e.Identifier))
	}
	best := 0.0
	for _, want := range w.titles.exact {
		for _, titles := range []forms{nameForms(e), contentForms(e)} {
			for _, title := range titles.exact {
				best = max(best, closeness(want, title))
			}
		}
	}
	score += best
	roleSame := w.Role != "" && w.roleMatches(e)
	if roleSame {
		score += roleScore
	}
	if score < 0.5 || (score == 0.5 && !roleSame) {
		return 0
	}
	return score
}

// closeness is 1 for equal texts and 0 for texts that have little in common.
func closeness(a, b string) float64 {
	longest := max(len([]rune(a)), len([]rune(b)))
	if longest == 0 || longest > 500 {
		return 0
	}
	c := 1 - float64(levenshtein.ComputeDistance(a, b))/float64(longest)
	if strings.Contains(b, a) || strings.Contains(a, b) {
		c = max(c, 0.6)
	}
	if c < 0.4 {
		return 0
	}
	return c
}

func (w wanted) differences(e *desktop.Element, v visibility) []string {
	differs := []string{}
	if w.Role != "" && !w.roleMatches(e) {
		differs = append(differs, fmt.Sprintf("role is '%s'", e.RawRole))
	}
	if w.Title != "" && w.titleMatches(e) < signMatch {
		differs = append(differs, fmt.Sprintf("title is '%s'", Title(e)))
	}
	if w.Identifier != "" && e.Identifier != w.Identifier {
		if e.Identifier == "" {
			differs = append(differs, "it has no identifier")
		} else {
			differs = append(differs, fmt.Sprintf("identifier is '%s'", e.Identifier))
		}
	}
	if w.Ref != "" && e.Ref != w.Ref {
		differs = append(differs, fmt.Sprintf("ref is '%s'", e.Ref))
	}
	if !v.present(e) {
		differs = append(differs, "it is hidden")
	} else if !Sensitive(e) {
		differs = append(differs, "it is greyed out")
	}
	return differs
}
