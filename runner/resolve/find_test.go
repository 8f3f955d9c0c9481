package resolve_test

import (
	"context"
	"slices"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
)

// office is a desktop with one app, Editor, whose window holds the nodes, and
// a second app, Viewer, with a button of its own.
func office(nodes ...*fake.Node) *fake.Desktop {
	d := fake.New(1280, 800)
	d.Add(&fake.App{Info: desktop.AppInfo{Name: "Viewer"}, Windows: []*fake.Window{{
		Title: "Picture", Bounds: desktop.Rect{X: 700, Y: 0, Width: 400, Height: 300},
		Nodes: []*fake.Node{button("Zoom", "zoom")},
	}}})
	d.Add(&fake.App{Info: desktop.AppInfo{Name: "Editor"}, Windows: []*fake.Window{{
		Title: "Text", Bounds: desktop.Rect{Width: 600, Height: 600}, Nodes: nodes,
	}}})
	return d
}

func button(name, id string) *fake.Node {
	return &fake.Node{Role: "button", RawRole: "push button", Name: name, Identifier: id,
		Bounds: desktop.Rect{X: 10, Y: 10, Width: 80, Height: 20}, Actions: []string{"click"}}
}

func label(name string) *fake.Node {
	return &fake.Node{Role: "label", Name: name, Bounds: desktop.Rect{X: 10, Y: 50, Width: 80, Height: 20}}
}

// mute is a node as those of GTK 4: it never says that it shows.
func mute(n *fake.Node) *fake.Node { return without(n, closed|desktop.Enabled) }

// unrevealed is one on a part of the window that is not revealed.
func unrevealed(name string) *fake.Node {
	n := mute(button(name, ""))
	n.NoRoom, n.Bounds = true, desktop.Rect{}
	return n
}

func without(n *fake.Node, s desktop.States) *fake.Node {
	n.Without = s
	return n
}

const (
	greyed = desktop.Sensitive | desktop.Enabled
	hidden = desktop.Visible | desktop.Showing
	closed = desktop.Showing
)

