package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/spf13/cobra"
)

func newSessionScreenshot(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "screenshot [NAME] FILE",
		Short: "Take a picture of what is on a session's screen",
		Long: `Takes a picture of the whole screen of a session, by default of the only one,
into FILE (- for standard output), as PNG. It waits for nobody, and is not written
into the audit log.
` + sessionExitCodes,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, file := "", args[len(args)-1]
			if len(args) > 1 {
				name = args[0]
			}
			return sessionEnds(st, false, screenOf(cmd.Context(), st, name, file))
		},
	}
}

func screenOf(ctx context.Context, st *State, name, file string) (err error) {
	if err := writablePicture(file); err != nil {
		return err
	}
	if name, err = theSession(ctx, st, name); err != nil {
		return err
	}
	s, _, err := session.Attach(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	spool, err := os.MkdirTemp(s.Info().Spool, "screen-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(spool)) }()
	img, err := picture(ctx, spool, s.Screenshot)
	if err != nil {
		return err
	}
	if err := st.writePicture(file, img); err != nil || file == "-" {
		return err
	}
	fmt.Fprintf(st.Stdout, "screenshot: %s\n", file)
	return nil
}

// picture has a picture of the screen taken in the spool folder.
func picture(ctx context.Context, spool string, take func(context.Context, string) error) (image.Image, error) {
	path := filepath.Join(spool, "screen.png")
	if err := take(ctx, path); err != nil {
		return nil, err
	}
	return readPicture(path)
}

func newSessionAttach(st *State) *cobra.Command {
	var vnc bool
	cmd := &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Say how to look at a session, or show it over VNC",
		Long: `Says how to look at a session, by default at the only one. With --vnc it shows it
over VNC until it is interrupted or the session ends: on this machine only
(127.0.0.1), with a password that is made for it and printed. That needs x11vnc.
` + sessionExitCodes,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return sessionEnds(st, false, attach(cmd.Context(), st, name, vnc))
		},
	}
	cmd.Flags().BoolVar(&vnc, "vnc", false, "show it over VNC until interrupted (needs x11vnc)")
	return cmd
}

func attach(ctx context.Context, st *State, name string, vnc bool) (err error) {
	if name, err = theSession(ctx, st, name); err != nil {
		return err
	}
	s, n, err := session.Attach(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	if vnc {
		return showVNC(ctx, st, s, n)
	}
	fmt.Fprintf(st.Stdout, "session %s: display %s, %s, isolation %s\n", name, n.Info.Display, n.Info.Geometry, n.Info.Isolation)
	fmt.Fprintf(st.Stdout, "  opendesk session screenshot %s FILE\n  opendesk do see --session %s\n  opendesk session attach %s --vnc\n", name, name, name)
	return nil
}
