package step

import (
	"testing"

	"github.com/opendesk/opendesk/program/tools"
)

// Every action of the table has code, and no code is without a row.
func TestActionsAreThoseOfTheTable(t *testing.T) {
	declared := map[string]bool{}
	for _, tool := range tools.All() {
		for _, a := range tool.Actions {
			declared[tool.Name+" "+a.Name] = true
			if actions[tool.Name][a.Name] == nil {
				t.Errorf("%s %s is declared and cannot be performed", tool.Name, a.Name)
			}
		}
	}
	for tool, byName := range actions {
		for name := range byName {
			if !declared[tool+" "+name] {
				t.Errorf("%s %s can be performed and is not declared", tool, name)
			}
		}
	}
}
