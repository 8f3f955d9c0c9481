package reporters

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/results"
)

// target is where a report goes: a writer or a file.
type target struct {
	w    io.Writer // used where path is ""
	path string
}

// dir is the folder that the report's own links start from. Standard output
// is taken to be kept in the folder that the command runs in.
func (t target) dir(env Env) string {
	if t.path == "" {
		return env.WorkDir
	}
	return filepath.Dir(t.path)
}

// check says before a run what would keep the report from being written after
// it. Missing folders are made.
func (t target) check() error {
	if t.path == "" {
		return nil
	}
	info, err := os.Stat(t.path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder, not a file", t.path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	dir := filepath.Dir(t.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".report-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written to: %w", dir, errors.Unwrap(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// write puts what make writes in its place. A file is replaced in one move, so
// that nobody ever reads half a report; missing folders are made. Nothing is
// kept in memory: a report of many programs is large.
func (t target) write(write func(io.Writer) error) error {
	if t.path == "" {
		return buffered(t.w, write)
	}
	info, err := os.Stat(t.path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder, not a file", t.path)
	case err == nil && !info.Mode().IsRegular():
		return t.writeThrough(write)
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
		return err
	}
	return replace(t.path, write)
}

// writeThrough writes into a device or pipe, which must not be replaced.
func (t target) writeThrough(write func(io.Writer) error) error {
	f, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}

// buffered has write write in large pieces.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// file reports a run's results in a file, by a pure function of them.
type file struct {
	target target
	write  func(io.Writer, *results.Run) error
}

// Event does nothing: the results have everything.
func (f *file) Event(results.Event) {}

// Finish writes the file.
func (f *file) Finish(run *results.Run) error {
	return f.target.write(func(w io.Writer) error { return f.write(w, run) })
}
