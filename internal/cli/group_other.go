//go:build !unix

package cli

import "os/exec"

// endWithGroup does nothing where there are no process groups: the command
// alone is ended.
func endWithGroup(*exec.Cmd) {}
