package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
)

var updateTrees = flag.Bool("update", false, "rewrite the golden files")

// TestPrintTree holds what learn inspect prints of recorded trees against
// golden files.
func TestPrintTree(t *testing.T) {
	for _, test := range []struct {
		name, tree, app string
		view            treeView
	}{
		{"dialog.txt", "zenity", "", treeView{}},
		{"unrevealed.txt", "gnome-text-editor", "Text Editor", treeView{}},
		{"showing.txt", "kcalc", "", treeView{showing: true}},
		{"two-apps.txt", "two-apps", "", treeView{depth: 2}},
		{"dialog.json", "zenity", "", treeView{json: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := test.view.print(t.Context(), &out, readRecord(t, test.tree), test.app); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "inspect", test.name)
			if *updateTrees {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != string(want) {
				t.Errorf("printed is not %s (-update writes it):\n%s", golden, &out)
			}
		})
	}
}

// TestPrintedJSON holds that the JSON is one, and that its targets can be put
// into a program.
func TestPrintedJSON(t *testing.T) {
	var out bytes.Buffer
	if err := (treeView{json: true}).print(t.Context(), &out, readRecord(t, "numbers-export"), ""); err != nil {
		t.Fatal(err)
	}
	var printed struct {
		Apps []struct {
			App      desktop.AppInfo
			Elements []struct {
				Role    string
				Showing *bool
				Target  *program.Target
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	targets := 0
	for _, e := range printed.Apps[0].Elements {
		if e.Role == "" || e.Showing == nil {
			t.Fatalf("%+v", e)
		}
		if e.Target == nil {
			continue
		}
		targets++
		text := targetText(*e.Target)
		var parsed program.Target
		if err := json.Unmarshal([]byte(text), &parsed); err != nil || parsed != *e.Target {
			t.Errorf("%s is read as %+v (%v)", text, parsed, err)
		}
		source := `{"name": "p", "version": 1, "steps": [{"id": "s1", "tool": "ui", "params": {"action": "click"}, "target": ` + text + `}]}`
		if p, problems := program.Parse("p.program.json", []byte(source)); p == nil || len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
		}
	}
	if lines := strings.Count(out.String(), "\n"); targets < 100 || lines < targets {
		t.Errorf("%d targets in %d lines", targets, lines)
	}
}

func readRecord(t *testing.T, name string) *desktop.Record {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "fixtures", "trees", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // read only
	record, err := desktop.ReadRecord(file)
	if err != nil {
		t.Fatal(err)
	}
	return record
}
