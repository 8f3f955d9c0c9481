package session

import (
	"io"
	"sync"
)

// tail is a writer that keeps the last bytes written to it, and passes
// everything on to another writer where there is one.
type tail struct {
	mu    sync.Mutex
	limit int
	data  []byte
	next  io.Writer
}

func newTail(limit int, next io.Writer) *tail { return &tail{limit: limit, next: next} }

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	// Twice the limit before it is cut, so that few writes have to copy.
	if len(t.data) > 2*t.limit {
		t.data = append(t.data[:0], t.data[len(t.data)-t.limit:]...)
	}
	if t.next != nil {
		_, _ = t.next.Write(p)
	}
	return len(p), nil
}

// String is the last bytes, at most the limit.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data[max(0, len(t.data)-t.limit):])
}
