//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/results"
)

// flow is one of the things that everybody does.
type flow struct {
	name, app string
	// actions is how many inputs it has, besides opening the app.
	actions int
}

var flows = []flow{{"calc", "gnome-calculator", 4}, {"note", "mousepad", 4}, {"qt", "kcalc", 2}}

// The contestants.
const (
	own      = "the app itself"
	us       = "opendesk"
	blind    = "xdotool, blind"
	dogtail  = "dogtail"
	dogtailF = "dogtail, fastest"
	pyatspi  = "pyatspi + xdotool"
	pyatspiF = "pyatspi + xdotool, fastest"
)

// flowTimeout bounds one flow of anybody.
const flowTimeout = time.Minute

// measured is what a flow took, from the start of the app to the last
// verification: in all, until the app was there, and for each action.
type measured struct {
	FlowMS    float64   `json:"flow_ms"`
	StartMS   float64   `json:"start_ms"`
	ActionsMS []float64 `json:"actions_ms"`
}

// contestants in the order in which they take turns.
func (b *bench) contestants() []contestant {
	peer := func(args ...string) func(*rig, flow) (*measured, error) {
		return func(r *rig, f flow) (*measured, error) { return r.script(append(args, f.name)) }
	}
	all := []contestant{
		{own, (*rig).ownTime},
		{us, (*rig).worker},
		{blind, peer("xdotool_flow.sh")},
		{dogtailF, peer("dogtail_flow.py", "fastest")},
		{pyatspiF, peer("pyatspi_flow.py", "fastest")},
	}
	if !b.quick {
		all = append(all, contestant{pyatspi, peer("pyatspi_flow.py", "default")}, contestant{dogtail, peer("dogtail_flow.py", "default")})
	}
	return slices.DeleteFunc(all, func(c contestant) bool {
		return b.who != "" && !slices.Contains(strings.Split(b.who, ";"), c.who)
	})
}

type contestant struct {
	who string
	run func(*rig, flow) (*measured, error)
}

// flows has every contestant do every flow, by turns, each time in a session
// of its own that has just been started.
func (b *bench) flows() error {
	for round := range b.rounds {
		for _, f := range flows {
			for _, c := range b.contestants() {
				if err := b.flow(c, f); err != nil {
					return err
				}
			}
		}
		b.logf("flows: round %d of %d", round+1, b.rounds)
	}
	return b.ctx.Err()
}

func (b *bench) flow(c contestant, f flow) error {
	r, err := b.rig()
	if err != nil {
		return err
	}
	began := time.Now()
	m, err := c.run(r, f)
	whole := time.Since(began)
	if closing := r.close(); closing != nil {
		b.logf("%s, %s: %v", f.name, c.who, closing)
	}
	if b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	what := "flow/" + f.name
	if err != nil {
		b.logf("%s, %s: %v", f.name, c.who, err)
		b.book.fail(what, c.who)
		return nil
	}
	b.book.add(what, c.who, "ms", m.FlowMS)
	b.book.add("start/"+f.name, c.who, "ms", m.StartMS)
	if c.who != own {
		b.book.add("flow and process/"+f.name, c.who, "ms", milliseconds(whole))
	}
	if c.who == us || len(m.ActionsMS) > 1 {
		for _, ms := range m.ActionsMS {
			b.book.add("action/"+f.name, c.who, "ms", ms)
		}
	}
	return nil
}

// script runs a peer. Its last line is what it measured.
func (r *rig) script(args []string) (*measured, error) {
	ctx, cancel := context.WithTimeout(r.bench.ctx, flowTimeout)
	defer cancel()
	c := r.command(ctx, r.bench.peer(args[0]), args[1:]...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil && out.Len() == 0 {
		return nil, fmt.Errorf("%v: %w: %s", args, err, bytes.TrimSpace(errs.Bytes()))
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var m measured
	if err := json.Unmarshal(lines[len(lines)-1], &m); err != nil {
		return nil, fmt.Errorf("%v: %w: %s %s", args, err, out.Bytes(), errs.Bytes())
	}
	if usage := c.ProcessState; usage != nil && args[0] != "xdotool_flow.sh" {
		r.bench.memoryOf(args, usage)
	}
	return &m, nil
}

// worker has opendesk's worker run the flow's program.
func (r *rig) worker(f flow) (*measured, error) {
	ctx, cancel := context.WithTimeout(r.bench.ctx, flowTimeout)
	defer cancel()
	path := filepath.Join(r.bench.dir, "programs", f.name+".program.json")
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info := r.Info()
	job, err := json.Marshal(&worker.Job{
		Path: path, Source: source, Attempt: 1, Display: info.Display, SessionBus: info.SessionBus, A11yBus: info.A11yBus,
		SessionID: info.ID, Virtual: true, AppEnv: info.Env, LogDir: filepath.Join(info.Dir, "logs"),
		OCRLanguages: []string{"eng"}, TimeoutScale: 1, Spool: r.spool,
	})
	if err != nil {
		return nil, err
	}
	jobFile := filepath.Join(r.spool, "job.json")
	if err := os.WriteFile(jobFile, job, 0o600); err != nil {
		return nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close() //nolint:errcheck // read end
	w, err := r.RunWorker(ctx, session.WorkerSpec{Args: []string{"worker", "--job", jobFile}, Events: writer})
	_ = writer.Close()
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = w.Wait(ctx) }()
	_ = reader.SetReadDeadline(time.Now().Add(flowTimeout))
	stop := r.bench.watchMemory(jobFile)
	defer stop()
	return judged(results.NewEventReader(reader, "the worker's events"))
}

// judged reads a worker's events to its verdict, which must be a pass.
func judged(events *results.EventReader) (*measured, error) {
	var (
		m            measured
		began, acted time.Time
	)
	for {
		e, err := events.Next()
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case results.EventStepStarted:
			if began.IsZero() {
				began = e.Time
			}
			acted = e.Time
		case results.EventStepFinished:
			took := milliseconds(e.Time.Sub(acted))
			if e.Step.Index == 0 {
				m.StartMS = took
			} else {
				m.ActionsMS = append(m.ActionsMS, took)
			}
		case results.EventAttemptFinished:
			if e.Attempt.Status != results.Passed {
				return nil, fmt.Errorf("the verdict is %s: %s", e.Attempt.Status, e.Attempt.Reason)
			}
			m.FlowMS = milliseconds(e.Time.Sub(began))
			return &m, nil
		}
	}
}

// overheads notes, for each flow, by how much it took longer than the
// application itself needs, by the number of its actions.
func (b *bench) overheads() {
	for _, f := range flows {
		what := "flow/" + f.name
		alone := slices.Sorted(slices.Values(b.values(what, own)))
		if len(alone) == 0 {
			continue
		}
		for _, c := range b.contestants() {
			for _, v := range b.values(what, c.who) {
				if c.who != own {
					b.book.add("overhead/"+f.name, c.who, "ms", (v-quantile(alone, 0.5))/float64(f.actions+1))
				}
			}
		}
	}
}

func (b *bench) values(what, who string) []float64 { return b.book.values[key{what, who}] }
