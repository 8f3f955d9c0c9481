package console

import (
	"fmt"
	"io"
	"time"

	"golang.org/x/term"
)

// Verbosity is how much is said.
type Verbosity int

// The levels.
const (
	Quiet   Verbosity = iota - 1 // what did not pass, and the verdict
	Normal                       // one line per program, failures complete
	Verbose                      // every step, every warning, every remark
)

// Options say how the console looks and what it cannot know from events.
type Options struct {
	Verbosity Verbosity
	// Color turns colours on.
	Color bool
	// Live turns the progress line on, which is rewritten in place.
	Live bool
	// Width is the terminal's width in columns, asked before each progress
	// line; nil or 0 or less stands for 80.
	Width func() int
	// ResultsDir is the run's folder as it is shown to people. Artifacts are
	// shown below it; "" shows neither.
	ResultsDir string
	// Tick redraws the progress line, so that its clock goes on; nil stands
	// for once a second.
	Tick <-chan time.Time
	// Now is the clock of the progress line, nil for time.Now.
	Now func() time.Time
}

// Detect finds out what w can show; color is auto, always or never. Colours with "auto" are for terminals,
// unless NO_COLOR is set or TERM is dumb. The progress line is for terminals
// outside CI, where lines are kept. The rest of the options is the caller's.
func Detect(w io.Writer, color string, getenv func(string) string) (Options, error) {
	var opts Options
	file, isFile := w.(interface{ Fd() uintptr })
	terminal := isFile && term.IsTerminal(int(file.Fd())) && getenv("TERM") != "dumb"
	switch color {
	case "always":
		opts.Color = true
	case "never":
	case "auto", "":
		opts.Color = terminal && getenv("NO_COLOR") == ""
	default:
		return Options{}, fmt.Errorf("--color %q is unknown (auto, always or never)", color)
	}
	opts.Live = terminal && getenv("CI") == ""
	if isFile {
		opts.Width = func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0
			}
			return width
		}
	}
	return opts, nil
}
