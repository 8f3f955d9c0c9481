package cli

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/capture"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/spf13/cobra"
)

// newSessionHost is the hidden command that owns one display session. Its
// control socket is file descriptor 3.
func newSessionHost(*State) *cobra.Command {
	return &cobra.Command{
		Use:    "session-host",
		Short:  "Own one display session (started by opendesk itself)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			code := session.HostMain(cmd.Context(), session.HostOptions{
				ControlFD: 3, Capture: captureScreen, Probe: probeSession, Remember: rememberDisplay, PutBack: putBackDisplay,
				Errand: doErrand,
			})
			if code != 0 {
				return &exit{code: code}
			}
			return nil
		},
	}
}

// captureScreen takes a picture of the whole display into a PNG file.
func captureScreen(ctx context.Context, display, path string) error {
	screen, err := capture.Open(ctx, display)
	if err != nil {
		return err
	}
	defer screen.Close() //nolint:errcheck // a connection that only read
	img, err := screen.Capture(ctx, desktop.Rect{})
	if err != nil {
		return err
	}
	return capture.WritePNG(path, img)
}

// probeSession asks every part of the session whether it answers.
func probeSession(ctx context.Context, info session.Info) desktop.Health {
	return linux.Probe(ctx, linux.Options{
		Display: info.Display, SessionBus: info.SessionBus, A11yBus: info.A11yBus, SessionID: info.ID,
	})
}
