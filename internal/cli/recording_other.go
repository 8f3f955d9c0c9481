//go:build !linux

package cli

import (
	"errors"
	"net"
	"os"
	"os/exec"
)

// What follows is for recordings, which only Linux has.

func socketPair() (*net.UnixConn, *os.File, error) { return nil, nil, errors.ErrUnsupported }

func detach(*exec.Cmd) {}

func tryLock(*os.File) bool { return true }

func awaitLock(*os.File) error { return errors.ErrUnsupported }

func askToEnd(int) error { return errors.ErrUnsupported }
