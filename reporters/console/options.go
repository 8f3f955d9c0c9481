package console

import (
	"fmt"
	"io"
	"strings"
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

// Format is how the console tells of a run.
type Format string

// The formats.
const (
	FormatAuto  Format = "auto"  // live on a terminal outside CI, lines elsewhere
	FormatLive  Format = "live"  // lines, and one below them that says what is going on
	FormatLines Format = "lines" // one line per program, failures complete
	FormatDots  Format = "dots"  // one character per program, failures at the end
	FormatQuiet Format = "quiet" // what did not pass, and the verdict
)

// Formats lists every format.
var Formats = []Format{FormatAuto, FormatLive, FormatLines, FormatDots, FormatQuiet}

// FormatNames lists the names of the formats for people.
func FormatNames() string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// Set makes the options those of the format.
func (o *Options) Set(f Format) error {
	switch f {
	case FormatAuto, "":
	case FormatLive:
		o.Live = true
	case FormatLines:
		o.Live = false
	case FormatDots:
		o.Live, o.Dots = false, true
	case FormatQuiet:
		o.Live, o.Verbosity = false, Quiet
	default:
		return fmt.Errorf("%q is unknown: there are %s", f, FormatNames())
	}
	return nil
}

// Options say how the console looks and what it cannot know from events.
type Options struct {
	Verbosity Verbosity
	// Color turns colours on.
	Color bool
	// Live turns the progress line on, which is rewritten in place.
	Live bool
	// Dots tells of programs in one character each, and of those that did not
	// pass at the end.
	Dots bool
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
