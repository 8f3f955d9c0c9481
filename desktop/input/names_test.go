package input

import "testing"

func TestChordKey(t *testing.T) {
	for _, c := range []struct {
		key       string
		modifiers []string
		want      string
	}{
		{"S", []string{"ctrl"}, "s"}, {"S", nil, "S"}, {"s", []string{"ctrl"}, "s"}, {"Ż", []string{"alt"}, "ż"},
		{"Return", []string{"ctrl"}, "Return"}, {"F5", []string{"shift"}, "F5"}, {"+", []string{"ctrl"}, "+"}, {"", []string{"ctrl"}, ""},
	} {
		if got := chordKey(c.key, c.modifiers); got != c.want {
			t.Errorf("%s with %v: got %q, want %q", c.key, c.modifiers, got, c.want)
		}
	}
}
