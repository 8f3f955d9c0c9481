package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/project"
)

// recordingPlace is where a recorder runs: in a session, or on somebody's own
// display.
type recordingPlace struct {
	lease interface {
		Fill(job *worker.Job)
		Return(ctx context.Context) error
	}
	start func(ctx context.Context, args []string, events *os.File) (worker.Process, error)
	// died is closed when the session has ended.
	died  <-chan struct{}
	apps  map[string][]string
	close func() error
}

// openPlace goes to where the order says.
func openPlace(ctx context.Context, st *State, o recordOrder) (*recordingPlace, error) {
	p, err := inspectedProject(o.Project, false)
	if err != nil {
		return nil, err
	}
	if o.Session != "" {
		return openSessionPlace(ctx, o, p)
	}
	return openRealPlace(ctx, st, o, p)
}

func openSessionPlace(ctx context.Context, o recordOrder, p *project.Project) (*recordingPlace, error) {
	s, n, err := session.Attach(ctx, o.Session)
	if err != nil {
		return nil, err
	}
	spool, err := os.MkdirTemp(s.Info().Spool, "recording-")
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	apps := p.Config.Apps
	if notes, err := notesOf(*n); err == nil && len(apps) == 0 && notes.Project != "" {
		if own, err := inspectedProject(notes.Project, false); err == nil {
			apps = own.Config.Apps
		}
	}
	return &recordingPlace{
		lease: &lease{session: s, spool: spool}, died: s.Died(), apps: apps, close: func() error { return nil },
		start: func(ctx context.Context, args []string, events *os.File) (worker.Process, error) {
			w, err := s.RunWorker(ctx, session.WorkerSpec{Args: args, Events: events, Aside: true})
			if err != nil {
				return nil, err
			}
			return process{w}, nil
		},
	}, nil
}

func openRealPlace(ctx context.Context, st *State, o recordOrder, p *project.Project) (*recordingPlace, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	options := runOptions{display: o.Display, repeat: 1, order: "file", isolation: string(session.None), workers: 1, timeoutScale: o.TimeoutScale}
	if err := options.takeDisplay(ctx, st); err != nil {
		return nil, err
	}
	spools, err := os.MkdirTemp("", "opendesk-recording-")
	if err != nil {
		return nil, errors.Join(err, options.real.release())
	}
	clear := func() error { return errors.Join(os.RemoveAll(spools), options.real.release()) }
	e := evaluation{st: st, project: p, options: &options}
	leased, failure := e.leaser(executable, spools).Lease(ctx, harness.Item{})
	if failure != nil {
		return nil, errors.Join(errors.New(failure.Reason), clear())
	}
	l := leased.(*realLease)
	return &recordingPlace{
		lease: l, died: l.session.Died(), apps: p.Config.Apps, close: clear,
		start: func(ctx context.Context, args []string, events *os.File) (worker.Process, error) {
			return l.Start(ctx, args, nil, events)
		},
	}, nil
}

// recorder starts the recorder, which talks to the other end of the events.
func (at *recordingPlace) recorder(ctx context.Context, o recordOrder, events *os.File) (worker.Process, error) {
	job := recorderJob{Password: passwordName(o.Task), Own: o.Own}
	job.Desktop.Apps = at.apps
	at.lease.Fill(&job.Desktop)
	job.Desktop.AppEnv = nil // the recorder opens no apps
	data, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(job.Desktop.Spool, "job.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, fmt.Errorf("the recorder's job: %w", err)
	}
	return at.start(ctx, []string{"learn", "recorder", "--job", file}, events)
}

// leave ends what was started for the recording.
func (at *recordingPlace) leave(ctx context.Context) error {
	return errors.Join(at.lease.Return(ctx), at.close())
}
