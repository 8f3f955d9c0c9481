//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// endWithGroup makes a command end with everything that it has started and that
// is still in its process group.
func endWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
