package step

import (
	"context"
	"encoding/json"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
)

// ListedApp is an application as app list tells of it.
type ListedApp struct {
	// Name is the one to name it by.
	Name string `json:"name"`
	PID  int    `json:"pid,omitempty"`
	// Windows are its windows on the screen, front first.
	Windows []ListedWindow `json:"windows"`
}

// ListedWindow is a window of a ListedApp.
type ListedWindow struct {
	Title   string       `json:"title"`
	Bounds  desktop.Rect `json:"bounds"`
	Focused bool         `json:"focused,omitempty"`
}

// appList lists the applications as JSON: a list of ListedApp. In a run, where
// nobody would read it, it does nothing.
func appList(ctx context.Context, env *Env, _ program.Step, out *Outcome) error {
	if !env.Watched {
		return nil
	}
	apps, err := env.Desktop.RunningApps(ctx)
	if err != nil {
		return err
	}
	windows, err := env.Desktop.Windows(ctx)
	if err != nil {
		return err
	}
	list := make([]ListedApp, len(apps))
	for i, app := range apps {
		list[i] = ListedApp{Name: app.Display(), PID: app.PID, Windows: []ListedWindow{}}
		for _, w := range windows {
			if w.Override || w.App.PID != app.PID || app.PID == 0 && w.App != app {
				continue
			}
			list[i].Windows = append(list[i].Windows, ListedWindow{w.Title, w.Bounds, w.Focused})
		}
	}
	return out.tell(list)
}

// mousePosition gives the pointer's place as JSON. In a run it does nothing.
func mousePosition(ctx context.Context, env *Env, _ program.Step, out *Outcome) error {
	if !env.Watched {
		return nil
	}
	at, err := env.Desktop.PointerAt(ctx)
	if err != nil {
		return err
	}
	return out.tell(at)
}

// tell makes v, as JSON, what a read gave.
func (o *Outcome) tell(v any) error {
	text, err := json.Marshal(v)
	o.Value = string(text)
	return err
}
