// Package input moves the pointer and presses keys, as a user would.
//
// The pointer goes through robotgo. Keys do not: it finds them by their X name
// in Xlib's copy of the layout, so it cannot press ö on a German keyboard or
// any Cyrillic letter, presses a comma for <, and ends the process where a
// layout lacks a key. They go to the server as keycodes, through XTEST, and
// Keys says which.
//
// robotgo has one X connection a process, picked by DISPLAY, and Xlib ends the
// process when that breaks. Before each call the server is therefore asked
// for an answer over another connection, which turns a dead or silent server
// into an error; should it die in the microseconds between, the process exits
// with status 1. Hence input belongs into a process that may die.
package input

import "context"

// Stroke is one key and the keys that must be down for it, as keycodes.
type Stroke = struct {
	Code      byte
	Modifiers []byte
}

// Keys finds keys in the display's layout.
type Keys interface {
	// Strokes gives one stroke a character; more says from which byte on to
	// ask again once these are made (len(text) for none).
	Strokes(ctx context.Context, text string) (strokes []Stroke, more int, err error)
	// Key is the stroke of the key with that X keysym name or character;
	// ok is false where there is no such name.
	Key(ctx context.Context, name string) (stroke Stroke, ok bool, err error)
	// Taken waits until the focused application has taken all keys so far, or
	// has given no sign of life for long.
	Taken(ctx context.Context) error
	// Unlock unlocks Caps Lock and all other modifiers; restore locks them
	// again.
	Unlock(ctx context.Context) (restore func(context.Context) error, err error)
}
