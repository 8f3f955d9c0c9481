package resolve

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
)

// everything that a target can ask for.
const everything = desktop.NeedIdentifier | desktop.NeedBounds | desktop.NeedActions | desktop.NeedText

// Suggest gives a target that names the closest element to what was missed,
// as it was then. ok is false where nothing is close enough to be meant, or
// where what was meant is there and only hidden or greyed out.
func (f Finder) Suggest(ctx context.Context, m *Miss, t program.Target) (program.Target, bool) {
	still, near := f.near(ctx, m, t)
	if len(near) == 0 {
		return program.Target{}, false
	}
	namer := NewNamer(still, t.App)
	for _, e := range near {
		found, ok := namer.Name(ctx, e)
		if !ok {
			continue
		}
		if t.Role != "" && desktop.CanonicalRole(t.Role) == e.Role {
			found.Role = t.Role // as the program spells it
		}
		return found, true
	}
	return program.Target{}, false
}

// SuggestEntry gives the title of the closest entry of a menu to what was
// missed, such that it is found by that title; top is whether the menu itself
// was.
func (f Finder) SuggestEntry(ctx context.Context, m *Miss, t program.Target, top bool) (title string, ok bool) {
	still, near := f.near(ctx, m, t)
	for _, e := range near {
		for _, title := range titlesFor(e) {
			found, _, err := still.Finder().InMenu(ctx, m.Snapshot, t.App, title, top)
			if err == nil && found != nil && found.Element == e {
				return title, true
			}
		}
	}
	return "", false
}

// near gives the elements that can be meant by a target that names nothing,
// best first, in a snapshot that everything of is known.
func (f Finder) near(ctx context.Context, m *Miss, t program.Target) (Still, []*desktop.Element) {
	if m == nil || m.Snapshot == nil || m.Unusable != nil {
		return Still{}, nil
	}
	w := Finder{}.prepare(t)
	candidates := w.rank(m.Snapshot)
	if len(candidates) == 0 {
		return Still{}, nil
	}
	var all []*desktop.Element
	each(m.Snapshot, func(e *desktop.Element) { all = append(all, e) })
	if f.Desktop.Fill(ctx, all, everything) != nil {
		return Still{}, nil // the app has gone, or does not answer
	}
	v := judge()
	var near []*desktop.Element
	for _, c := range candidates {
		e := c.element
		if c.score <= roleScore+showingScore && w.Role != "" && w.roleMatches(e) {
			continue // it has the role and nothing else in common
		}
		if !e.Gone && v.present(e) && Sensitive(e) {
			near = append(near, e)
		}
	}
	return NewStill(m.Snapshot), near
}
