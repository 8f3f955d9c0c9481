package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
	"github.com/spf13/cobra"
)

// realLog is the audit log of what is done on a real display, relative to the
// project.
var realLog = filepath.Join(".opendesk", "do.audit.ndjson")

const doExitCodes = `
Exit codes: 0 done, 1 the step failed, 2 wrong usage or no such session, 3 the
environment broke, 130 interrupted.
`

// doOptions are the flags of every do command.
type doOptions struct {
	run     runOptions // project, display, timeout scale
	session string
	json    bool
}

func (o *doOptions) add(cmd *cobra.Command) {
	o.run.repeat, o.run.order, o.run.isolation = 1, "file", "auto"
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "the session to act in (default the only one there is)")
	f.StringVar(&o.run.display, "display", virtual, "virtual (a session), real (the desktop that this command was started on), or :N")
	f.StringVar(&o.run.project, "project", ".", "the project's folder, for the apps of its eval.yaml; without one, the session's")
	f.Float64Var(&o.run.timeoutScale, "timeout-scale", 1, "multiplies every timeout, for slow machines")
	cmd.MarkFlagsMutuallyExclusive("session", "display")
}

// place is where steps are done: a session, or somebody's own display.
type place struct {
	st      *State
	project *project.Project
	options *doOptions
	lessor  harness.Leaser
	log     string // the audit log
	temp    string // where temporary files go: what a killed command leaves goes with its session
	close   func() error
}

// open finds the place.
func (o *doOptions) open(ctx context.Context, st *State, given func(string) bool) (*place, error) {
	if lacks := buildLacks(); lacks != "" {
		return nil, &exit{exitInternal, fmt.Errorf("this build cannot act on a desktop: %s", lacks)}
	}
	at := &place{st: st, options: o, close: func() error { return nil }}
	if !o.run.isReal() {
		name, err := theSession(ctx, st, o.session)
		if err != nil {
			return nil, err
		}
		g, err := newGuest(ctx, st, name)
		if err != nil {
			return nil, sessionEnds(st, false, err)
		}
		at.lessor, at.log, at.temp = g, filepath.Join(g.folder, session.AuditLog), g.folder
		if !given("project") && g.notes.Project != "" {
			o.run.project = g.notes.Project
		}
	}
	p, err := inspectedProject(o.run.project, given("project"))
	if err != nil {
		return nil, err
	}
	at.project = p
	if err := o.run.settle(p, given); err != nil || !o.run.isReal() {
		return at, err
	}
	return at, at.takeReal(ctx)
}

// takeReal makes a real display the place.
func (at *place) takeReal(ctx context.Context) error {
	executable, err := os.Executable()
	if err != nil {
		return &exit{exitInternal, err}
	}
	if err := at.options.run.takeDisplay(ctx, at.st); err != nil {
		return err
	}
	spools, err := os.MkdirTemp("", "opendesk-do-")
	if err != nil {
		return &exit{exitInternal, errors.Join(err, at.options.run.real.release())}
	}
	at.close = func() error { return errors.Join(os.RemoveAll(spools), at.options.run.real.release()) }
	e := evaluation{st: at.st, project: at.project, options: &at.options.run}
	at.lessor, at.log = e.leaser(executable, spools), filepath.Join(at.project.Dir, realLog)
	return os.MkdirAll(filepath.Dir(at.log), 0o777)
}

// theSession is the session that is meant: the one that is named, or the only
// one there is.
func theSession(ctx context.Context, st *State, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	sweepSessions(st)
	all, err := session.ListNamed(ctx)
	if err != nil {
		return "", &exit{exitInternal, err}
	}
	var names []string
	for _, n := range all {
		names = append(names, n.Name)
	}
	switch len(names) {
	case 0:
		return "", usage("there is no session: start one with 'opendesk session start', or give --display real")
	case 1:
		return names[0], nil
	}
	return "", usage("which session? There are %s: give --session", strings.Join(names, ", "))
}

// done is what came of one step.
type done struct {
	step *results.Step // nil where none began
	// warnings are the loader's.
	warnings []string
	fault    *results.Failure
	record   *desktop.Record // of what was to be seen
	// unkept is what could not be written down, or moved here.
	unkept error
	// entry is the last of the log.
	entry *results.AuditEntry
}

// perform does the steps of a program, which has one, and writes them down.
func (at *place) perform(ctx context.Context, p *program.Program, tree *string, then func(worker.Host, string) error) (d *done, err error) {
	dir, err := os.MkdirTemp(at.temp, "opendesk-do-")
	if err != nil {
		return nil, &exit{exitInternal, err}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	item := harness.Item{Program: p}
	leased, failure := at.lessor.Lease(ctx, item)
	if failure != nil {
		return &done{fault: failure}, nil
	}
	defer func() { err = errors.Join(err, leased.Return(context.WithoutCancel(ctx))) }()
	d = &done{}
	config := at.project.Config
	launcher := &worker.Launcher{
		RunDir: dir, Apps: config.Apps, OCRLanguages: config.OCR.Languages, TimeoutScale: at.options.run.timeoutScale,
		Tree: tree, Watched: true, Getenv: at.st.Getenv, Project: at.options.run.project,
		Audit: func(e results.AuditEntry) {
			e.Program, e.Step, e.Attempt = "", "", 0 // it was done for nothing but itself
			at.write(d, e)
		},
	}
	look := &look{}
	d.fault = launcher.Launch(ctx, leased, harness.Attempt{Program: p, Number: 1, ArtifactDir: "files"}, func(ev results.Event) {
		switch ev.Type {
		case results.EventStepFinished:
			d.step = ev.Step
		case results.EventArtifact:
			d.unkept = errors.Join(d.unkept, look.see(ev, dir))
		}
	})
	d.record = look.record
	at.writeCheck(d, p.Steps[0])
	if d.fault == nil && then != nil {
		err = then(leased.(worker.Host), dir)
	}
	return d, err
}

// write appends an entry to the log.
func (at *place) write(d *done, e results.AuditEntry) {
	if err := audit.Append(at.log, e); err != nil {
		d.unkept = errors.Join(d.unkept, err)
	}
	d.entry = &e
}

// writeCheck appends what came of the step's postcondition.
func (at *place) writeCheck(d *done, s program.Step) {
	if s.Postcondition == nil || d.step == nil || d.step.Postcondition == nil || !d.step.Postcondition.Checked {
		return
	}
	var members struct {
		Postcondition map[string]any `json:"postcondition"`
	}
	_ = json.Unmarshal(s.Raw, &members) // it was parsed already
	e := results.AuditEntry{Timestamp: float64(at.st.Now().UnixMicro()) / 1e6, Action: audit.Checked, Params: members.Postcondition}
	if f := d.step.Failure; f != nil {
		e.Error = f.Reason
	}
	if d.entry != nil {
		e.SessionID = d.entry.SessionID
	}
	at.write(d, e)
}
