//go:build linux

package linux

import "slices"

// nameVariable holds the name under which an application was opened, for those
// who come later: a session can outlive the process that opened it.
const nameVariable = "OPENDESK_APP_NAME"

// earlier gives the name under which the process's application was opened on
// this display by another process than this one, nil for none.
func (o *openedApps) earlier(p process) []string {
	mark := o.mark(p)
	if mark == "" || slices.ContainsFunc(o.apps, func(a *openedApp) bool { return a.mark == mark }) {
		return nil
	}
	// What an application starts inherits the mark: a program in a terminal is
	// not the terminal. It leads a session of its own there.
	leader, err := readProcess(p.session)
	if err != nil || o.mark(leader) != mark {
		return nil
	}
	if parent, err := readProcess(leader.parent); err == nil && o.mark(parent) == mark {
		return nil
	}
	name, known := o.names[mark]
	if !known {
		name = environment(p.pid).get(nameVariable)
		o.names[mark] = name
	}
	if name == "" {
		return nil
	}
	return []string{name}
}
