package atspi

import "github.com/opendesk/opendesk/desktop"

// stateBits maps AT-SPI's state numbers to the desktop's states.
var stateBits = []struct {
	number int
	state  desktop.States
}{
	{1, desktop.Active},
	{4, desktop.Checked},
	{6, desktop.Defunct},
	{7, desktop.Editable},
	{8, desktop.Enabled},
	{9, desktop.Expandable},
	{10, desktop.Expanded},
	{11, desktop.Focusable},
	{12, desktop.Focused},
	{16, desktop.Modal},
	{20, desktop.Pressed},
	{23, desktop.Selected},
	{24, desktop.Sensitive},
	{25, desktop.Showing},
	{30, desktop.Visible},
	{42, desktop.HasPopup},
}

// states are the two words that GetState and GetItems give.
type states uint64

// parseStates reads the answer "au" of GetState.
func parseStates(v any) states {
	words, _ := v.([]uint32)
	var s states
	for i, w := range words {
		if i < 2 {
			s |= states(w) << (32 * i)
		}
	}
	return s
}

func (s states) has(number int) bool { return s&(1<<number) != 0 }

func (s states) desktop() desktop.States {
	var out desktop.States
	for _, b := range stateBits {
		if s.has(b.number) {
			out |= b.state
		}
	}
	return out
}
