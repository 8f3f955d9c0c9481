package desktop

import "context"

// Part is a part of the environment that a run depends on.
type Part string

// The parts that are probed when a step fails. If all of them answer, the
// failure is the program's or the application's; otherwise the environment is
// broken.
const (
	PartDisplay       Part = "display"
	PartWindowManager Part = "window manager"
	PartSessionBus    Part = "session bus"
	PartA11yBus       Part = "accessibility bus"
	PartRegistry      Part = "accessibility registry"
)

// PartIsolation is what errors name that come from how a session is isolated.
// It is not probed: it does not come and go.
const PartIsolation Part = "isolation"

// Parts lists every part, in the order in which one depends on another.
var Parts = []Part{PartDisplay, PartWindowManager, PartSessionBus, PartA11yBus, PartRegistry}

// Probe is one part's answer.
type Probe struct {
	Part Part `json:"part"`
	OK   bool `json:"ok"`
	// Detail says what answered, or why nothing did.
	Detail string `json:"detail,omitempty"`
	// Millis is how long the answer took.
	Millis int64 `json:"ms"`
}

// Health is the answers of all parts at one moment.
type Health []Probe

// OK reports whether every part answered.
func (h Health) OK() bool {
	for _, p := range h {
		if !p.OK {
			return false
		}
	}
	return true
}

// FirstFault is the first part that did not answer, nil if all did.
func (h Health) FirstFault() *Probe {
	for i := range h {
		if !h[i].OK {
			return &h[i]
		}
	}
	return nil
}

// Prober asks every part whether it still answers. It needs no reply from any
// application, and each part has a deadline of its own.
type Prober interface {
	Probe(ctx context.Context) Health
}
