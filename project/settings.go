package project

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bmatcuk/doublestar/v4"
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

// LastDay is the last day on which it counts ("2027-01-31").
func (q *Quarantine) LastDay() string { return q.Until.Format(dayForm) }

// Rule is what eval.yaml says about the programs that a glob matches.
type Rule struct {
	// Glob is matched as --program is.
	Glob     string
	Settings Settings

	at Problem // its place
}

// matches says whether the rule is about the program of these names.
func (r *Rule) matches(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return doublestar.MatchUnvalidated(r.Glob, name) })
}

// Settings are those of the program that goes by these names. Of several rules
// about it, tags, files, apps and variables add up; of everything else the last
// one in the file counts.
func (c *Config) Settings(names []string) Settings {
	s := Settings{Budget: c.Budget.Program}
	s.Setup.add(c.Setup)
	for i := range c.Programs {
		r := &c.Programs[i]
		if !r.matches(names) {
			continue
		}
		for _, tag := range r.Settings.Tags {
			if !slices.Contains(s.Tags, tag) {
				s.Tags = append(s.Tags, tag)
			}
		}
		if r.Settings.Quarantine != nil {
			s.Quarantine = r.Settings.Quarantine
		}
		if r.Settings.Budget > 0 {
			s.Budget = r.Settings.Budget
		}
		if r.Settings.Geometry != nil {
			s.Geometry = r.Settings.Geometry
		}
		s.Setup.add(r.Settings.Setup)
	}
	return s
}

// add lays more over the setup.
func (s *Setup) add(more Setup) {
	s.Apps = append(slices.Clone(s.Apps), more.Apps...)
	s.Files = merged(s.Files, more.Files)
	s.Environment = merged(s.Environment, more.Environment)
}

func merged(a, b map[string]string) map[string]string {
	out := make(map[string]string, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// Unmatched gives a problem for each rule that is about none of the programs,
// each of which goes by several names: a misspelt rule must not be lost.
func (c *Config) Unmatched(programs [][]string) []Problem {
	var problems []Problem
	for i := range c.Programs {
		r := &c.Programs[i]
		if slices.ContainsFunc(programs, r.matches) {
			continue
		}
		p := r.at
		p.Message = "matches no program (see 'opendesk eval list learn-regression')"
		problems = append(problems, p)
	}
	return problems
}

// ParseBudget reads a time budget such as 90s, 5m or 1h30m.
func ParseBudget(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time: write it as 90s, 5m or 1h30m", s)
	}
	if d <= 0 || d > maxBudget {
		return 0, fmt.Errorf("%q is no time budget: it must be above 0 and at most %v", s, maxBudget)
	}
	return d, nil
}
