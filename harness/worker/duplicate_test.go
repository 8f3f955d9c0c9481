//go:build unix

package worker

import (
	"os"
	"syscall"
)

// duplicate gives a second file for the same pipe, as a child process has it.
func duplicate(f *os.File) (*os.File, error) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
