//go:build !linux

package cli

import "errors"

// becomeViewer gives the error that there are no sessions here.
func becomeViewer(string, []string) error { return errors.New("sessions are for Linux only") }
