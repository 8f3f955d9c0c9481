package x11

import "testing"

func TestIsXwayland(t *testing.T) {
	for _, row := range []struct {
		outputs []string
		is      bool
	}{{nil, false}, {[]string{"screen"}, false}, {[]string{"HDMI-1", "XWAYLAND0"}, true}} {
		if isXwayland(row.outputs) != row.is {
			t.Errorf("%q: %t", row.outputs, !row.is)
		}
	}
}
