package resolve

import (
	"context"
	"regexp"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/internal/fold"
)

// maxSayings bounds how many elements with the text are looked at for one that
// can be seen.
const maxSayings = 50

// Says finds an element on the screen whose name, value or text contains the
// folded text, nil for none. The snapshot must hold texts.
func (f Finder) Says(ctx context.Context, snap *desktop.Snapshot, folded string) (*desktop.Element, error) {
	v := judge()
	for i, e := range saying(snap, v, folded) {
		if i == maxSayings {
			break
		}
		seen, known, err := f.Clip(ctx, e)
		if err != nil {
			return nil, err
		}
		if v.present(e) && (!known || !seen.Empty()) {
			return e, nil
		}
	}
	return nil, nil
}

// saying lists the elements that show and say the folded text, in document
// order.
func saying(snap *desktop.Snapshot, v visibility, folded string) []*desktop.Element {
	var found []*desktop.Element
	each(snap, func(e *desktop.Element) {
		if e.States.Has(desktop.Password) || !says(e, folded) || !v.showing(e) {
			return
		}
		found = append(found, e)
	})
	return found
}

// says reports whether the element's name, value or text contains the folded
// text, as far as people see them on the screen.
func says(e *desktop.Element, folded string) bool {
	texts := []string{e.Text}
	if !isAddress(e) {
		texts = append(texts, e.Name)
		if showsValue(e) {
			texts = append(texts, e.Value)
		}
	}
	for _, text := range texts {
		if text != "" && strings.Contains(fold.Text(text), folded) {
			return true
		}
	}
	return false
}

var address = regexp.MustCompile(`^[A-Z]{1,3}[0-9]{1,7}$`)

// isAddress reports whether the element is a spreadsheet's cell: its name is
// its address and an empty one has the value 0, neither of which is seen.
func isAddress(e *desktop.Element) bool {
	return e.Role == "table cell" && address.MatchString(e.Name)
}

// showsValue reports whether the role's value is shown as a number. Those of
// scroll bars, split panes and Swing's buttons are not.
func showsValue(e *desktop.Element) bool {
	switch e.Role {
	case "spin button", "entry", "slider", "dial", "progress bar", "level bar", "rating", "combo box", "date editor", "label", "table cell":
		return true
	}
	return false
}
