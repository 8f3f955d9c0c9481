package record

import (
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

// Options say what to record, and how.
type Options struct {
	// Display is the X display's name, Locale that of its applications.
	Display, Locale string
	// Desktop is the same display, to be looked at. It is the recorder's alone
	// while it records.
	Desktop desktop.Desktop
	// App gives the name by which programs open an application, Title what an
	// element is called.
	App   func(desktop.AppInfo) string
	Title func(*desktop.Element) string
	// Password stands for what is typed into password fields.
	Password string
	// Own are the processes whose windows are no part of the task: the terminal
	// that the recording was started from.
	Own []int
	// Tell is called for each message, from one goroutine. Its error ends the
	// recording.
	Tell func(Message) error
}

// Message is what a recorder has to tell. Exactly one field is set.
type Message struct {
	// Started tells that everything is recorded from now on, and what is in
	// front.
	Started *Started `json:"started,omitempty"`
	// Append is an event that is over. Amend is the last event once more: what
	// came of it is known now.
	Append *trajectory.Event `json:"append,omitempty"`
	Amend  *trajectory.Event `json:"amend,omitempty"`
	// Failed says why the recording has ended by itself.
	Failed string `json:"failed,omitempty"`
}

// Started is the beginning of a recording.
type Started struct {
	At    float64           `json:"at"`
	Scene *trajectory.Scene `json:"scene,omitempty"`
}

// How long the end of a recording waits for what the last action brings about.
const (
	endQuiet = 250 * time.Millisecond
	endLimit = 1500 * time.Millisecond
)
