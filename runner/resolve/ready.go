package resolve

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
)

// Still is a snapshot that targets are looked up in again and again. Its
// elements must be filled with everything that a target can ask for.
type Still struct{ snap *desktop.Snapshot }

// NewStill makes a Still of a snapshot that does not change any more.
func NewStill(snap *desktop.Snapshot) Still { return Still{snap} }

// Finder looks targets up in it, and remembers what it has folded.
func (s Still) Finder() Finder { return Finder{Desktop: s, known: remember()} }

// Snapshot gives the applications that app names, or all.
func (s Still) Snapshot(_ context.Context, app string, _ desktop.Need) (*desktop.Snapshot, error) {
	if app == "" {
		return s.snap, nil
	}
	part := &desktop.Snapshot{}
	for _, a := range s.snap.Apps {
		if a.Info.Matches(app) {
			part.Apps = append(part.Apps, a)
		}
	}
	for _, fault := range s.snap.Faults {
		if fault.Info.Matches(app) {
			part.Faults = append(part.Faults, fault)
		}
	}
	return part, nil
}

// Fill does nothing: everything is filled.
func (s Still) Fill(context.Context, []*desktop.Element, desktop.Need) error { return nil }

// Changes never tells of any.
func (s Still) Changes() <-chan struct{} { return nil }

// Namer gives targets that name one element of a snapshot and no other.
type Namer struct {
	finder Finder
	app    string
}

// NewNamer makes a Namer for the snapshot. Targets call the application app,
// or by its own name where app is "".
func NewNamer(s Still, app string) *Namer {
	return &Namer{finder: s.Finder(), app: app}
}

// maxTitle bounds the titles of targets, in characters: longer ones are texts.
const maxTitle = 120

// Name gives the best target that is found to be exactly that element: by its
// identifier, by role and title, by a role that nothing else has, and with its
// ref. ok is false where there is none, as for every hidden element.
func (n *Namer) Name(ctx context.Context, e *desktop.Element) (t program.Target, ok bool) {
	if !judge().present(e) || e.Parent == nil {
		return program.Target{}, false
	}
	plain := program.Target{App: n.app, Role: e.RawRole}
	if n.app == "" && e.App != nil {
		plain.App = e.App.Display()
	}
	titles := titlesFor(e)
	var tries []program.Target
	with := func(t program.Target, title, identifier, ref string) {
		t.Title, t.Identifier, t.Ref = title, identifier, ref
		tries = append(tries, t)
	}
	if e.Identifier != "" {
		title := ""
		if len(titles) > 0 {
			title = titles[0]
		}
		with(plain, title, e.Identifier, "")
	}
	for _, title := range titles {
		with(plain, title, "", "")
	}
	if len(titles) > 0 {
		with(plain, titles[0], "", e.Ref)
	} else {
		with(plain, "", "", "")
	}
	with(plain, "", "", e.Ref)
	for _, t := range tries {
		if n.names(ctx, t, e) {
			return t, true
		}
	}
	return program.Target{}, false
}

// names reports whether the target is found to be the element, whatever it is
// looked up for, and matches no other.
func (n *Namer) names(ctx context.Context, t program.Target, e *desktop.Element) bool {
	found, _, err := n.finder.Look(ctx, t, ForExistence)
	return err == nil && found != nil && found.Element == e && found.Matched == 1
}

// titlesFor are the titles that a target may give the element, the most
// readable first.
func titlesFor(e *desktop.Element) []string {
	var titles []string
	add := func(title string) {
		title = fold.Space(title)
		if fold.Text(title) != "" && utf8.RuneCountInString(title) <= maxTitle && !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}
	if controls[e.Role] {
		if half := halfOf(e.Name); half != "" {
			add(fold.Caption(half))
		}
		add(fold.Caption(strings.TrimSpace(e.Name)))
	}
	add(Title(e))
	return titles
}
