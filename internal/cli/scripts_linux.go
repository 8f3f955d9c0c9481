package cli

import (
	"context"
	"encoding/json"
	"os"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/runner/script"
)

// doErrand is what a session's keeper does for workers: it starts the sandboxes
// of scripts.
func doErrand(ctx context.Context, e *session.Errand) json.RawMessage {
	return script.ServeOrder(ctx, e.Order, e.Files, e.Visible, keeper{e})
}

// keeper starts processes for scripts.
type keeper struct{ errand *session.Errand }

func (k keeper) Group(memory int64, processes int) script.Group {
	return k.errand.Group(memory, processes)
}

func (k keeper) Start(c script.Command, g script.Group) (script.Child, error) {
	group, _ := g.(*session.ErrandGroup)
	p, err := k.errand.Start(c.Path, c.Args, c.Env, c.Files, group)
	if err != nil {
		return nil, err
	}
	return keptChild{p}, nil
}

// keptChild is a process that the keeper has started.
type keptChild struct{ *session.ErrandProcess }

// Ended is how it ended.
func (c keptChild) Ended() script.Ended {
	code, cpu := c.ErrandProcess.Ended()
	return script.Ended{Code: code, CPU: cpu}
}

// scriptRunner runs scripts by way of the session's keeper.
func scriptRunner() (script.Runner, error) {
	door, err := session.OpenDoor(session.DoorFD)
	if err != nil {
		return nil, err
	}
	return script.Sandbox{Starter: script.Remote{Ask: func(order json.RawMessage, files []*os.File) (script.Asked, error) {
		return door.Ask(order, files)
	}}}, nil
}
