package fake

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// OpenApp implements desktop.Apps: it opens what was installed, and comes to
// the front where it runs already.
func (d *Desktop) OpenApp(ctx context.Context, l desktop.Launch) (*desktop.Opened, error) {
	var opened *desktop.Opened
	err := d.call(ctx, "OpenApp", func() error {
		if a := d.find(l.Name); a != nil {
			if len(a.Windows) > 0 {
				d.Focus(a.Windows[0])
			}
			opened = d.opened(a, nil)
			d.did("open %s", l.Name)
			return nil
		}
		for _, a := range d.installed {
			if !a.Info.Matches(l.Name) {
				continue
			}
			d.Add(a)
			d.last = a.Info.Display()
			delete(d.exited, d.last)
			delete(d.closedApps, d.last)
			d.did("open %s", l.Name)
			if len(a.Windows) == 0 {
				return &desktop.NoWindowError{Name: l.Name, After: l.Timeout}
			}
			command := l.Command
			if command == nil {
				command = []string{l.Name}
			}
			opened = d.opened(a, command)
			return nil
		}
		return &desktop.AppNotFoundError{Name: l.Name, Tried: []string{"the fake desktop"}}
	})
	return opened, err
}

func (d *Desktop) opened(a *App, command []string) *desktop.Opened {
	o := &desktop.Opened{App: a.Info, Command: command, HasTree: !a.NoTree}
	if command != nil {
		o.How = "PATH"
	}
	if len(a.Windows) > 0 {
		w := d.window(a.Windows[0])
		o.Window = &w
	}
	return o
}

// CloseApp implements desktop.Apps.
func (d *Desktop) CloseApp(ctx context.Context, name string, _ time.Duration) (*desktop.Closed, error) {
	closed := &desktop.Closed{}
	err := d.call(ctx, "CloseApp", func() error {
		a := d.find(name)
		if a == nil {
			return &desktop.AppNotRunningError{Name: name}
		}
		d.Remove(a, "exit status 0")
		d.closedApps[a.Info.Display()] = true
		if d.last == a.Info.Display() {
			d.last = ""
		}
		d.did("close %s", name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return closed, nil
}

// FocusApp implements desktop.Apps.
func (d *Desktop) FocusApp(ctx context.Context, name string, timeout time.Duration) error {
	return d.call(ctx, "FocusApp", func() error {
		a := d.find(name)
		switch {
		case a == nil:
			return &desktop.AppNotRunningError{Name: name}
		case len(a.Windows) == 0:
			return &desktop.NoWindowError{Name: name, After: timeout}
		}
		d.Focus(a.Windows[0])
		d.did("focus app %s", name)
		return nil
	})
}

// RunningApps implements desktop.Apps.
func (d *Desktop) RunningApps(ctx context.Context) (infos []desktop.AppInfo, err error) {
	err = d.call(ctx, "RunningApps", func() error {
		for _, a := range d.apps {
			infos = append(infos, a.Info)
		}
		return nil
	})
	return infos, err
}

// AppState implements desktop.Apps.
func (d *Desktop) AppState(ctx context.Context, name string) (s desktop.AppState, err error) {
	err = d.call(ctx, "AppState", func() error {
		if name == "" {
			name = d.last
		}
		if a := d.find(name); a != nil {
			s = desktop.AppState{Running: true, Windows: len(a.Windows), HasTree: !a.NoTree && !a.Hung, Hung: a.Hung}
			return nil
		}
		for app, how := range d.exited {
			if (desktop.AppInfo{Name: app}).Matches(name) {
				s.Name, s.Exited, s.Closed = app, how, d.closedApps[app]
			}
		}
		return nil
	})
	return s, err
}

// Windows implements desktop.Windows.
func (d *Desktop) Windows(ctx context.Context) (windows []desktop.Window, err error) {
	err = d.call(ctx, "Windows", func() error {
		for _, w := range d.stack() {
			windows = append(windows, d.window(w))
		}
		return nil
	})
	return windows, err
}

func (d *Desktop) window(w *Window) desktop.Window {
	d.adopt()
	return desktop.Window{ID: w.id, Title: w.Title, App: w.app.Info, Bounds: w.Bounds, Focused: w == d.focus}
}

// FocusedWindow implements desktop.Windows.
func (d *Desktop) FocusedWindow(ctx context.Context) (focused *desktop.Window, err error) {
	err = d.call(ctx, "FocusedWindow", func() error {
		for _, w := range d.stack() {
			if w == d.focus {
				f := d.window(w)
				focused = &f
			}
		}
		return nil
	})
	return focused, err
}

// Raise implements desktop.Windows.
func (d *Desktop) Raise(ctx context.Context, w desktop.Window) error {
	return d.call(ctx, "Raise", func() error {
		for _, have := range d.stack() {
			if have.id == w.ID {
				d.Focus(have)
				d.did("raise '%s'", have.Title)
				return nil
			}
		}
		return &desktop.GoneError{What: fmt.Sprintf("window '%s'", w.Title)}
	})
}

// Size implements desktop.Screen.
func (d *Desktop) Size(ctx context.Context) (r desktop.Rect, err error) {
	err = d.call(ctx, "Size", func() error { r = d.screen; return nil })
	return r, err
}

// Capture implements desktop.Screen.
func (d *Desktop) Capture(ctx context.Context, region desktop.Rect) (img *image.RGBA, err error) {
	err = d.call(ctx, "Capture", func() error {
		area := d.screen.Image()
		if !region.Empty() {
			area = area.Intersect(region.Image())
		}
		img = image.NewRGBA(area)
		draw.Draw(img, area, image.White, image.Point{}, draw.Src)
		if d.Picture != nil {
			draw.Draw(img, area, d.Picture, area.Min, draw.Over)
		}
		return nil
	})
	return img, err
}
