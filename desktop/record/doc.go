// Package record writes down what somebody does on a display: which element was
// clicked, what was typed, which keys were pressed.
//
// Three goroutines keep apart what must not wait for each other:
//
//	stream    takes pointer and keys from the X server (RECORD extension)
//	grouper   makes actions of them: a double click, a text, a chord
//	watcher   looks at the desktop: which element is under the pointer, which
//	          has the focus, which windows there are
//
// The X server hands input on without waiting for whoever records it, so that
// recording delays nothing. The watcher looks ahead, when the pointer moves and
// when the desktop changes: what a click did is not to be taken for what was
// clicked. Where it could not, the context of the action is marked as late.
package record
