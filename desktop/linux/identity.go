//go:build linux

package linux

import (
	"context"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
	"github.com/opendesk/opendesk/desktop/x11"
)

// scene is who is on the display at one moment: the registry's application
// objects and the windows, each with its whole identity.
type scene struct {
	apps    []seenApp
	windows []seenWindow // front first, minimised ones too
}

// seenApp is one application object of the registry.
type seenApp struct {
	atspi.App
	info desktop.AppInfo
}

// seenWindow is one top-level window.
type seenWindow struct {
	x11.Window
	info desktop.AppInfo
}

// port is the window as callers of Desktop have it.
func (w seenWindow) port() desktop.Window {
	p := w.Window.Window
	p.App, p.Tooltip = w.info, w.Type == "tooltip"
	return p
}

// look reads registry and windows and puts the identities together.
func (d *Desktop) look(ctx context.Context) (*scene, error) { return d.lookBy(ctx, d.bus.Apps) }

// lookAtWindows is look for those who want to know of windows, for which no
// application that is busy has to be waited for.
func (d *Desktop) lookAtWindows(ctx context.Context) (*scene, error) {
	return d.lookBy(ctx, d.bus.KnownApps)
}

func (d *Desktop) lookBy(ctx context.Context, list func(context.Context) ([]atspi.App, error)) (*scene, error) {
	windows, err := d.x.AllWindows(ctx)
	if err != nil {
		return nil, err
	}
	apps, err := patiently(ctx, func() ([]atspi.App, error) { return list(ctx) })
	if err != nil {
		return nil, err
	}
	return d.describe(apps, windows), nil
}

func (d *Desktop) describe(apps []atspi.App, windows []x11.Window) *scene {
	names := map[int]string{} // of the accessibility tree, by pid
	for _, a := range apps {
		if a.PID != 0 && names[a.PID] == "" {
			names[a.PID] = a.Name
		}
	}
	classes := map[int]desktop.AppInfo{} // Class and Instance by pid
	for _, w := range windows {
		if _, known := classes[w.App.PID]; !known && w.App.Class != "" && !w.Override {
			classes[w.App.PID] = w.App
		}
	}
	s := &scene{}
	for _, a := range apps {
		info := desktop.AppInfo{Name: a.Name, PID: a.PID, Toolkit: toolkitOf(a)}
		if c, ok := classes[a.PID]; ok && a.PID != 0 {
			info.Class, info.Instance = c.Class, c.Instance
		}
		d.identify(&info)
		s.apps = append(s.apps, seenApp{App: a, info: info})
	}
	for _, w := range windows {
		info := w.App
		if info.PID != 0 {
			info.Name = names[info.PID]
			if info.Class == "" { // menus often have none
				info.Class, info.Instance = classes[info.PID].Class, classes[info.PID].Instance
			}
		}
		d.identify(&info)
		s.windows = append(s.windows, seenWindow{Window: w, info: info})
	}
	return s
}

// identify fills what the process and the .desktop files tell.
func (d *Desktop) identify(info *desktop.AppInfo) {
	var program string
	if info.PID != 0 {
		info.Process, program = d.programs.names(info.PID)
		info.OpenedAs = d.opened.nameOf(info.PID)
	}
	if e := d.entryOf(*info, program); e != nil {
		info.DesktopID, info.DesktopName = e.id, e.name
	}
}

// matches reports whether name names the application, where one process may
// have been opened under several names. The name that it was opened by is put
// into info.
func (d *Desktop) matches(info *desktop.AppInfo, name string) bool {
	if info.Matches(name) {
		return true
	}
	for _, alias := range d.opened.namesOf(info.PID) {
		if (desktop.AppInfo{OpenedAs: alias}).Matches(name) {
			info.OpenedAs = alias
			return true
		}
	}
	return false
}

// of are the application objects and windows of the named application. One
// process can show several applications (LibreOffice's do): where some of its
// windows are the named one by their own identity, those of the others are
// left out, and its application object is the named one's too.
func (d *Desktop) of(s *scene, name string) (apps []seenApp, windows []seenWindow) {
	entries := map[int]map[string]bool{} // ids of .desktop files by process
	for _, w := range s.windows {
		own := w.info
		own.OpenedAs = ""
		if w.info.PID != 0 && own.DesktopID != "" && own.Matches(name) {
			if entries[own.PID] == nil {
				entries[own.PID] = map[string]bool{}
			}
			entries[own.PID][own.DesktopID] = true
		}
	}
	pids := map[int]bool{}
	for _, w := range s.windows {
		ids := entries[w.info.PID]
		anothers := ids != nil && w.info.DesktopID != "" && !ids[w.info.DesktopID]
		if !anothers && d.matches(&w.info, name) {
			windows = append(windows, w)
			pids[w.info.PID] = w.info.PID != 0 && !w.Override
		}
	}
	for _, a := range s.apps {
		if d.matches(&a.info, name) || pids[a.PID] {
			apps = append(apps, a)
		}
	}
	return apps, windows
}

// visible are the windows that are on the screen and managed, front first.
func visible(windows []seenWindow) []seenWindow {
	var out []seenWindow
	for _, w := range windows {
		if !w.Minimised && !w.Override {
			out = append(out, w)
		}
	}
	return out
}

// entryOf is the .desktop file of a running application, remembered by what
// decides it.
func (d *Desktop) entryOf(info desktop.AppInfo, program string) *entry {
	key := entryKey{info.Class, info.Instance, info.Name, program}
	e, known := d.entries[key]
	if !known {
		if d.catalog == nil {
			d.catalog = readCatalog(d.env)
		}
		e = d.catalog.of(info, program)
		d.entries[key] = e
	}
	return e
}

type entryKey struct{ class, instance, name, program string }

// programs remembers what processes run, since that is asked for every window
// at every look. A process that calls exec keeps its pid and changes its name:
// the name as the kernel has it is read each time.
type programs map[int]programFacts

type programFacts struct {
	process       process
	name, program string
}

func (p programs) names(pid int) (name, program string) {
	now, err := readProcess(pid)
	if err != nil {
		delete(p, pid)
		return "", ""
	}
	known, ok := p[pid]
	if !ok || known.process.started != now.started || known.process.name != now.name {
		known = programFacts{process: now}
		known.name, known.program = programNames(pid)
		if known.program != "" { // else it may be being started
			p[pid] = known
		}
	}
	return known.name, known.program
}
