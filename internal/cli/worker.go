package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/ocr/tess"
	"github.com/opendesk/opendesk/runner/check"
	"github.com/spf13/cobra"
)

// eventsFD is the worker's end of the pipe for events.
const eventsFD = 3

// newWorker is the hidden command that runs one attempt in a session.
func newWorker(*State) *cobra.Command {
	var jobFile string
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Run one attempt at one program (started by a session host)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			job, err := worker.ReadJob(jobFile)
			if err != nil {
				return &exit{exitInternal, err}
			}
			if job.Secrets, err = worker.TakeSecrets(); err != nil {
				return &exit{exitInternal, err}
			}
			// The apps must not inherit the pipe: it would not end with the worker.
			if err := closeOnExec(eventsFD); err != nil {
				return &exit{exitInternal, fmt.Errorf("file descriptor %d: %w (a worker is started by a session host)", eventsFD, err)}
			}
			scripts, err := scriptRunner()
			if err != nil {
				return &exit{exitInternal, err}
			}
			events := os.NewFile(eventsFD, "events")
			err = worker.Main(cmd.Context(), job, events, worker.Parts{OpenDesktop: openDesktop, OpenReader: openReader, Scripts: scripts})
			if err != nil {
				return &exit{exitInternal, err}
			}
			return events.Close()
		},
	}
	cmd.Flags().StringVar(&jobFile, "job", "", "the job's file")
	return cmd
}

func openDesktop(ctx context.Context, job *worker.Job) (desktop.Desktop, error) {
	if err := os.MkdirAll(job.LogDir, 0o700); err != nil {
		return nil, err
	}
	env := job.AppEnv
	if env == nil {
		env = os.Environ()
	}
	o := linux.Options{
		Display: job.Display, SessionBus: job.SessionBus, A11yBus: job.A11yBus,
		SessionID: job.SessionID, Env: env, LogDir: job.LogDir, Sandboxed: job.Sandboxed, KeepStatus: !job.Virtual,
	}
	if job.Lasting {
		o.KeepClipboard = func(ctx context.Context, text string) error { return keepClipboard(ctx, job.Display, text) }
	}
	return linux.Open(ctx, o)
}

func openReader(languages []string) (check.TextReader, error) {
	engine, err := openEngine(languages)
	if err != nil {
		return nil, err
	}
	return &ocr.Reader{Engine: engine}, nil
}

// openEngine opens OCR for the languages.
func openEngine(languages []string) (ocr.Engine, error) { return tess.Open(languages) }
