package console

import (
	"fmt"

	"github.com/opendesk/opendesk/results"
)

// dotsInLine is how many programs one line of dots is about.
const dotsInLine = 60

// tell says of a program that it has ended, in the console's format.
func (c *Console) tell(p *results.Program) {
	if !c.opts.Dots {
		c.program(p)
		return
	}
	if p.Status == results.Skipped && len(p.Attempts) == 0 {
		return // what was not begun is counted in the summary
	}
	if p.Status != results.Passed || c.opts.Verbosity >= Verbose {
		c.later = append(c.later, *p)
	}
	c.write(c.paint(dot(p)))
	c.block = false
	if c.dots++; c.dots%dotsInLine == 0 {
		c.write(fmt.Sprintf("  %d/%d\n", c.dots, max(c.planned, c.dots)))
	}
}

// dot is a program in one character.
func dot(p *results.Program) (style, string) {
	_, st := label(p.Status)
	switch {
	case p.Status == results.Passed:
		return st, "."
	case p.Status == results.Skipped:
		return st, "s"
	case p.Status == results.Flaky:
		return st, "~"
	}
	word, _ := label(p.Status)
	return st, word[:1]
}

// endDots ends the line of dots and tells of what did not pass.
func (c *Console) endDots() {
	if !c.opts.Dots {
		return
	}
	if c.dots%dotsInLine != 0 {
		c.write("\n")
	}
	for i := range c.later {
		c.program(&c.later[i])
	}
}
