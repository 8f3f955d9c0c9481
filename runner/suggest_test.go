package runner_test

import (
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// What a step missed is suggested as a command where something is close enough,
// one kind of command for each place in which a step names an element.
func TestRepairIsSuggested(t *testing.T) {
	expect := func(value string) string {
		return strings.Replace(exportReport, `{"kind": "window_title_contains", "value": "Export"`, `{"kind": "element_exists", "value": `+value, 1)
	}
	for _, row := range []struct {
		name   string
		change func(*numbers)
		source string
		step   string
		kind   results.FailureKind
		has    string // in the command, "" where there is to be none
	}{
		{"target", func(n *numbers) { n.pdf.Name, n.pdf.Identifier = "P.D.F.", "" }, exportReport, "s3", results.TargetNotFound,
			`"target": {"app": "Numbers", "role": "AXButton", "title": "P.D.F."}`},
		{"target with another identifier", func(n *numbers) { n.pdf.Name, n.pdf.Identifier = "P.D.F.", "pdf" }, exportReport, "s3", results.TargetNotFound,
			`"target": {"app": "Numbers", "role": "AXButton", "title": "P.D.F.", "identifier": "pdf"}`},
		{"nothing like it", func(n *numbers) { n.pdf.Name, n.pdf.Identifier = "Print", "" }, exportReport, "s3", results.TargetNotFound, ""},
		{"only greyed out", func(n *numbers) { n.pdf.Without = desktop.Sensitive | desktop.Enabled }, exportReport, "s3", results.TargetInsensitive, ""},
		{"closest is greyed out", func(n *numbers) {
			n.pdf.Name, n.pdf.Identifier, n.pdf.Without = "P.D.F.", "", desktop.Sensitive|desktop.Enabled
		}, exportReport, "s3", results.TargetNotFound, ""},
		{"expected title", nil, expect(`"PDF now"`), "s3", results.PostconditionNotMet,
			`"postcondition": {"kind": "element_exists", "value": "PDF", "timeout_ms": 300}`},
		{"expected element", nil, expect(`{"role": "push button", "title": "P.D.F."}`), "s3", results.PostconditionNotMet,
			`"value": {"role": "push button", "title": "PDF", "identifier": "export-pdf"}`},
		{"menu item", nil, strings.Replace(exportReport, `"menu_item": "Export To"}`, `"menu_item": "Exports To"}, "resolve_timeout_ms": 300`, 1),
			"s2", results.MenuItemNotFound, `"menu": "File", "menu_item": "Export To…"`},
		{"menu", nil, strings.Replace(exportReport, `"menu": "File", "menu_item": "Export To"}`, `"menu": "Files", "menu_item": "Export To"}, "resolve_timeout_ms": 300`, 1),
			"s2", results.MenuItemNotFound, `"menu": "File", "menu_item": "Export To"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := newNumbers()
			if row.change != nil {
				row.change(n)
			}
			o := run(t, n.desktop, row.source, func(r *runner.Request) { r.Project = "my project" })
			f := o.step(row.step).Failure
			if f == nil || f.Kind != row.kind {
				t.Fatalf("%s: %s, failure %+v", o.Status, o.Reason, f)
			}
			command := f.SelfHeal.Patch
			if row.has == "" && command != "" {
				t.Errorf("suggests %s", command)
			}
			if row.has != "" && (!strings.HasPrefix(command, "opendesk learn patch '--project=my project' ") || !strings.Contains(command, row.has)) {
				t.Errorf("suggests %q\nwithout %s", command, row.has)
			}
		})
	}
}

// How far a target got stands in the failure in figures as well.
func TestLookupInFigures(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*numbers)
		want   results.Lookup
	}{
		{"not there", func(n *numbers) { n.panel = nil }, results.Lookup{AppFound: true}},
		{"hidden", func(n *numbers) { n.pdf.Without = desktop.Visible | desktop.Showing }, results.Lookup{AppFound: true, Hidden: 1}},
		{"greyed out", func(n *numbers) { n.pdf.Without = desktop.Sensitive | desktop.Enabled }, results.Lookup{AppFound: true, Insensitive: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := newNumbers()
			row.change(n)
			f := run(t, n.desktop, exportReport).step("s3").Failure
			if f == nil || f.Lookup == nil {
				t.Fatalf("failure %+v", f)
			}
			got := *f.Lookup
			if got.AppFound != row.want.AppFound || got.Hidden != row.want.Hidden || got.Insensitive != row.want.Insensitive ||
				len(got.Windows) != 1 || got.Windows[0] != "Report.numbers" {
				t.Errorf("lookup %+v, want %+v", got, row.want)
			}
		})
	}
}
