//go:build linux

package linux

import (
	"encoding/binary"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unixSocket is one Unix domain socket as the kernel lists it.
type unixSocket struct {
	name string // its path, or @ and its abstract name; "" for none
	peer uint32 // the inode that it is connected to, 0 for none
}

// Of the kernel's interface sock_diag(7) what is missing in package unix.
const (
	diagByFamily  = 20
	diagShowName  = 1
	diagShowPeer  = 4
	diagAttrName  = 0
	diagAttrPeer  = 2
	diagAnyState  = ^uint32(0)
	diagMessage   = 16 // bytes of struct unix_diag_msg
	diagRequest   = 24 // bytes of struct unix_diag_req
	diagTimeLimit = 300 * time.Millisecond
)

// unixSockets are the Unix domain sockets of this network namespace by their
// inodes; those that were listed where the kernel stops answering.
func unixSockets() map[uint32]unixSocket {
	sockets := map[uint32]unixSocket{}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return sockets
	}
	defer func() { _ = unix.Close(fd) }()
	limit := unix.NsecToTimeval(diagTimeLimit.Nanoseconds())
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit) != nil {
		return sockets
	}
	e := binary.NativeEndian
	request := make([]byte, unix.NLMSG_HDRLEN+diagRequest)
	e.PutUint32(request[0:], uint32(len(request)))
	e.PutUint16(request[4:], diagByFamily)
	e.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	request[unix.NLMSG_HDRLEN] = unix.AF_UNIX
	e.PutUint32(request[unix.NLMSG_HDRLEN+4:], diagAnyState)
	e.PutUint32(request[unix.NLMSG_HDRLEN+12:], diagShowName|diagShowPeer)
	if unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return sockets
	}
	buffer := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buffer, 0)
		if err != nil {
			return sockets
		}
		messages, err := syscall.ParseNetlinkMessage(buffer[:n])
		if err != nil {
			return sockets
		}
		for _, m := range messages {
			if m.Header.Type != diagByFamily {
				return sockets // NLMSG_DONE, or a refusal
			}
			if inode, s, ok := parseUnixSocket(m.Data); ok {
				sockets[inode] = s
			}
		}
	}
}

// parseUnixSocket reads one struct unix_diag_msg with its attributes.
func parseUnixSocket(b []byte) (inode uint32, s unixSocket, ok bool) {
	if len(b) < diagMessage {
		return 0, s, false
	}
	e := binary.NativeEndian
	inode = e.Uint32(b[4:])
	for b = b[diagMessage:]; len(b) >= unix.SizeofRtAttr; {
		length := int(e.Uint16(b))
		if length < unix.SizeofRtAttr || length > len(b) {
			break
		}
		value := b[unix.SizeofRtAttr:length]
		switch e.Uint16(b[2:]) {
		case diagAttrName:
			s.name = string(value)
			if abstract, is := strings.CutPrefix(s.name, "\x00"); is {
				s.name = "@" + abstract
			}
			s.name = strings.TrimRight(s.name, "\x00")
		case diagAttrPeer:
			if len(value) >= 4 {
				s.peer = e.Uint32(value)
			}
		}
		b = b[min(len(b), (length+3)&^3):]
	}
	return inode, s, true
}
