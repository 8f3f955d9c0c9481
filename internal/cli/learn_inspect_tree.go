package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/resolve"
)

// treeView says how trees are printed.
type treeView struct {
	json    bool
	depth   int // 0 for all
	showing bool
}

// inspected is an element as it is printed.
type inspected struct {
	desktop.ElementRecord
	// Title is what people read on it, where that is not its name.
	Title string `json:"title,omitempty"`
	// Showing tells whether it can be seen, Hidden that it is not even part of
	// its window; what is neither is scrolled out of view or in a closed menu.
	Showing bool `json:"showing"`
	Hidden  bool `json:"hidden,omitempty"`
	// Target names it and nothing else; absent for what is hidden.
	Target *program.Target `json:"target,omitempty"`

	element *desktop.Element
}

// print prints the trees; targets call the app by that name.
func (v treeView) print(ctx context.Context, w io.Writer, record *desktop.Record, app string) error {
	snap, err := record.Snapshot()
	if err != nil {
		return err
	}
	namer := resolve.NewNamer(resolve.NewStill(snap), app)
	apps := make([][]*inspected, len(snap.Apps))
	for i, tree := range snap.Apps {
		tree.Root.Walk(func(e *desktop.Element) bool {
			record := record.Apps[i].Elements[len(apps[i])]
			apps[i] = append(apps[i], inspectedOf(ctx, namer, record, e))
			return true
		})
	}
	if v.json {
		return record.WriteEach(w, func(app, element int) any {
			if line := apps[app][element]; v.wants(line) {
				return line
			}
			return nil
		})
	}
	out := bufio.NewWriter(w)
	for i, elements := range apps {
		if i > 0 {
			fmt.Fprintln(out)
		}
		v.text(out, snap.Apps[i].Info, elements)
	}
	for _, fault := range snap.Faults {
		fmt.Fprintf(out, "%s: %v\n", fault.Info.Display(), fault.Err)
	}
	return out.Flush()
}

func inspectedOf(ctx context.Context, namer *resolve.Namer, record desktop.ElementRecord, e *desktop.Element) *inspected {
	line := &inspected{ElementRecord: record, element: e}
	if title := resolve.Title(e); title != fold.Space(e.Name) {
		line.Title = title
	}
	seen := resolve.Info(e)
	line.Showing, line.Hidden = seen.Showing, !resolve.Present(e)
	if t, ok := namer.Name(ctx, e); ok {
		line.Target = &t
	}
	return line
}

func (v treeView) wants(line *inspected) bool {
	return (v.depth == 0 || line.Depth <= v.depth) && (!v.showing || line.Showing || line.Depth == 0)
}

// targetColumn is the furthest column in which targets are lined up.
const targetColumn = 64

// text prints one application's tree: its names, then a line for each element
// with its target.
func (v treeView) text(out io.Writer, info desktop.AppInfo, elements []*inspected) {
	fmt.Fprintf(out, "%s%s\n", info.Display(), otherNames(info))
	var lines []*inspected
	var left []string
	column := 0
	for _, line := range elements {
		if line.Depth == 0 || !v.wants(line) {
			continue
		}
		text := strings.Repeat("  ", line.Depth) + line.describe()
		lines, left = append(lines, line), append(left, text)
		if width := utf8.RuneCountInString(text); width <= targetColumn {
			column = max(column, width)
		}
	}
	for i, line := range lines {
		if line.Target == nil {
			fmt.Fprintln(out, left[i])
			continue
		}
		fmt.Fprintf(out, "%-*s  %s\n", column, left[i], targetText(*line.Target))
	}
}

// otherNames lists what a program may call the application as well.
func otherNames(info desktop.AppInfo) string {
	known := []string{info.Display()}
	for _, name := range []string{info.OpenedAs, info.DesktopName, info.Name, info.Class, info.Instance, info.Process, info.DesktopID} {
		if name != "" && !desktop.IsInterpreter(name) && !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			known = append(known, name)
		}
	}
	if len(known) == 1 {
		return ""
	}
	return "  (also: " + strings.Join(known[1:], ", ") + ")"
}

// describe is the element in a line: role, title, value and what is remarkable
// about its state.
func (l *inspected) describe() string {
	e := l.element
	text := "[" + e.RawRole + "]"
	title := resolve.Title(e)
	if title != "" {
		text += " '" + cut(title) + "'"
	}
	if e.Value != "" && e.Value != title {
		text += " = " + cut(e.Value)
	}
	if shown := fold.Space(e.Text); shown != "" && shown != title && shown != e.Value {
		text += " \"" + cut(shown) + "\""
	}
	if words := l.remarks(); len(words) > 0 {
		text += " (" + strings.Join(words, ", ") + ")"
	}
	return text
}

func (l *inspected) remarks() []string {
	var words []string
	switch {
	case l.Hidden:
		words = append(words, "hidden")
	case !l.Showing:
		words = append(words, "not showing")
	}
	if !l.Hidden && !resolve.Sensitive(l.element) {
		words = append(words, "greyed out")
	}
	for _, s := range []struct {
		state desktop.States
		word  string
	}{
		{desktop.Active, "active"}, {desktop.Modal, "modal"}, {desktop.Focused, "focused"}, {desktop.Checked, "checked"},
		{desktop.Pressed, "pressed"}, {desktop.Selected, "selected"}, {desktop.Expanded, "expanded"}, {desktop.Password, "password"},
	} {
		if l.element.States.Has(s.state) {
			words = append(words, s.word)
		}
	}
	if l.Truncated {
		words = append(words, "has more than were read")
	}
	return words
}

// maxShown bounds titles and texts in a line, in characters.
const maxShown = 50

func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	return string([]rune(s)[:maxShown-1]) + "…"
}

// targetText is a target as it is put into a program.
func targetText(t program.Target) string {
	var fields []string
	for _, f := range []struct{ name, value string }{
		{"app", t.App}, {"role", t.Role}, {"title", t.Title}, {"identifier", t.Identifier}, {"ref", t.Ref},
	} {
		if f.value != "" {
			fields = append(fields, fmt.Sprintf("%q: %s", f.name, quoted(f.value)))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// quoted is a text in JSON.
func quoted(s string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
