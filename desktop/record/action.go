package record

import (
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

// action is one thing that somebody did, as the inputs tell.
type action struct {
	kind trajectory.Action
	// began and ended are when its first and its last input got here.
	began, ended time.Time
	// at is where the pointer was when it began, to where a drag ended.
	at, to desktop.Point
	// button is that of clicks and drags.
	button byte
	// text is what was typed.
	text string
	// key is a character or an X keysym name.
	key string
	// modifiers were held, in alphabetical order.
	modifiers []string
	// scrollX and scrollY are clicks of the wheel, to the right and up.
	scrollX, scrollY int
	// seen is what the watcher says of the moment when it began.
	seen *sighting
	// checked is closed when a text is known to have gone where it began to,
	// or not; nil for other actions.
	checked chan struct{}
}

// Stroke is what a key meant when it went down; the zero Stroke is a modifier,
// or a part of a character that is not complete yet.
type Stroke struct {
	// Text is the characters that the application got, "" for none.
	Text string
	// Key is the name of a key that makes none, or that was pressed with
	// Modifiers: a character or an X keysym name.
	Key       string
	Modifiers []string
}
