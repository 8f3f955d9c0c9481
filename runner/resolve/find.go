package resolve

import (
	"context"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/wait"
)

// Found is the element that a target names.
type Found struct {
	Element *desktop.Element
	// Means is by what it was found.
	Means results.Means
	// Rule says why this one of several matches was taken, "" for the only one;
	// see the constants.
	Rule string
	// Matched is how many elements matched by that rule.
	Matched int
	// Showing is false for a match that is not on the screen at the moment
	// (scrolled out of view, in a closed menu).
	Showing bool
}

// MayYetShow reports whether the match is not on the screen and has no place
// there: an application that is just about to show it looks like that. What is
// scrolled out of view has a place, and a closed menu stays closed.
func (f *Found) MayYetShow() bool {
	return !f.Showing && !f.Element.BoundsKnown && !isMenuItem(f.Element) && !inMenu(f.Element)
}

// Miss says how far a target got when nothing usable was found.
type Miss struct {
	// Reached is the furthest point: see the constants.
	Reached string
	// Unusable is the closest match that was hidden or greyed out, nil for none.
	Unusable *desktop.Element
	// Snapshot is what was looked at last.
	Snapshot *desktop.Snapshot
}

// How far a target can get.
const (
	ReachedNothing     = "no app"
	ReachedFault       = "app without answer"
	ReachedApp         = "app"
	ReachedWindow      = "window"
	ReachedHidden      = "hidden match"
	ReachedInsensitive = "insensitive match"
)

// Trees is what looking up needs of a desktop.
type Trees interface {
	Snapshot(ctx context.Context, app string, need desktop.Need) (*desktop.Snapshot, error)
	Fill(ctx context.Context, elements []*desktop.Element, need desktop.Need) error
	Changes() <-chan struct{}
}

// Finder looks targets up on one desktop.
type Finder struct {
	Desktop Trees
	// Among leaves out every element for which it is false; nil leaves out none.
	Among func(*desktop.Element) bool

	known *known
}

// Look looks once. Exactly one of found and miss is set, unless err is.
func (f Finder) Look(ctx context.Context, t program.Target, use Use) (*Found, *Miss, error) {
	snap, err := f.Desktop.Snapshot(ctx, t.App, Need(t))
	if err != nil {
		return nil, nil, err
	}
	return f.In(ctx, snap, t, use)
}

// Wait looks until the target is found in the state that use asks for, or the
// timeout is over; then miss says how far it got.
func (f Finder) Wait(ctx context.Context, t program.Target, use Use, timeout time.Duration) (*Found, *Miss, error) {
	var found *Found
	var miss *Miss
	_, _, err := wait.Until(ctx, f.Desktop.Changes(), timeout, func(ctx context.Context) (bool, error) {
		var err error
		found, miss, err = f.Look(ctx, t, use)
		return found != nil, err
	})
	return found, miss, err
}

// In looks the target up in a snapshot that was taken with Need(t).
func (f Finder) In(ctx context.Context, snap *desktop.Snapshot, t program.Target, use Use) (*Found, *Miss, error) {
	w := f.prepare(t)
	v := judge()
	v.reach = use != ForExistence
	if w.bare() {
		if found := windowOf(snap, v); found != nil {
			return found, nil, nil
		}
		return nil, missed(snap, nil), nil
	}
	means, matches, err := f.matches(ctx, w, snap, v)
	if err != nil {
		return nil, nil, err
	}
	if len(matches) == 0 {
		return nil, missed(snap, w.hiddenMatch(snap, v)), nil
	}
	best, rule := w.choose(means, matches, v, use)
	if best == nil {
		return nil, missed(snap, matches[0]), nil
	}
	return &Found{Element: best, Means: means, Rule: rule, Matched: len(matches), Showing: v.showing(best)}, nil, nil
}

// matches gives the elements that match by the strongest rule that any present
// element meets, filled with what choosing needs. A match that is greyed out
// still counts: a weaker match elsewhere is another element, not this one in a
// better state.
func (f Finder) matches(ctx context.Context, w wanted, snap *desktop.Snapshot, v visibility) (results.Means, []*desktop.Element, error) {
	read := false // texts of what has no name
	for _, tier := range w.tiers() {
		if tier.content && !read {
			if err := f.fillNameless(ctx, snap, v); err != nil {
				return "", nil, err
			}
			read = true
		}
		matches := w.matching(tier, snap, v)
		if len(matches) == 0 {
			continue
		}
		// One fill tells the actions of all matches, whether any of them went
		// away since the snapshot, and their places, by which some turn out
		// not to be on the screen.
		if err := f.Desktop.Fill(ctx, matches, desktop.NeedActions|desktop.NeedBounds); err != nil {
			return "", nil, err
		}
		matches = keepOnly(matches, func(e *desktop.Element) bool { return e.Gone || v.present(e) })
		if len(matches) > 0 {
			return tier.means, matches, nil
		}
	}
	return "", nil, nil
}

func (w wanted) matching(tier tier, snap *desktop.Snapshot, v visibility) []*desktop.Element {
	var matches []*desktop.Element
	each(snap, func(e *desktop.Element) {
		if tier.matches(e) && v.present(e) && w.mayBe(e) {
			matches = append(matches, e)
		}
	})
	return matches
}

// hiddenMatch is an element that would match but for being hidden.
func (w wanted) hiddenMatch(snap *desktop.Snapshot, v visibility) *desktop.Element {
	for _, tier := range w.tiers() {
		var hidden *desktop.Element
		each(snap, func(e *desktop.Element) {
			if hidden == nil && tier.matches(e) && !v.present(e) && w.mayBe(e) {
				hidden = e
			}
		})
		if hidden != nil {
			return hidden
		}
	}
	return nil
}

// fillNameless reads the texts of elements that people see as text but that
// have no name.
func (f Finder) fillNameless(ctx context.Context, snap *desktop.Snapshot, v visibility) error {
	var unread []*desktop.Element
	each(snap, func(e *desktop.Element) {
		if nameless(e) && e.Text == "" && saysItsText(e) && v.present(e) {
			unread = append(unread, e)
		}
	})
	if len(unread) == 0 {
		return nil
	}
	return f.Desktop.Fill(ctx, unread, desktop.NeedText)
}

func missed(snap *desktop.Snapshot, unusable *desktop.Element) *Miss {
	m := &Miss{Snapshot: snap, Unusable: unusable}
	windows := 0
	for _, app := range snap.Apps {
		windows += len(app.Root.Children)
	}
	switch {
	case unusable != nil && !Sensitive(unusable) && judge().present(unusable):
		m.Reached = ReachedInsensitive
	case unusable != nil:
		m.Reached = ReachedHidden
	case windows > 0:
		m.Reached = ReachedWindow
	case len(snap.Apps) > 0:
		m.Reached = ReachedApp
	case len(snap.Faults) > 0:
		m.Reached = ReachedFault
	default:
		m.Reached = ReachedNothing
	}
	return m
}

// each visits every element below the applications, in document order.
func each(snap *desktop.Snapshot, visit func(*desktop.Element)) {
	for _, app := range snap.Apps {
		for _, window := range app.Root.Children {
			window.Walk(func(e *desktop.Element) bool {
				visit(e)
				return true
			})
		}
	}
}
