//go:build !linux

package session

import (
	"context"
	"encoding/json"
)

// StartNamed gives the error that this system has no display sessions.
func StartNamed(context.Context, string, json.RawMessage, Options) (*Named, error) {
	return nil, unsupported()
}

// Attach gives the error that there is no session of that name.
func Attach(_ context.Context, name string) (*Session, *Named, error) {
	return nil, nil, &UnknownNameError{Name: name}
}

// ListNamed finds nothing: this system has no display sessions.
func ListNamed(context.Context) ([]Named, error) { return []Named{}, nil }

// TakeTurn gives the error that there is no such session.
func TakeTurn(_ context.Context, n *Named, _ func()) (release func(), err error) {
	return nil, &UnknownNameError{Name: n.Name}
}

// EndedLog finds nothing: this system has no display sessions.
func EndedLog(string) string { return "" }

// StopNamed gives the error that there is no session of that name.
func StopNamed(_ context.Context, name string) error { return &UnknownNameError{Name: name} }

// PrivateFolder gives the error that this system has no display sessions.
func PrivateFolder(string) (string, error) { return "", unsupported() }
