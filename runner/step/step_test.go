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

func TestCoordinatesOfAnImage(t *testing.T) {
	for _, row := range []struct {
		at, image    float64
		screen, want int
	}{
		{640, 0, 1280, 640}, {1280, 0, 1280, 1280}, // no image: as it is
		{640, 1280, 1280, 640}, {1280, 2560, 1280, 640}, {3, 640, 1280, 6},
		{0, 2560, 1280, 0}, {2559, 2560, 1280, 1279}, {2559.9, 2560, 1280, 1279}, // all of the image is on the screen
		{2560, 2560, 1280, 1280}, {-4, 2560, 1280, -2}, // what is not in it stays outside
	} {
		if got := fromImage(row.at, row.image, row.screen); got != row.want {
			t.Errorf("%g of %g on %d: %d, want %d", row.at, row.image, row.screen, got, row.want)
		}
	}
}
