package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
)

// forest makes applications of lines: depth by leading spaces, then role, name,
// identifier and states, separated by "|".
func forest(name, lines string) *desktop.AppTree {
	info := &desktop.AppInfo{Name: name}
	root := &desktop.Element{Role: "application", RawRole: "application", Name: name, App: info}
	window := &desktop.Element{Role: "window", RawRole: "frame", Name: "Window", App: info, Parent: root, Ref: "frame[0]",
		States: desktop.Visible | desktop.Showing | desktop.Sensitive}
	window.Window = window
	root.Children = []*desktop.Element{window}
	chain := []*desktop.Element{window}
	for i, line := range strings.Split(lines, "\n") {
		if i == 200 {
			break
		}
		text := strings.TrimLeft(line, " ")
		depth := min(len(line)-len(text), len(chain)-1)
		fields := append(strings.Split(text, "|"), "", "", "")
		parent := chain[depth]
		e := &desktop.Element{RawRole: fields[0], Role: desktop.CanonicalRole(fields[0]), Name: fields[1], Identifier: fields[2], App: info,
			Parent: parent, Window: window, Ref: fmt.Sprintf("%s/%s[%d]", parent.Ref, fields[0], len(parent.Children))}
		e.States = desktop.Visible | desktop.Showing | desktop.Sensitive
		for _, c := range fields[3] {
			switch c {
			case 'h':
				e.States &^= desktop.Visible | desktop.Showing
			case 'c':
				e.States &^= desktop.Showing
			case 'g':
				e.States &^= desktop.Sensitive
			case 'a':
				e.Actions = []string{"click"}
			case 'n':
				e.NoRoom = true
			case 'b':
				e.BoundsKnown = true
			}
		}
		parent.Children = append(parent.Children, e)
		chain = append(chain[:depth+1], e)
	}
	return &desktop.AppTree{Info: *info, Root: root}
}

// FuzzLook holds what is true of every target in every tree.
func FuzzLook(f *testing.F) {
	f.Add("button", "Save", "", "", "button|Save As…||a\nbutton|_Save||a\nlabel|Save")
	f.Add("AXMenuItem", "Zoom", "", "", "menu|File\n menu item|New   Ctrl+N\n menu|Zoom||c")
	f.Add("", "1", "one", "frame[0]/button[0]", "button|1 1|one|ga\nbutton|1|one\nlist||x|h\n list item||||\n  label|1")
	f.Add("text", "", "", "", "entry|a\nedit|b||n")
	f.Add("", "-", "", "", "push button|−\npush button|‐\nlist item\n label|-")
	f.Fuzz(func(t *testing.T, role, title, identifier, ref, lines string) {
		target := program.Target{App: "Editor", Role: role, Title: title, Identifier: identifier, Ref: ref}
		alone := &desktop.Snapshot{Apps: []*desktop.AppTree{forest("Editor", lines)}}
		beside := &desktop.Snapshot{Apps: []*desktop.AppTree{forest("Other", lines), forest("Editor", lines), forest("Another", lines)}}
		for _, use := range []resolve.Use{resolve.ForExistence, resolve.ForAction, resolve.ForPointer} {
			found := look(t, alone, target, use)
			if again := look(t, beside, target, use); describe(again) != describe(found) {
				t.Errorf("other apps change %s into %s", describe(found), describe(again))
			}
			if found == nil {
				continue
			}
			e := found.Element
			if !resolve.Present(e) && use == resolve.ForExistence {
				t.Errorf("%s is hidden", describe(found))
			}
			if use != resolve.ForExistence && !resolve.Sensitive(e) && found.Means != results.MeansApp {
				t.Errorf("%s is greyed out", describe(found))
			}
			if (found.Rule == "") != (found.Matched == 1) {
				t.Errorf("%s: rule %q of %d", describe(found), found.Rule, found.Matched)
			}
			checkMeans(t, alone, target, found)
		}
	})
}

func look(t *testing.T, snap *desktop.Snapshot, target program.Target, use resolve.Use) *resolve.Found {
	t.Helper()
	found, miss, err := resolve.Finder{Desktop: resolve.NewStill(snap)}.Look(t.Context(), target, use)
	if err != nil || (found == nil) == (miss == nil) {
		t.Fatalf("found %v, miss %v, error %v", found, miss, err)
	}
	if miss != nil {
		resolve.Explain(miss, target)
	}
	return found
}

func describe(f *resolve.Found) string {
	if f == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s of %d by %s (%s)", f.Element.Ref, f.Matched, f.Means, f.Rule)
}

// checkMeans holds what was found against the rule that it was found by, and
// that no stronger rule has a match.
func checkMeans(t *testing.T, snap *desktop.Snapshot, target program.Target, found *resolve.Found) {
	t.Helper()
	e := found.Element
	var all []*desktop.Element
	snap.Apps[0].Root.Walk(func(e *desktop.Element) bool {
		if e.Parent != nil && resolve.Present(e) {
			all = append(all, e)
		}
		return true
	})
	same := func(e *desktop.Element) bool {
		return (target.Role == "" || desktop.SameRole(e.RawRole, target.Role)) && fold.Text(e.Name) == fold.Text(target.Title) &&
			fold.Text(target.Title) != ""
	}
	switch found.Means {
	case results.MeansRef:
		if e.Ref != target.Ref || target.Role != "" && !desktop.SameRole(e.RawRole, target.Role) {
			t.Errorf("%s has another ref or role than %+v", describe(found), target)
		}
	case results.MeansIdentifier:
		if e.Identifier != target.Identifier {
			t.Errorf("%s has another identifier than %+v", describe(found), target)
		}
	case results.MeansSubstringTitle:
		if slices.ContainsFunc(all, same) {
			t.Errorf("%s by a part, but one has exactly the title of %+v", describe(found), target)
		}
		fallthrough
	case results.MeansExactTitle:
		if target.Identifier != "" && slices.ContainsFunc(all, func(e *desktop.Element) bool { return e.Identifier == target.Identifier }) {
			t.Errorf("%s by title, but one has the identifier of %+v", describe(found), target)
		}
	case results.MeansRole:
		if !desktop.SameRole(e.RawRole, target.Role) || target.Title != "" || target.Identifier != "" {
			t.Errorf("%s by role for %+v", describe(found), target)
		}
	}
}
