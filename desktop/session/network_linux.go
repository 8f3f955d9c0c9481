package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// alone makes a process start in a network of its own, with a loopback that is
// down. Who is not root needs a user namespace for that, in which nothing but
// bringing the loopback up is allowed; see loopback.
func alone(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= unix.CLONE_NEWNET
	if os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
}

// aloneWorks tries once per process whether that can be had here.
var aloneWorks = sync.OnceValue(func() error { return tryAlone("true") })

func tryAlone(program string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	alone(cmd.SysProcAttr)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("no network namespace can be made: %w", err)
	}
	return nil
}

// loopback brings the loopback of our network up and gives up the capability
// that this takes.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP)
	err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
	if os.Geteuid() != 0 {
		err = errors.Join(err, unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
	}
	return err
}
