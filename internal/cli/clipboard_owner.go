package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/spf13/cobra"
)

// clipboardOwner is the hidden command that owns a session's clipboard.
const clipboardOwner = "clipboard-owner"

// owns is what the owner prints once its text can be pasted.
const owns = "owns"

// ownerStart bounds how long the owner may take to begin with its work.
const ownerStart = 15 * time.Second

// newClipboardOwner makes what is on standard input the content of a display's
// clipboard, until somebody else copies or the display goes: whoever owns the
// clipboard has to be there when it is pasted.
func newClipboardOwner(st *State) *cobra.Command {
	var display string
	cmd := &cobra.Command{
		Use:    clipboardOwner,
		Short:  "Own a session's clipboard (started by a worker)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			x, err := ownClipboard(ctx, st, display)
			if err != nil {
				fmt.Fprintln(st.Stdout, err)
				return &exit{exitInternal, err}
			}
			fmt.Fprintln(st.Stdout, owns)
			return x.HoldClipboard(ctx)
		},
	}
	cmd.Flags().StringVar(&display, "display", "", "the display")
	return cmd
}

// ownClipboard takes over the clipboard for the text on standard input.
func ownClipboard(ctx context.Context, st *State, display string) (*x11.Display, error) {
	text, err := io.ReadAll(st.Stdin)
	if err != nil {
		return nil, err
	}
	x, err := x11.Open(ctx, display)
	if err != nil {
		return nil, err
	}
	if err := x.WriteClipboard(ctx, string(text)); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// keepClipboard starts a process that owns the display's clipboard from now on,
// and returns once the text can be pasted. It belongs to the session, as all do
// that are started in it, and ends with that.
func keepClipboard(ctx context.Context, display, text string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, ownerStart)
	defer cancel()
	cmd := exec.Command(executable, clipboardOwner, "--display", display)
	cmd.Stdin = strings.NewReader(text)
	ownGroup(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start what owns the clipboard: %w", err)
	}
	told := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		told <- strings.TrimSpace(line)
		_ = cmd.Wait() // no zombie where it ends before us
	}()
	select {
	case line := <-told:
		switch line {
		case owns:
			return nil
		case "":
			line = "ended without a word"
		}
		return fmt.Errorf("what owns the clipboard: %s", line)
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		return fmt.Errorf("start what owns the clipboard: %w", context.Cause(ctx))
	}
}
