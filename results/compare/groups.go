package compare

import (
	"fmt"
	"strings"
)

// Group is one list of a comparison.
type Group struct {
	// Kind says which.
	Kind Kind
	// Title is what people call it: "newly failing".
	Title string
	// Programs are its programs.
	Programs []ProgramChange
}

// Groups lists the lists that are not empty, in the order in which reports
// show them.
func (c *Comparison) Groups() []Group {
	var groups []Group
	for _, g := range []Group{
		{NewlyFailing, "newly failing", c.NewlyFailing},
		{StillFailing, "still failing", c.StillFailing},
		{Broken, "broken", c.Broken},
		{Fixed, "fixed", c.Fixed},
		{Flaky, "flaky", c.Flaky},
		{Drifting, "drifting", c.Drifting},
		{Slower, "slower", c.Slower},
		{Quarantined, "quarantined", c.Quarantined},
		{Added, "added", c.Added},
		{Removed, "removed", c.Removed},
	} {
		if len(g.Programs) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// News says whether there is something to look at that was not there before:
// programs that newly fail, drift or are slower. What broke is no news, since
// it says nothing about the programs.
func (c *Comparison) News() bool {
	return len(c.NewlyFailing)+len(c.Drifting)+len(c.Slower) > 0
}

// Headline is the comparison in one line: "1 newly failing, 2 fixed".
func (c *Comparison) Headline() string {
	var parts []string
	for _, g := range c.Groups() {
		parts = append(parts, fmt.Sprintf("%d %s", len(g.Programs), g.Title))
	}
	if len(parts) == 0 {
		return "nothing new"
	}
	return strings.Join(parts, ", ")
}

// Empty reports whether nothing changed that is known.
func (d *Differences) Empty() bool {
	return len(d.Packages) == 0 && d.Program == nil && len(d.Environment) == 0 && d.Commits == nil
}
