package merge

import (
	"bufio"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/opendesk/opendesk/results"
)

// line is one line of a shard's log.
type line struct {
	// at is when it was written, in nanoseconds since 1970.
	at int64
	// rest is what is kept of it, up to and with the line feed.
	rest []byte
	// keep says whether it is in the merged log.
	keep bool
}

// stream is a shard's log while it is read.
type stream struct {
	name   string
	file   *os.File
	reader *bufio.Reader
	parse  func(text []byte) (line, error)
	number int // of the line, from 1
	buf    []byte
	next   line
	order  int
}

// keptBytes is how much room for long lines a stream keeps: the first line of a
// log, which names all programs, is the longest one by far, and there are many
// logs.
const keptBytes = 64 << 10

// openStream opens a log; ok is false where there is none.
func openStream(name string, order int, parse func([]byte) (line, error)) (s *stream, ok bool, err error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, &ProblemError{err}
	}
	return &stream{name: name, file: file, reader: bufio.NewReaderSize(file, 32<<10), parse: parse, order: order}, true, nil
}

// advance reads the next line that is kept; false at the end. A line that was
// cut off, as the last one is where a run was killed, is the end.
func (s *stream) advance() (bool, error) {
	for {
		text, err := s.read()
		if err != nil {
			return false, err
		}
		if text == nil {
			return false, nil
		}
		s.number++
		if s.next, err = s.parse(text); err != nil {
			return false, &ProblemError{fmt.Errorf("%s:%d: %w", s.name, s.number, err)}
		}
		if s.next.keep {
			return true, nil
		}
	}
}

// read reads a line with its line feed, nil at the end. It is valid until the
// next call.
func (s *stream) read() ([]byte, error) {
	if cap(s.buf) > keptBytes {
		s.buf = nil
	}
	s.buf = s.buf[:0]
	for {
		part, err := s.reader.ReadSlice('\n')
		switch {
		case err == nil && len(s.buf) == 0:
			return part, nil
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
			s.buf = append(s.buf, part...)
		case errors.Is(err, io.EOF):
			return nil, nil
		default:
			return nil, &ProblemError{fmt.Errorf("%s: %w", s.name, err)}
		}
		if err == nil {
			return s.buf, nil
		}
		if len(s.buf) > results.MaxEventBytes {
			return nil, &ProblemError{fmt.Errorf("%s:%d: the line is longer than %d bytes", s.name, s.number+1, results.MaxEventBytes)}
		}
	}
}

// streams is a heap of logs: the one with the earliest line is first. Lines of
// one log keep their order whatever their times.
type streams []*stream

func (h streams) Len() int { return len(h) }
func (h streams) Less(i, j int) bool {
	if h[i].next.at != h[j].next.at {
		return h[i].next.at < h[j].next.at
	}
	return h[i].order < h[j].order
}
func (h streams) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds a *stream.
func (h *streams) Push(x any) { *h = append(*h, x.(*stream)) }

// Pop takes the last one.
func (h *streams) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// interleave calls each with the lines of all logs in the order of their times.
// It closes the logs.
func interleave(logs []*stream, each func(rest []byte) error) (err error) {
	defer func() {
		for _, s := range logs {
			err = errors.Join(err, s.file.Close())
		}
	}()
	var h streams
	for _, s := range logs {
		more, err := s.advance()
		if err != nil {
			return err
		}
		if more {
			h = append(h, s)
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		s := h[0]
		if err := each(s.next.rest); err != nil {
			return err
		}
		more, err := s.advance()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return nil
}
