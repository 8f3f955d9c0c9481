package learn

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/trajectory"
)

// Two clicks are one double click if they are that near to each other, in
// seconds and in pixels. Recorders that tell them apart say so themselves.
const (
	doubleClickTime  = 0.4
	doubleClickRange = 4
)

// tidy brings what recorders tell in several ways into one: a capital letter, a
// space and the text around them are one text, what was corrected in a password
// is the password, and two quick clicks are a double click. What was said to the
// recorder itself goes.
func tidy(events []trajectory.Event) []trajectory.Event {
	var out []trajectory.Event
	toRecorder := false
	for _, e := range events {
		e = asText(e)
		// What ends a command to the recorder is a part of it.
		if toRecorder && e.Action == trajectory.Key && isReturn(e.Key) {
			toRecorder = false
			continue
		}
		toRecorder = e.Action == trajectory.Type && !e.Password && strings.HasPrefix(strings.ToLower(strings.TrimSpace(e.Text)), "/learn")
		if toRecorder {
			continue
		}
		if n := len(out); n > 0 {
			if joined, ok := joinEvents(out[n-1], e); ok {
				out[n-1] = joined
				continue
			}
		}
		out = append(out, e)
	}
	return passwords(out)
}

// asText makes a text of a key that writes one: some recorders tell capital
// letters and the space as keys.
func asText(e trajectory.Event) trajectory.Event {
	if e.Action != trajectory.Key {
		return e
	}
	rest, shifted := strings.CutPrefix(strings.ToLower(e.Key), "shift+")
	if r, size := utf8.DecodeRuneInString(rest); shifted && size == len(rest) && unicode.IsGraphic(r) && r != utf8.RuneError {
		e.Action, e.Text, e.Key = trajectory.Type, string(unicode.ToUpper(r)), ""
	}
	return e
}

func isReturn(key string) bool {
	return slices.Contains([]string{"return", "enter", "kp_enter"}, strings.ToLower(key))
}

func isSpace(e trajectory.Event) bool {
	return e.Action == trajectory.Key && strings.EqualFold(e.Key, "space")
}

// joinEvents makes one event of two that follow each other.
func joinEvents(a, b trajectory.Event) (trajectory.Event, bool) {
	switch {
	case a.Action == trajectory.Type && !a.Password && !b.Password && (sameElement(a, b) || unsaid(a, b)) && quiet(a) &&
		(b.Action == trajectory.Type || isSpace(b)):
		if isSpace(b) {
			b.Text = " "
		}
		a.Text += b.Text
		a.EndedAt, a.After = endOf(b), b.After
		if a.Context == nil {
			a.Context = b.Context
		}
		return a, true
	case a.Before == nil && b.Before == nil && b.Action == trajectory.Click && samePlace(a, b) &&
		b.Timestamp-endOf(a) <= doubleClickTime && b.Timestamp >= endOf(a):
		switch a.Action {
		case trajectory.Click:
			a.Action = trajectory.DoubleClick
		case trajectory.DoubleClick:
			a.Action = trajectory.TripleClick
		default:
			return a, false
		}
		a.EndedAt = endOf(b)
		return a, true
	}
	return a, false
}

// quiet reports whether nothing but the element itself was seen to change after
// the event.
func quiet(e trajectory.Event) bool {
	return e.After == nil || e.After.Front == nil && len(e.After.Windows) == 0
}

// sameElement reports whether both were done to one element, as far as is known.
func sameElement(a, b trajectory.Event) bool {
	if a.Context == nil || b.Context == nil {
		return a.Context == nil && b.Context == nil
	}
	x, y := *a.Context, *b.Context
	return x.App == y.App && x.Role == y.Role && x.Identifier == y.Identifier && x.Ref == y.Ref
}

// unsaid reports whether one of the two does not say what it was done to, as keys
// of recorders that look at nothing ahead: it went where the other one went.
func unsaid(a, b trajectory.Event) bool {
	return a.Before == nil && b.Before == nil && (a.Context == nil || b.Context == nil)
}

func samePlace(a, b trajectory.Event) bool {
	ax, ay, okA := a.Place()
	bx, by, okB := b.Place()
	return okA && okB && max(ax-bx, bx-ax) <= doubleClickRange && max(ay-by, by-ay) <= doubleClickRange
}

// endOf is when the event ended, in Unix seconds: it began then where that is
// not known.
func endOf(e trajectory.Event) float64 { return max(e.Timestamp, e.EndedAt) }

// passwords makes one event of all that was done to a password field in a row:
// the variable holds what stood there in the end.
func passwords(events []trajectory.Event) []trajectory.Event {
	var out []trajectory.Event
	for _, e := range events {
		if n := len(out); n > 0 && out[n-1].Password && sameElement(out[n-1], e) && (e.Password || corrects(e)) {
			out[n-1].EndedAt, out[n-1].After = endOf(e), e.After
			continue
		}
		if e.Password {
			e.Text = passwordReference(e.Text)
		}
		out = append(out, e)
	}
	return out
}

// passwordReference is a reference whatever the recorder has written: no
// password gets into a program.
func passwordReference(text string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(text, "${env:"), "}")
	if text == program.Reference(name) && name != "" && strings.IndexFunc(name, notInName) < 0 && !unicode.IsDigit(rune(name[0])) {
		return text
	}
	return program.Reference("PASSWORD")
}

func notInName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// corrects reports whether the key only edits the field that has the focus.
func corrects(e trajectory.Event) bool {
	if e.Action != trajectory.Key {
		return false
	}
	switch strings.ToLower(e.Key) {
	case "backspace", "delete", "left", "right", "home", "end":
		return true
	}
	return false
}
