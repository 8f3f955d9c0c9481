package step

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/program"
)

// clipboardTimeout bounds an owner that hands its text over, but slowly. One
// that is silent is given up sooner, by the desktop.
const clipboardTimeout = 10 * time.Second

func clipboardWrite(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "clipboard"
	return env.Desktop.WriteClipboard(ctx, s.Text("text"))
}

func clipboardRead(ctx context.Context, env *Env, _ program.Step, out *Outcome) error {
	timeout := env.scaled(clipboardTimeout)
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	value, err := env.Desktop.ReadClipboard(bounded)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return refused("the clipboard's owner did not hand it over within %d ms", timeout.Milliseconds())
	}
	out.Value = value
	return err
}
