//go:build !linux

package cli

import "errors"

// becomeRecorder is for session hosts, which only Linux has.
func becomeRecorder(string, []string) error { return errors.ErrUnsupported }
