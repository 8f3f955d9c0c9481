package html

import "github.com/opendesk/opendesk/results"

// ranScript is what a script did and left; its files are among the step's.
type ranScript struct {
	File, Ended, Used, Advice string
	Traceback, Stdout, Stderr string
	Calls                     string
	Tried                     []string
}

func newScript(from *results.Script) *ranScript {
	s := &ranScript{
		File: from.File, Ended: from.Ended(), Used: from.Used(), Advice: from.Advice,
		Traceback: from.Traceback, Stdout: from.Stdout, Stderr: from.Stderr, Calls: from.CallsText(),
	}
	for _, a := range from.Attempts {
		s.Tried = append(s.Tried, a.String())
	}
	return s
}
