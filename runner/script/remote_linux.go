package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Remote has somebody else start the sandboxes, who calls ServeOrder.
type Remote struct {
	// Ask hands over an order and its files, which stay the caller's.
	Ask func(order json.RawMessage, files []*os.File) (Asked, error)
}

// Asked is an order that was handed over.
type Asked interface {
	// Wait waits for the answer of ServeOrder.
	Wait(ctx context.Context) (json.RawMessage, error)
	// Kill ends the context of ServeOrder.
	Kill()
}

// answer is what ServeOrder gives.
type answer struct {
	Exit        Exit              `json:"exit"`
	Unavailable *UnavailableError `json:"unavailable,omitempty"`
	Error       string            `json:"error,omitempty"`
}

// Start starts the sandbox; see Starter.
func (r Remote) Start(_ context.Context, o Order, files []*os.File) (Process, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	asked, err := r.Ask(data, files)
	if err != nil {
		return nil, err
	}
	return remoteProcess{asked}, nil
}

// remoteProcess is a sandbox that somebody else has started.
type remoteProcess struct{ Asked }

func (p remoteProcess) Wait(ctx context.Context) (Exit, error) {
	data, err := p.Asked.Wait(ctx)
	if err != nil {
		return Exit{}, err
	}
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return Exit{}, fmt.Errorf("the answer to a script's order: %w", err)
	}
	switch {
	case a.Unavailable != nil:
		return Exit{}, a.Unavailable
	case a.Error != "":
		return Exit{}, errors.New(a.Error)
	}
	return a.Exit, nil
}

// ServeOrder is Serve for an order of a Remote. Only what is visible may be
// shown to the script.
func ServeOrder(ctx context.Context, order json.RawMessage, files []*os.File, visible func(path string) bool, s Spawner) json.RawMessage {
	var o Order
	var a answer
	err := json.Unmarshal(order, &o)
	for _, path := range []string{o.Code, o.Archive} {
		if err == nil && path != "" && !visible(path) {
			err = fmt.Errorf("%s cannot be shown to a script: the session cannot see it", path)
		}
	}
	if err == nil {
		a.Exit, err = Serve(ctx, o, files, s)
	}
	if err != nil && !errors.As(err, &a.Unavailable) {
		a.Error = err.Error()
	}
	data, err := json.Marshal(a)
	if err != nil {
		return json.RawMessage(`{"error":"the end of a script could not be told"}`)
	}
	return data
}
