package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// putBackVariable holds what a process is to put back: the path of a file.
const putBackVariable = "OPENDESK_SESSION_PUT_BACK"

// putBackTime bounds putting back, in the process that does it; putBackWait is
// how long that is waited for.
const (
	putBackTime = 8 * time.Second
	putBackWait = putBackTime + time.Second
)

// putBack has a process put back what was changed of somebody's display, where
// the session's folder says that there is something. That process may outlive
// the session: it serves what was in the clipboard until something else is
// copied. The error says what could not be put back.
func putBack(dir string) error {
	// The file is taken, so that only one process puts it back.
	taken := adoptedOf(dir) + ".taken"
	if err := os.Rename(adoptedOf(dir), taken); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	data, err := os.ReadFile(taken)
	if err != nil {
		return err
	}
	var a adopted
	if err := json.Unmarshal(data, &a); err != nil {
		return fmt.Errorf("what was to be put back cannot be read: %w", err)
	}
	if len(a.Command) == 0 {
		return errors.New("nothing is known that puts the display back")
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	err = startPutBack(a, taken, writer)
	_ = writer.Close()
	if err != nil {
		return fmt.Errorf("start what puts the display back: %w", err)
	}
	_ = reader.SetReadDeadline(time.Now().Add(putBackWait))
	var problem string
	if err := json.NewDecoder(reader).Decode(&problem); err != nil {
		return fmt.Errorf("the display may not be as it was: what puts it back ended without a word: %w", err)
	}
	if problem != "" {
		return fmt.Errorf("the display is not as it was: %s", problem)
	}
	return nil
}

// startPutBack starts the process, away from everything that ends with us. It is
// not waited for.
func startPutBack(a adopted, file string, report *os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	env := mergeEnvironment(a.Environment, []string{putBackVariable + "=" + file})
	pid, err := syscall.ForkExec(a.Command[0], a.Command, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: []uintptr{null.Fd(), null.Fd(), null.Fd(), report.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	if process, err := os.FindProcess(pid); err == nil {
		go func() { _, _ = process.Wait() }() // no zombie where we outlive it
	}
	return nil
}

// putBackMain is the main function of the process that puts a display back.
func putBackMain(file string, o HostOptions) int {
	leakNothing()
	report := os.NewFile(readyFD, "report")
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT)
	defer stop()
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGPIPE)
	hold, err := putBackAll(ctx, file, o)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	_ = json.NewEncoder(report).Encode(problem) // who wanted to know it may have gone
	_ = report.Close()
	if hold != nil {
		hold(ctx)
	}
	if err != nil {
		return 1
	}
	return 0
}

func putBackAll(ctx context.Context, file string, o HostOptions) (hold func(context.Context), err error) {
	ctx, cancel := context.WithTimeout(ctx, putBackTime)
	defer cancel()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var a adopted
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	if err := os.Remove(file); err != nil {
		return nil, err
	}
	var failed error
	if o.PutBack != nil && a.State != nil {
		hold, failed = o.PutBack(ctx, a.Display, a.State)
	}
	return hold, errors.Join(failed, putBackA11y(ctx, a))
}
