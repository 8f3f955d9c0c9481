//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// withGroup gives a command a process group of its own, all of which ends when
// the command's context does. end ends what is left of it once the command was
// waited for: what it has started in the background.
func withGroup(cmd *exec.Cmd) (end func()) {
	ownGroup(cmd)
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil { // it was started
			_ = kill() // that there is nothing left is as it should be
		}
	}
}

// ownGroup gives a command a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
