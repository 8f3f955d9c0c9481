package script

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// open makes the pipes. It gives the ends that are the script's, in the order of
// an Order's descriptors.
func (r *run) open() (theirs []*os.File, err error) {
	for _, end := range []**os.File{&r.stdout, &r.stderr} {
		read, write, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		*end = read
		theirs = append(theirs, write)
	}
	for _, pair := range []struct {
		end  **net.UnixConn
		kind int
	}{{&r.tools, unix.SOCK_STREAM}, {&r.reports, unix.SOCK_SEQPACKET}} {
		conn, other, err := socketPair(pair.kind)
		if err != nil {
			return theirs, err
		}
		*pair.end = conn
		theirs = append(theirs, other)
	}
	for _, name := range slices.Sorted(maps.Keys(r.job.Modules)) {
		f, err := inMemory(r.job.Modules[name])
		if err != nil {
			return theirs, err
		}
		theirs = append(theirs, f)
	}
	return theirs, nil
}

func socketPair(kind int) (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a script's pipe: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "script")
	f := os.NewFile(uintptr(fds[0]), "script")
	conn, err := net.FileConn(f)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("a script's pipe: %w", err), theirs.Close())
	}
	ours, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, nil, errors.Join(errors.New("a script's pipe is no Unix socket"), conn.Close(), theirs.Close())
	}
	return ours, theirs, nil
}

func (r *run) close() {
	closeFiles([]*os.File{r.stdout, r.stderr, r.work})
	for _, c := range []*net.UnixConn{r.tools, r.reports} {
		if c != nil {
			_ = c.Close()
		}
	}
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// listen takes reports until the pipe ends. The first comes with the work
// folder, and is answered: from then on the script runs.
func (r *run) listen(began chan<- time.Time) {
	buf := make([]byte, maxReport)
	oob := make([]byte, unix.CmsgSpace(4*4))
	n, oobn, _, _, err := r.reports.ReadMsgUnix(buf, oob)
	if err != nil || n == 0 {
		return
	}
	r.work = folderOf(oob[:oobn])
	if r.work == nil {
		return
	}
	began <- time.Now()
	if _, err := r.reports.Write([]byte{'\n'}); err != nil {
		return
	}
	for {
		n, err := r.reports.Read(buf)
		if err != nil || n == 0 {
			return
		}
		r.told.add(buf[:n])
	}
}

// folderOf is the one descriptor that came with a packet, nil for none.
func folderOf(oob []byte) *os.File {
	controls, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var folder *os.File
	for i := range controls {
		fds, err := unix.ParseUnixRights(&controls[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			f := os.NewFile(uintptr(fd), WorkDir)
			if folder == nil {
				folder = f
			} else {
				_ = f.Close()
			}
		}
	}
	return folder
}