func TestLook(t *testing.T) {
	save, saveAs := button("Save", "save"), button("Save As…", "save-as")
	for _, test := range []struct {
		name    string
		nodes   []*fake.Node
		target  program.Target
		use     resolve.Use
		means   results.Means // "" for a miss
		title   string
		matched int
		reached string
	}{
		{"identifier", []*fake.Node{save, saveAs}, program.Target{App: "Editor", Role: "button", Title: "Other", Identifier: "save-as"},
			resolve.ForAction, results.MeansIdentifier, "Save As…", 1, ""},
		{"an identifier is compared to the letter", []*fake.Node{save}, program.Target{App: "Editor", Identifier: "SAVE"},
			resolve.ForAction, "", "", 0, resolve.ReachedWindow},
		{"exact title before a part of it", []*fake.Node{saveAs, save}, program.Target{App: "Editor", Role: "AXButton", Title: "save"},
			resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"part of the title", []*fake.Node{saveAs}, program.Target{App: "Editor", Role: "push button", Title: "save as"},
			resolve.ForAction, results.MeansSubstringTitle, "Save As…", 1, ""},
		{"dots are an ellipsis", []*fake.Node{saveAs}, program.Target{App: "Editor", Title: "Save As..."},
			resolve.ForAction, results.MeansExactTitle, "Save As…", 1, ""},
		{"no-break spaces, mnemonics and case", []*fake.Node{button("_Save\u00a0All ", "")}, program.Target{App: "Editor", Title: "SAVE all"},
			resolve.ForAction, results.MeansExactTitle, "_Save All", 1, ""},
		{"a doubled name", []*fake.Node{button("_Retry Retry", "")}, program.Target{App: "Editor", Title: "Retry"},
			resolve.ForAction, results.MeansExactTitle, "_Retry Retry", 1, ""},
		{"the role counts", []*fake.Node{label("Save"), save}, program.Target{App: "Editor", Role: "button", Title: "Save"},
			resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"another role does not", []*fake.Node{label("Save")}, program.Target{App: "Editor", Role: "button", Title: "Save"},
			resolve.ForAction, "", "", 0, resolve.ReachedWindow},
		{"role alone", []*fake.Node{label("x"), save}, program.Target{App: "Editor", Role: "button"},
			resolve.ForAction, results.MeansRole, "Save", 1, ""},
		{"a ref that still matches", []*fake.Node{save, button("Save", "")}, program.Target{App: "Editor", Role: "button", Title: "Save", Ref: "frame[0]/push button[1]"},
			resolve.ForAction, results.MeansRef, "Save", 1, ""},
		{"a stale ref is ignored", []*fake.Node{saveAs, save}, program.Target{App: "Editor", Role: "button", Title: "Save", Ref: "frame[0]/push button[7]"},
			resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"a ref to another title is stale", []*fake.Node{button("Quit", ""), save}, program.Target{App: "Editor", Role: "button", Title: "Save", Ref: "frame[0]/push button[0]"},
			resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"a stale ref and nothing else", []*fake.Node{save}, program.Target{App: "Editor", Ref: "frame[0]/push button[7]"},
			resolve.ForAction, "", "", 0, resolve.ReachedWindow},
		{"of two, the one that is not greyed out", []*fake.Node{without(button("Save", ""), greyed), save}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForAction, results.MeansExactTitle, "Save", 2, ""},
		{"of two, the one that can be clicked", []*fake.Node{label("Save"), save}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForAction, results.MeansExactTitle, "Save", 2, ""},
		{"greyed out", []*fake.Node{without(button("Save", ""), greyed)}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForAction, "", "", 0, resolve.ReachedInsensitive},
		{"greyed out exists", []*fake.Node{without(button("Save", ""), greyed)}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForExistence, results.MeansExactTitle, "Save", 1, ""},
		{"greyed out, with a weaker match elsewhere", []*fake.Node{without(button("Save", ""), greyed), saveAs}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForAction, "", "", 0, resolve.ReachedInsensitive},
		{"hidden", []*fake.Node{without(button("Save", ""), hidden)}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForExistence, "", "", 0, resolve.ReachedHidden},
		{"hidden is no match: the next rule applies", []*fake.Node{without(button("Save", ""), hidden), saveAs}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForAction, results.MeansSubstringTitle, "Save As…", 1, ""},
		{"scrolled out of view exists", []*fake.Node{label("x"), without(button("Save", ""), closed)}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForExistence, results.MeansExactTitle, "Save", 1, ""},
		{"and cannot be acted on", []*fake.Node{label("x"), without(button("Save", ""), closed)}, program.Target{App: "Editor", Title: "Save"},
			resolve.ForAction, "", "", 0, resolve.ReachedHidden},
		{"an item of a closed menu can", []*fake.Node{label("x"), without(&fake.Node{Role: "menu item", Name: "Save", Actions: []string{"click"}}, closed)},
			program.Target{App: "Editor", Title: "Save"}, resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"a window in which nothing says that it shows", []*fake.Node{without(button("7", ""), closed)}, program.Target{App: "Editor", Title: "7"},
			resolve.ForAction, results.MeansExactTitle, "7", 1, ""},
		{"in another app only", []*fake.Node{save}, program.Target{App: "Editor", Title: "Zoom"},
			resolve.ForExistence, "", "", 0, resolve.ReachedWindow},
		{"in any app", []*fake.Node{save}, program.Target{Title: "Zoom"},
			resolve.ForExistence, results.MeansExactTitle, "Zoom", 1, ""},
		{"no such app", []*fake.Node{save}, program.Target{App: "Writer", Title: "Save"},
			resolve.ForExistence, "", "", 0, resolve.ReachedNothing},
		{"the app alone is its window", []*fake.Node{save}, program.Target{App: "Editor"},
			resolve.ForPointer, results.MeansApp, "Text", 1, ""},
		{"a label without a name is found by its text", []*fake.Node{{Role: "label", Text: "Total: 5"}}, program.Target{App: "Editor", Role: "label", Title: "Total: 5"},
			resolve.ForExistence, results.MeansExactTitle, "Total: 5", 1, ""},
		{"an entry is not found by what is typed into it", []*fake.Node{{Role: "entry", Text: "Total"}}, program.Target{App: "Editor", Title: "Total"},
			resolve.ForExistence, "", "", 0, resolve.ReachedWindow},
		{"of several with one identifier, the one with the title", []*fake.Node{button("Row 1", "row"), button("Row 2", "row"), button("Row 3", "row")},
			program.Target{App: "Editor", Role: "button", Title: "row 2", Identifier: "row"}, resolve.ForAction, results.MeansIdentifier, "Row 2", 3, ""},
		{"a part of the title, if none has all of it", []*fake.Node{button("Row 1", "row"), button("Row 2 (new)", "row")},
			program.Target{App: "Editor", Title: "row 2", Identifier: "row"}, resolve.ForAction, results.MeansIdentifier, "Row 2 (new)", 2, ""},
		{"the role, if none has the title", []*fake.Node{{Role: "label", Name: "x", Identifier: "row"}, button("y", "row")},
			program.Target{App: "Editor", Role: "button", Title: "Row", Identifier: "row"}, resolve.ForAction, results.MeansIdentifier, "y", 2, ""},
		{"what has no room does not exist", []*fake.Node{unrevealed("Retry")}, program.Target{App: "Editor", Title: "Retry"},
			resolve.ForExistence, "", "", 0, resolve.ReachedHidden},
		{"nor is it a match: the next rule applies", []*fake.Node{unrevealed("Retry"), mute(button("Retry now", ""))}, program.Target{App: "Editor", Title: "Retry"},
			resolve.ForAction, results.MeansSubstringTitle, "Retry now", 1, ""},
		{"an item of a closed menu needs none", []*fake.Node{mute(&fake.Node{Role: "menu item", Name: "Save", NoRoom: true, Actions: []string{"click"}})},
			program.Target{App: "Editor", Title: "Save"}, resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"the same sign in another form", []*fake.Node{button("Don’t Save", "")}, program.Target{App: "Editor", Title: "Don't Save"},
			resolve.ForAction, results.MeansExactTitle, "Don’t Save", 1, ""},
		{"the very sign wins", []*fake.Node{button("−", ""), button("-", "")}, program.Target{App: "Editor", Title: "-"},
			resolve.ForAction, results.MeansExactTitle, "-", 1, ""},
		{"a superscript is no digit", []*fake.Node{button("x²", "")}, program.Target{App: "Editor", Title: "x2"},
			resolve.ForExistence, "", "", 0, resolve.ReachedWindow},
		{"a label has no mnemonic", []*fake.Node{label("_config")}, program.Target{App: "Editor", Role: "label", Title: "config"},
			resolve.ForExistence, results.MeansSubstringTitle, "_config", 1, ""},
		{"a menu where an item is asked for", []*fake.Node{{Role: "menu", Name: "Zoom"}}, program.Target{App: "Editor", Role: "AXMenuItem", Title: "Zoom"},
			resolve.ForAction, results.MeansExactTitle, "Zoom", 1, ""},
		{"the role itself wins over what may stand in for it", []*fake.Node{{Role: "menu", Name: "Zoom"}, {Role: "menu item", Name: "Zoom…"}},
			program.Target{App: "Editor", Role: "menu item", Title: "Zoom…"}, resolve.ForAction, results.MeansExactTitle, "Zoom…", 1, ""},
		{"a part of a stand-in's title does not count", []*fake.Node{{Role: "menu", Name: "Zoom to"}}, program.Target{App: "Editor", Role: "menu item", Title: "Zoom"},
			resolve.ForAction, "", "", 0, resolve.ReachedWindow},
		{"a button without a name is called by its label", []*fake.Node{{Role: "button", Name: "GtkButton", Children: []*fake.Node{label("π")}}},
			program.Target{App: "Editor", Role: "button", Title: "π"}, resolve.ForAction, results.MeansExactTitle, "π", 1, ""},
		{"rather than one whose name is longer", []*fake.Node{button("Save as", ""), {Role: "button", Children: []*fake.Node{label("Save")}}},
			program.Target{App: "Editor", Role: "button", Title: "Save"}, resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"but not where another has the name", []*fake.Node{{Role: "button", Children: []*fake.Node{label("Save")}}, button("Save", "save")},
			program.Target{App: "Editor", Role: "button", Title: "Save"}, resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"a text that can be clicked", []*fake.Node{label("Night 1"), {Role: "label", Name: "Night 1", Text: "second", Actions: []string{"click"}}},
			program.Target{App: "Editor", Title: "Night 1"}, resolve.ForAction, results.MeansExactTitle, "Night 1", 2, ""},
		{"a ref to a longer title, with the title itself elsewhere", []*fake.Node{saveAs, save},
			program.Target{App: "Editor", Role: "button", Title: "Save", Ref: "frame[0]/push button[0]"}, resolve.ForAction, results.MeansExactTitle, "Save", 1, ""},
		{"a ref to a longer title, of several", []*fake.Node{button("Save All", ""), saveAs},
			program.Target{App: "Editor", Role: "button", Title: "Save", Ref: "frame[0]/push button[1]"}, resolve.ForAction, results.MeansRef, "Save As…", 1, ""},
		{"a ref to another identifier is stale", []*fake.Node{button("Save", "other"), save},
			program.Target{App: "Editor", Role: "button", Title: "Save", Identifier: "save", Ref: "frame[0]/push button[0]"},
			resolve.ForAction, results.MeansIdentifier, "Save", 1, ""},
		{"a title that shows nothing is no element's", []*fake.Node{button("", "")}, program.Target{App: "Editor", Role: "button", Title: "\u200b"},
			resolve.ForExistence, "", "", 0, resolve.ReachedWindow},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := resolve.Finder{Desktop: office(test.nodes...)}
			found, miss, err := f.Look(context.Background(), test.target, test.use)
			if err != nil {
				t.Fatal(err)
			}
			if (found == nil) == (miss == nil) {
				t.Fatalf("found %v and miss %v", found, miss)
			}
			if found == nil {
				if test.means != "" || miss.Reached != test.reached {
					t.Fatalf("not found, reached %q; want %q", miss.Reached, test.means)
				}
				return
			}
			if found.Means != test.means || resolve.Title(found.Element) != test.title || found.Matched != test.matched {
				t.Errorf("found [%s] %q by %s of %d; want %q by %s of %d", found.Element.RawRole, resolve.Title(found.Element),
					found.Means, found.Matched, test.title, test.means, test.matched)
			}
			if (found.Rule == "") != (test.matched == 1) {
				t.Errorf("rule %q for %d matches", found.Rule, found.Matched)
			}
		})
	}
}

