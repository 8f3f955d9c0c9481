package project

import (
	"time"
)

// Settings are what eval.yaml says about one program.
type Settings struct {
	// Tags are what --tag and --skip-tag select by.
	Tags []string
	// Quarantine excuses failures, nil for none.
	Quarantine *Quarantine
	// Budget is how long an attempt may take, 0 for no limit.
	Budget time.Duration
	// Geometry is the screen, nil for the project's.
	Geometry *Geometry
	// Setup is what there is to be before the first step.
	Setup Setup
}

// Setup is what there is to be before a program's first step.
type Setup struct {
	// Apps are opened in this order, by the names that programs use.
	Apps []string
	// Files are copied into the private home: the path there, relative to it,
	// to the file or folder, absolute.
	Files map[string]string
	// Environment is added to that of the session.
	Environment map[string]string
}

// Quarantine excuses a program that is known to fail.
type Quarantine struct {
	// Issue is a link to what is known about it.
	Issue string
	// Until is the last day on which it counts, at 0:00 UTC.
	Until time.Time
}

// Expired says whether the last day is over.
func (q *Quarantine) Expired(now time.Time) bool {
	return !now.UTC().Before(q.Until.AddDate(0, 0, 1))
}
