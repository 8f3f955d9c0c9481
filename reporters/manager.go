package reporters

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/opendesk/opendesk/results"
)

// Manager feeds several reporters. One that fails, even by a panic, keeps no
// other from its work.
type Manager struct {
	entries []*entry
}

// entry is a reporter with its spec, for errors.
type entry struct {
	spec     string
	reporter Reporter
	file     bool  // it writes files of its own and nothing else
	err      error // what made it unusable
	finished bool
	unmade   error // why it could not be finished
}

// finish finishes the reporter, and keeps why it could not.
func (e *entry) finish(run *results.Run) {
	e.finished = true
	e.unmade = guard(func() error { return e.reporter.Finish(run) })
}

// NewManager makes the reporters of these specs. Two of them may not write to
// the same place.
//
// The error holds a *PlaceError where a place cannot be written to.
func NewManager(specs []string, env Env) (*Manager, error) {
	type parsed struct {
		spec   string
		format format
		target target
	}
	var files, consoles, beside []parsed
	places := map[string]string{}
	var targets []target
	var errs []error
	for _, spec := range specs {
		f, t, err := parse(spec, env)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, taken := places[t.path]; taken && !(f.beside && t.path == "") {
			errs = append(errs, fmt.Errorf("reporters %q and %q write to the same place", other, spec))
			continue
		}
		if t.path != "" || !f.beside {
			places[t.path] = spec
		}
		targets = append(targets, t)
		one := parsed{spec, f, t}
		switch {
		case f.beside:
			beside = append(beside, one)
		case f.name == "console":
			consoles = append(consoles, one)
		default:
			files = append(files, one)
		}
	}
	if errs == nil { // only a run that can begin makes folders
		for _, t := range targets {
			if filepath.Dir(t.path) == filepath.Clean(env.RunDir) {
				continue // the run's own folder is its maker's to check
			}
			if err := t.check(); err != nil {
				errs = append(errs, &PlaceError{places[t.path], err})
			}
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	m := &Manager{}
	// The console says where the files are, so it comes after them; what stands
	// beside it needs lines of its own, which the console has ended then.
	for _, p := range slices.Concat(files, consoles, beside) {
		m.Add(p.spec, p.format.make(p.target, env))
		m.entries[len(m.entries)-1].file = p.format.file != "" && p.target.path != ""
	}
	return m, nil
}

// Add adds a reporter under a name that its errors begin with.
func (m *Manager) Add(name string, r Reporter) {
	m.entries = append(m.entries, &entry{spec: name, reporter: r})
}

// Event tells every reporter.
func (m *Manager) Event(ev results.Event) {
	for _, e := range m.entries {
		if e.err == nil {
			e.err = guard(func() error { e.reporter.Event(ev); return nil })
		}
	}
}

// FinishFiles finishes the reporters that write files and nothing else, at the
// same time, which Finish need not do any more. Called again, for a run of which
// more is known by then, it writes the files anew. Finish gives the errors.
func (m *Manager) FinishFiles(run *results.Run) {
	var files sync.WaitGroup
	for _, e := range m.entries {
		if e.file {
			files.Go(func() { e.finish(run) })
		}
	}
	files.Wait()
}

// Finish finishes every reporter that is not finished and joins the errors of
// all. Files come before anything else is told.
func (m *Manager) Finish(run *results.Run) error {
	if slices.ContainsFunc(m.entries, func(e *entry) bool { return e.file && !e.finished }) {
		m.FinishFiles(run)
	}
	var errs []error
	for _, e := range m.entries {
		if !e.finished {
			e.finish(run)
		}
		if err := errors.Join(e.err, e.unmade); err != nil {
			errs = append(errs, fmt.Errorf("reporter %s: %w", e.spec, err))
		}
	}
	return errors.Join(errs...)
}

// guard turns a panic into an error.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal fault: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}
