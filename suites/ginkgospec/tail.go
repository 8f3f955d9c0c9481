package ginkgospec

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// lookAgain is how often a file is looked at that is being written.
const lookAgain = 50 * time.Millisecond

// tail reads a file that a process writes, from its beginning to what it holds
// when the process has ended. The file need not exist yet, or ever.
type tail struct {
	path  string
	ended <-chan struct{}
	file  *os.File
}

// Read waits until there is something to read or the process has ended.
func (t *tail) Read(p []byte) (int, error) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		last := false // whether nothing can have been added after this look
		select {
		case <-t.ended:
			last = true
		default:
		}
		n, err := t.look(p)
		if n > 0 || err != nil {
			return n, err
		}
		if last {
			return 0, io.EOF
		}
		select {
		case <-t.ended:
		case <-again.C:
		}
	}
}

// look reads what is there; nothing is no error.
func (t *tail) look(p []byte) (int, error) {
	if t.file == nil {
		file, err := os.Open(t.path)
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		t.file = file
	}
	n, err := t.file.Read(p)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Close closes the file.
func (t *tail) Close() {
	if t.file != nil {
		_ = t.file.Close() // nothing was written through it
	}
}
