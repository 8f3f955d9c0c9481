package program

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/program/tools"
)

const formatDoc = "../docs/programs.md"

// TestFormatDocument holds the generated parts of docs/programs.md against the
// tables that they are made from; -update writes them.
func TestFormatDocument(t *testing.T) {
	doc, err := os.ReadFile(formatDoc)
	if err != nil {
		t.Fatal(err)
	}
	want := string(doc)
	for name, text := range map[string]string{"tools": toolsDoc(), "problems": problemsDoc()} {
		before, rest, found := strings.Cut(want, "<!-- "+name+": made from ")
		from, rest, closed := strings.Cut(rest, "-->\n")
		_, after, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
		if !found || !closed || !ended {
			t.Fatalf("%s has no place for %s", formatDoc, name)
		}
		want = before + "<!-- " + name + ": made from " + from + "-->\n" + text + "<!-- end of " + name + " -->" + after
	}
	if *update {
		if err := os.WriteFile(formatDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(doc) {
		t.Errorf("%s is not what the code says: go test ./program -update writes it", formatDoc)
	}
}

func toolsDoc() string {
	var b bytes.Buffer
	for _, tool := range tools.All() {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n", tool.Name, tool.Doc)
		if tool.HasActions() {
			b.WriteString("| `action` | target | what it does |\n|---|---|---|\n")
			for _, a := range tool.Actions {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.Name, targetDoc(tool, a), cell(a.Doc))
			}
			b.WriteByte('\n')
		}
		rows := paramRows(tool)
		if len(rows) == 0 {
			continue
		}
		b.WriteString("| parameter | type | default | of | meaning |\n|---|---|---|---|---|\n")
		for _, r := range rows {
			of := "`" + strings.Join(r.actions, "`, `") + "`"
			if len(r.actions) == len(tool.Actions) {
				of = "all"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", r.head, of, r.meaning)
		}
	}
	b.WriteByte('\n')
	return b.String()
}

func targetDoc(tool tools.Tool, a tools.Action) string {
	switch {
	case a.Target == tools.TargetRequired:
		return "an element"
	case a.Target == tools.TargetOptional:
		return "an element, or `x` and `y`"
	case a.Target == tools.TargetWithoutPoint:
		return "`x` and `y`, or an element"
	case tool.Name == "app":
		return "none"
	}
	return "the app"
}

// paramRow is a parameter that several actions have in common.
type paramRow struct {
	head    string // name, type and default
	actions []string
	meaning string
}

func paramRows(tool tools.Tool) []*paramRow {
	var rows []*paramRow
	for _, a := range tool.Actions {
		for _, p := range a.Params {
			row := &paramRow{head: paramHead(p, a), actions: []string{a.Name}, meaning: paramMeaning(p)}
			i := slices.IndexFunc(rows, func(r *paramRow) bool { return r.head == row.head && r.meaning == row.meaning })
			if i < 0 {
				rows = append(rows, row)
			} else {
				rows[i].actions = append(rows[i].actions, a.Name)
			}
		}
	}
	return rows
}

func paramHead(p tools.Param, a tools.Action) string {
	kind := string(p.Type)
	if p.Unit != "" {
		kind += ", " + p.Unit
	}
	def := ""
	oneOf := slices.ContainsFunc(a.OneOf, func(group []string) bool { return slices.Contains(group, p.Name) })
	switch {
	case p.Required:
		def = "must be given"
	case oneOf:
		def = "one of them"
	case p.Default != nil:
		def = fmt.Sprintf("%v", p.Default)
	}
	return fmt.Sprintf("`%s` | %s | %s", p.Name, kind, def)
}

func paramMeaning(p tools.Param) string {
	meaning := p.Doc
	if p.Enum != nil {
		meaning += " One of `" + strings.Join(p.Enum, "`, `") + "`."
	}
	if p.Ignored != "" {
		meaning += " Ignored: " + p.Ignored + "."
	}
	return cell(meaning)
}

// cell makes a text fit for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func problemsDoc() string {
	var b bytes.Buffer
	b.WriteString("\n| code | severity | meaning |\n|---|---|---|\n")
	for _, c := range Codes {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Code, c.Severity, cell(c.Doc))
	}
	b.WriteByte('\n')
	return b.String()
}
