package learn

import "github.com/opendesk/opendesk/trajectory"

// Pauses that a program keeps, in milliseconds: rounded up to pauseStep, and
// never longer than maxPause.
const (
	pauseStep = 50
	maxPause  = 500
)

// pause gives wait_ms to the steps that need it. Steps wait for their elements
// and for their postconditions, so that the pauses of whoever recorded them do
// not matter. What has neither is a step that acts on whatever is there: keys
// and places on the screen. In front of one the pause is kept that was recorded,
// unless the step before says by a postcondition when it is done, or typed into
// the same place.
func (c *retracer) pause() {
	for i := range c.steps {
		if i+1 == len(c.steps) {
			return
		}
		s, next := &c.steps[i], c.steps[i+1]
		if s.event < 0 || next.event <= s.event || s.Postcondition != nil || isTyping(s.draft) || !blind(next.draft) ||
			c.events[s.event].Action != trajectory.Key && harmless(c.events[s.event], c.events[next.event]) {
			continue
		}
		gap := 1000 * (c.events[next.event].Timestamp - endOf(c.events[s.event]))
		steps := int(min(max(gap, 0), maxPause)+pauseStep-1) / pauseStep
		s.WaitMS = steps * pauseStep
	}
}

// blind reports whether the step acts on whatever is there.
func blind(s draft) bool {
	if _, at := s.Params["x"]; at {
		return true
	}
	typed := s.Params["action"] == "type" || s.Params["action"] == "press_key"
	return typed && (s.Target == nil || *s.Target == draftTarget{App: s.Target.App})
}

// harmless reports whether it is known that nothing appeared after an event that
// could have taken the next key or click.
func harmless(e, next trajectory.Event) bool {
	if e.After == nil || e.After.Front != nil || len(e.After.Windows) > 0 || len(e.After.Appeared) > 0 {
		return false
	}
	return e.Context == nil || next.Context == nil || e.Context.Window == next.Context.Window
}
