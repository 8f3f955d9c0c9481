package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/results"
)

// leaser starts a session for each lease.
type leaser struct {
	// options are those of the session that a program needs.
	options func(harness.Item) session.Options
	// spools is the folder below which each session gets its spool folder.
	spools string
}

// Kind is what a session depends on; see harness.Leaser.
func (l *leaser) Kind(item harness.Item) string {
	o := l.options(item)
	return fmt.Sprint(o.Geometry, o.Environment, o.HomeFiles)
}

// Lease starts a session; see harness.Leaser.
func (l *leaser) Lease(ctx context.Context, item harness.Item) (harness.Session, *results.Failure) {
	spool, err := os.MkdirTemp(l.spools, "s")
	if err != nil {
		return nil, &results.Failure{Kind: results.SessionNotStarted, Reason: fmt.Sprintf("no spool folder: %v", err)}
	}
	options := l.options(item)
	options.Spool = spool
	s, err := session.Start(ctx, options)
	if err == nil {
		return &lease{session: s, spool: spool}, nil
	}
	f := &results.Failure{Kind: results.SessionNotStarted, Reason: fmt.Sprintf("the session did not start: %v", err)}
	var start *session.StartError
	if errors.As(err, &start) && start.Output != "" {
		f.Details = append(f.Details, fmt.Sprintf("last output of %s: %s", start.Part, strings.TrimSpace(start.Output)))
	}
	if err := os.RemoveAll(spool); err != nil {
		f.Details = append(f.Details, err.Error())
	}
	return nil, f
}

// lease is one session, as harness and launcher use it.
type lease struct {
	session *session.Session
	spool   string
}

var _ worker.Host = (*lease)(nil)

// Describe is the session as results show it.
func (l *lease) Describe() results.Session {
	info := l.session.Info()
	return results.Session{
		Display: info.Display, Geometry: info.Geometry, Isolation: string(info.Isolation),
		IsolationReason: info.IsolationReason, Limits: limitsOf(info.Limits),
		UID: info.UID, StartMS: info.StartTook.Milliseconds(),
	}
}

// limitsOf is the session's limits as results show them.
func limitsOf(limits []session.Limit) []results.Limit {
	var shown []results.Limit
	for _, l := range limits {
		shown = append(shown, results.Limit{Name: l.Name, Max: l.Max, By: l.By, Unavailable: l.Unavailable})
	}
	return shown
}

// Reached says which limits the session has run into so far.
func (l *lease) Reached() []worker.ReachedLimit {
	var reached []worker.ReachedLimit
	for _, r := range l.session.Reached() {
		reached = append(reached, worker.ReachedLimit{Name: r.Name, Times: r.Times, Brief: r.Brief(), Text: r.String()})
	}
	return reached
}

// Check asks the host what of the session does not answer any more.
func (l *lease) Check(ctx context.Context) error {
	if how := l.Ended(); how != "" {
		return fmt.Errorf("the session host ended: %s", how)
	}
	health, err := l.session.Probe(ctx)
	if err != nil {
		return err
	}
	if part := health.FirstFault(); part != nil {
		return fmt.Errorf("%s does not answer: %s", part.Part, part.Detail)
	}
	return nil
}

// Return ends the session and removes its spool folder.
func (l *lease) Return(ctx context.Context) error {
	return errors.Join(l.session.Close(ctx), os.RemoveAll(l.spool))
}

// Fill completes a job with what the session knows.
func (l *lease) Fill(job *worker.Job) {
	info := l.session.Info()
	job.Display, job.SessionID = info.Display, info.ID
	job.SessionBus, job.A11yBus = info.SessionBus, info.A11yBus
	job.AppEnv, job.Spool, job.LogDir = info.Env, l.spool, filepath.Join(info.Dir, "logs")
	job.Virtual, job.Sandboxed = true, info.Isolation == session.Bwrap
}

// Start starts a worker in the session.
func (l *lease) Start(ctx context.Context, args, env []string, events *os.File) (worker.Process, error) {
	w, err := l.session.RunWorker(ctx, session.WorkerSpec{Args: args, Env: env, Events: events})
	if err != nil {
		return nil, err
	}
	return process{w}, nil
}

// Probe asks the host what of the environment still answers.
func (l *lease) Probe(ctx context.Context) (desktop.Health, error) { return l.session.Probe(ctx) }

// Screenshot has the host take a picture.
func (l *lease) Screenshot(ctx context.Context, path string) error {
	return l.session.Screenshot(ctx, path)
}

// Ended says how the host ended, "" while it lives.
func (l *lease) Ended() string {
	select {
	case <-l.session.Died():
		return l.session.HostExit()
	default:
		return ""
	}
}

// process is a worker process.
type process struct{ worker *session.Worker }

// Wait says how the worker ended.
func (p process) Wait(ctx context.Context) (how, output string, err error) {
	exit, err := p.worker.Wait(ctx)
	if err != nil {
		return "", "", err
	}
	output = strings.TrimSpace(exit.Output)
	switch {
	case exit.Signal != "":
		return "signal: " + exit.Signal, output, nil
	case exit.Code != 0:
		return fmt.Sprintf("exit status %d", exit.Code), output, nil
	}
	return "", output, nil
}

// Kill ends the worker at once.
func (p process) Kill() { p.worker.Kill() }
