//go:build linux

package linux

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxWaitsFor bounds how many files one process is said to wait for.
const maxWaitsFor = 8

// waitsFor tells which files a sleeping process waits for, given the kernel's
// function that it sleeps in; nil where that cannot be told. sockets are those
// of unixSockets.
func waitsFor(pid int, function string, sockets map[uint32]unixSocket) []string {
	args := callArguments(pid)
	if len(args) < 2 {
		return nil
	}
	var fds []int
	switch {
	case strings.Contains(function, "ep_poll") || strings.Contains(function, "epoll"):
		fds = epolled(pid, int(args[0]))
	case strings.Contains(function, "poll"):
		fds = polled(pid, args[0], args[1])
	case waitsForItsFirstArgument(function):
		fds = []int{int(args[0])}
	}
	var out []string
	for _, fd := range fds {
		if file := describeFile(pid, fd, sockets); file != "" && len(out) < maxWaitsFor {
			out = append(out, fmt.Sprintf("fd %d (%s)", fd, file))
		}
	}
	return out
}

func waitsForItsFirstArgument(function string) bool {
	for _, part := range []string{"pipe", "unix", "skb", "sock", "tcp", "tty", "inet"} {
		if strings.Contains(function, part) {
			return true
		}
	}
	return false
}

// callArguments are the arguments of the system call that the process is in.
func callArguments(pid int) []uint64 {
	b, err := os.ReadFile(procPath(pid, "syscall"))
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 3 { // "running"
		return nil
	}
	var args []uint64
	for _, f := range fields[1 : len(fields)-2] { // the rest are stack and program counter
		n, err := strconv.ParseUint(strings.TrimPrefix(f, "0x"), 16, 64)
		if err != nil {
			return nil
		}
		args = append(args, n)
	}
	return args
}

// maxPolled bounds how many files of one poll are read.
const maxPolled = 64

// polled are the files in the list at that address of the process's memory.
func polled(pid int, address, count uint64) []int {
	if address == 0 || count == 0 {
		return nil
	}
	memory, err := os.Open(procPath(pid, "mem"))
	if err != nil {
		return nil
	}
	defer memory.Close()
	const size = 8 // int fd, short events, short revents
	list := make([]byte, size*min(count, maxPolled))
	if n, _ := memory.ReadAt(list, int64(address)); n < len(list) {
		return nil
	}
	var fds []int
	for ; len(list) >= size; list = list[size:] {
		fds = append(fds, int(int32(binary.NativeEndian.Uint32(list))))
	}
	return fds
}

// epolled are the files that an epoll file watches.
func epolled(pid, fd int) []int {
	b, err := os.ReadFile(procPath(pid, filepath.Join("fdinfo", strconv.Itoa(fd))))
	if err != nil {
		return nil
	}
	var fds []int
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "tfd:" {
			continue
		}
		if n, err := strconv.Atoi(fields[1]); err == nil {
			fds = append(fds, n)
		}
	}
	return fds
}

// describeFile says what a process's file is: a path, or whose socket it is
// connected to. What wakes a process up from itself is "".
func describeFile(pid, fd int, sockets map[uint32]unixSocket) string {
	link, err := os.Readlink(procPath(pid, filepath.Join("fd", strconv.Itoa(fd))))
	if err != nil || strings.HasPrefix(link, "anon_inode:") {
		return ""
	}
	inode, isSocket := socketInode(link)
	if !isSocket {
		return link
	}
	own := sockets[inode]
	switch peer := sockets[own.peer]; {
	case own.peer != 0 && peer.name != "":
		return "socket to " + peer.name
	case own.name != "":
		return "socket " + own.name
	}
	return "socket"
}

// socketInode reads where a link in /proc/PID/fd points to a socket.
func socketInode(link string) (inode uint32, ok bool) {
	text, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 32)
	return uint32(n), err == nil
}

// maxFiles bounds how many of a process's files are looked at.
const maxFiles = 256

// connectedTo are the names of the sockets that the process is connected to.
func connectedTo(pid int, sockets map[uint32]unixSocket) []string {
	dir, err := os.Open(procPath(pid, "fd"))
	if err != nil {
		return nil
	}
	defer dir.Close()
	fds, _ := dir.Readdirnames(maxFiles)
	var names []string
	for _, fd := range fds {
		link, err := os.Readlink(procPath(pid, filepath.Join("fd", fd)))
		if err != nil {
			continue
		}
		inode, ok := socketInode(link)
		name := sockets[sockets[inode].peer].name
		if ok && sockets[inode].peer != 0 && name != "" && !slices.Contains(names, name) && len(names) < maxWaitsFor {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