func TestSays(t *testing.T) {
	scrolled := func(y int) *fake.Node {
		return &fake.Node{Role: "scroll pane", Bounds: desktop.Rect{X: 0, Y: 0, Width: 300, Height: 100}, Children: []*fake.Node{
			{Role: "table cell", Name: "Row 40", Bounds: desktop.Rect{X: 0, Y: y, Width: 300, Height: 20}},
		}}
	}
	for _, test := range []struct {
		name string
		node *fake.Node
		text string
		want bool
	}{
		{"a name", label("Total: 500"), "total: 500", true},
		{"a part of it", label("Total: 500"), "500", true},
		{"a value", &fake.Node{Role: "slider", Value: "42"}, "42", true},
		{"a text", &fake.Node{Role: "entry", Text: "Dear Ada"}, "dear ada", true},
		{"another text", label("Total: 500"), "Total: 50O", false},
		{"hidden", without(label("Total"), hidden), "Total", false},
		{"not revealed", unrevealed("Document Restored"), "document restored", false},
		{"the address of a cell", &fake.Node{Role: "table cell", Name: "B17"}, "17", false},
		{"the text of a cell", &fake.Node{Role: "table cell", Name: "B17", Text: "250"}, "250", true},
		{"the value of an empty cell", &fake.Node{Role: "table cell", Name: "B17", Value: "0"}, "0", false},
		{"the value of a scroll bar", &fake.Node{Role: "scroll bar", Value: "42"}, "42", false},
		{"the value of a button", &fake.Node{Role: "button", Name: "Go", Value: "0"}, "0", false},
		{"a superscript is no digit", label("5²"), "52", false},
		{"another sign", label("3−5"), "3-5", false},
		{"a password", &fake.Node{Role: "entry", Text: "secret", States: desktop.Password}, "secret", false},
		{"a row in view", scrolled(40), "Row 40", true},
		{"a row scrolled out of view that says that it shows", scrolled(400), "Row 40", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := office(label("something that shows"), test.node)
			snap, err := d.Snapshot(t.Context(), "Editor", desktop.NeedText)
			if err != nil {
				t.Fatal(err)
			}
			e, err := resolve.Finder{Desktop: d}.Says(t.Context(), snap, fold.Text(test.text))
			if err != nil || (e != nil) != test.want {
				t.Errorf("says it: %v (%v), want %v", e != nil, err, test.want)
			}
		})
	}
}

func TestExplainRanksCandidates(t *testing.T) {
	d := office(label("PDF"), button("Quit", ""), button("Export PDF", ""), button("PDF…", ""), without(button("PDF", ""), hidden))
	target := program.Target{App: "Editor", Role: "AXButton", Title: "PDFs", Identifier: "export-pdf"}
	_, miss, err := resolve.Finder{Desktop: d}.Look(t.Context(), target, resolve.ForAction)
	if err != nil || miss == nil {
		t.Fatalf("miss %v, %v", miss, err)
	}
	_, _, candidates := resolve.Explain(miss, target)
	var titles []string
	for _, c := range candidates {
		titles = append(titles, c.Element.Title)
	}
	if len(candidates) == 0 || len(candidates) > resolve.MaxCandidates || titles[0] != "PDF" && titles[0] != "PDF…" {
		t.Errorf("candidates %q", titles)
	}
	if !slices.ContainsFunc(candidates, func(c results.Candidate) bool {
		return slices.Contains(c.Differs, "it is hidden")
	}) {
		t.Errorf("no candidate is told to be hidden: %+v", candidates)
	}
}
