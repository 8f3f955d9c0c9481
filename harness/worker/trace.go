package worker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// Trace says whether a picture of the screen is taken after each step, and
// when it is kept. The zero value takes none.
type Trace string

// The traces.
const (
	TraceOff Trace = "off"
	TraceOn  Trace = "on"
	// TraceRetainOnFailure keeps the pictures of attempts that did not pass.
	TraceRetainOnFailure Trace = "retain-on-failure"
)

// Traces lists every trace.
var Traces = []Trace{TraceOff, TraceRetainOnFailure, TraceOn}

// ParseTrace reads the name of a trace; "" is off.
func ParseTrace(name string) (Trace, error) {
	if name == "" {
		return TraceOff, nil
	}
	if t := Trace(name); slices.Contains(Traces, t) {
		return t, nil
	}
	return "", fmt.Errorf("%q is unknown: there are %s", name, TraceNames())
}

// TraceNames lists the names of the traces for people.
func TraceNames() string {
	names := make([]string, len(Traces))
	for i, t := range Traces {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

func (t Trace) taken() bool { return t == TraceOn || t == TraceRetainOnFailure }

// hold keeps the event back where it is a picture that only an attempt which
// does not pass is to keep: its file stays in the spool folder, which goes.
func (p *pipe) hold(e results.Event) bool {
	if p.launcher.Trace != TraceRetainOnFailure || e.Artifact == nil || e.Artifact.Kind != results.KindTrace {
		return false
	}
	p.held = append(p.held, e)
	return true
}

// keepTrace passes on what was held back, unless the attempt passed.
func (p *pipe) keepTrace() {
	if p.finished != nil && p.finished.Attempt != nil && p.finished.Attempt.Status == results.Passed {
		return
	}
	for _, e := range p.held {
		p.emit(p.collectOne(e))
	}
}
