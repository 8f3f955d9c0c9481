package ginkgospec

import (
	"os/exec"
	"syscall"
)

// endWithUs has the command interrupted when the thread that starts it ends,
// as it does when the test process is killed or panics.
func endWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
}
