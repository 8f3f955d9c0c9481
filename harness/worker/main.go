package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/guard"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
	"github.com/opendesk/opendesk/runner/check"
	"github.com/opendesk/opendesk/runner/script"
	"github.com/opendesk/opendesk/runner/secrets"
)

// Parts are the concrete things that a worker is made of.
type Parts struct {
	// OpenDesktop connects to the job's display.
	OpenDesktop func(context.Context, *Job) (desktop.Desktop, error)
	// OpenReader opens OCR for the languages. It is called when a check
	// needs it, not before.
	OpenReader func(languages []string) (check.TextReader, error)
	// Scripts runs saved code, confined. Nil runs none.
	Scripts script.Runner
}

// Main is the worker: it runs the job and writes its events to the pipe. The
// error means that there is no verdict; what there is to say of it is in it.
func Main(ctx context.Context, job *Job, events io.Writer, parts Parts) error {
	p, problems := program.Parse(job.Path, job.Source)
	if p == nil {
		return fmt.Errorf("the job's program does not load: %v", problems)
	}
	out := results.NewEventWriter(events)
	var failed error
	emit := func(e results.Event) {
		if err := out.Write(&e); err != nil && failed == nil {
			failed = fmt.Errorf("write an event: %w", err)
		}
	}
	computer, err := parts.OpenDesktop(ctx, job)
	var fault *desktop.EnvironmentError
	switch {
	case errors.As(err, &fault):
		emit(setupEnded(results.Attempt{Status: results.Broken},
			&results.Failure{Kind: results.EnvironmentFault, Reason: err.Error()}))
		return failed
	case err != nil:
		return err
	}
	computer = guard.Wrap(computer, job.Guard)
	hidden := secrets.New(job.Secrets)
	files := spool{dir: job.Spool, secrets: hidden}
	tell := emit
	if job.Tree != nil {
		tell = func(e results.Event) {
			if e.Type == results.EventAttemptFinished {
				emit(tree(ctx, computer, *job.Tree, files)) // what follows the verdict is not read
			}
			emit(e)
		}
	}
	request := runner.Request{
		Program: p, Desktop: computer, Virtual: job.Virtual, Scale: job.TimeoutScale, Procedure: job.Procedure, Project: job.Project,
		Reader:  &lazyReader{languages: job.OCRLanguages, open: parts.OpenReader},
		Command: func(name string) []string { return command(job.Apps, name) },
		Only:    job.Only, StartAt: job.StartAt, Watched: job.Watched,
		Secrets: hidden,
		Trace:   job.Trace,
		Stop:    func() bool { return toStop(job.Spool) },
		Audit: func(entry results.AuditEntry) {
			entry.SessionID = job.SessionID
			emit(results.Event{Type: results.EventAction, Time: time.Now().UTC(), Action: &entry})
		},
		Emit: tell,
		Save: files.save,
	}
	job.scripts(&request, parts)
	if setUp(ctx, job.Setup, request) {
		runner.Run(ctx, request)
	}
	if err := computer.Close(); err != nil && failed == nil {
		// The verdict is told; a desktop that cannot be closed is the host's to end.
		emit(results.Event{Type: results.EventWarning, Warning: &results.Warning{
			Kind: results.WarnNote, Message: fmt.Sprintf("the desktop could not be closed cleanly: %v", err),
		}})
	}
	return failed
}

// command looks an app up in the project's map, without case.
func command(apps map[string][]string, name string) []string {
	if argv, ok := apps[name]; ok {
		return argv
	}
	for key, argv := range apps {
		if strings.EqualFold(key, name) {
			return argv
		}
	}
	return nil
}

// lazyReader opens OCR when it is first asked: most programs never need it.
type lazyReader struct {
	languages []string
	open      func([]string) (check.TextReader, error)

	once   sync.Once
	reader check.TextReader
	err    error
}
