package worker

import (
	"strings"

	"github.com/opendesk/opendesk/results"
)

// ReachedLimit is a limit that the session has run into.
type ReachedLimit struct {
	// Name tells the limits apart.
	Name string
	// Times is how often, 0 for what cannot be counted.
	Times int64
	// Brief is a part of a sentence, Text one that says what to do.
	Brief, Text string
}

// limits watches the limits of a session during one attempt.
type limits struct {
	host   Host
	before map[string]int64 // how often each was reached before the attempt
	named  map[string]string
}

func watchLimits(host Host) *limits {
	l := &limits{host: host, before: map[string]int64{}, named: map[string]string{}}
	for _, r := range host.Reached() {
		l.before[r.Name] = r.Times
	}
	return l
}

// reached are the limits that were run into during the attempt.
func (l *limits) reached() []ReachedLimit {
	var during []ReachedLimit
	for _, r := range l.host.Reached() {
		if r.Times == 0 || r.Times > l.before[r.Name] {
			during = append(during, r)
		}
	}
	return during
}

// limitOfProcesses is the limit that costs whoever in the session starts the
// next thread: the worker as well as the application that used them all up.
const limitOfProcesses = "processes"

// blame says of a worker that crashed where no thread could be started any more
// that the limit was reached, and gives f.
func (l *limits) blame(f *results.Failure) *results.Failure {
	if f.Kind == results.WorkerCrashed {
		for _, r := range l.reached() {
			if r.Name == limitOfProcesses {
				f.Kind = results.LimitReached
			}
		}
	}
	return f
}

// explain names in a failure the limits that were reached before it. They
// change nothing of whose fault it is: a limit is the project's own word, so
// that an application that ends at it has failed; where a part of the session
// ended at it, the probes say so. (Only blame knows better.) What the failure said stays the beginning of
// its reason. It gives f.
func (l *limits) explain(f *results.Failure) *results.Failure {
	if f == nil {
		return nil
	}
	reached := l.reached()
	if len(reached) == 0 {
		return f
	}
	var brief, texts []string
	for _, r := range reached {
		brief, texts = append(brief, r.Brief), append(texts, r.Text)
	}
	before := f.Reason
	f.Reason += " (" + strings.Join(brief, "; ") + ")"
	f.Details = append(texts, f.Details...)
	l.named[before] = f.Reason
	if f.SelfHeal != nil && f.SelfHeal.Reason == before {
		f.SelfHeal.Reason = f.Reason
	}
	return f
}

// conclude completes the end of an attempt: its fault, its reason where that is
// a failure's, and a note where limits were reached without a failure.
func (l *limits) conclude(a *results.Attempt, emit func(results.Event)) {
	if a == nil {
		return
	}
	l.explain(a.Fault)
	if named, ok := l.named[a.Reason]; ok {
		a.Reason = named
	}
	if len(l.named) > 0 {
		return
	}
	for _, r := range l.reached() {
		emit(results.Event{Type: results.EventWarning, Warning: &results.Warning{Kind: results.WarnNote, Message: r.Text}})
	}
}
