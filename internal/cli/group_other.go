//go:build !unix

package cli

import "os/exec"

// withGroup does nothing where there are no process groups: the command alone
// is ended.
func withGroup(*exec.Cmd) (end func()) { return func() {} }

// ownGroup does nothing there, either.
func ownGroup(*exec.Cmd) {}
