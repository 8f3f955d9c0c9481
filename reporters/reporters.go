// Package reporters holds the formats in which a run is reported, and the
// manager that feeds them. The console follows the events of a run; the file
// formats are pure functions of its results.
package reporters

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/opendesk/opendesk/reporters/console"
	"github.com/opendesk/opendesk/reporters/ctrf"
	"github.com/opendesk/opendesk/reporters/json"
	"github.com/opendesk/opendesk/reporters/junit"
	"github.com/opendesk/opendesk/reporters/markdown"
	"github.com/opendesk/opendesk/results"
)

// Reporter reports one run. Its methods are never called at the same time; those
// of other reporters can be, so it changes nothing of the run.
type Reporter interface {
	// Event tells about one event of the run, in order.
	Event(ev results.Event)
	// Finish reports the run's results. It is called last, and returns the first
	// error that kept something from being reported. Where it writes a file, it
	// can be called again, for a run of which more is known.
	Finish(run *results.Run) error
}

// Env is what reporters need to know.
type Env struct {
	// Stdout is where the console writes, and files that are called "-".
	Stdout io.Writer
	// RunDir is the run's folder, where files go that have no other path.
	RunDir string
	// WorkDir is the folder that paths in specs are relative to.
	WorkDir string
	// Console says how the console looks.
	Console console.Options
	// Summary is the file of the job's summary on GitHub, "" for none.
	Summary string
	// Events is the file of the events of a run that is over, "" for none; a
	// run that goes on tells its events one by one.
	Events string
}

// format is a row of the table of formats.
type format struct {
	name string
	// file is the file's name in the run's folder, "" for standard output.
	file string
	make func(t target, env Env) Reporter
	// beside says that its lines stand on standard output beside others'.
	beside bool
	// alone says why it does not go without a path, "" where it does.
	alone string
}

// formats is the table of formats, in the order of their names.
var formats = []format{
	{name: "console", make: newConsole},
	{name: "ctrf", file: "ctrf.json", make: newCTRF},
	{name: "github", make: newGitHub, beside: true},
	{name: "html", file: "report.html", make: newHTML},
	{name: "json", file: "results.json", make: newJSON},
	{name: "junit", file: "junit.xml", make: newJUnit},
	{name: "markdown", file: "report.md", make: newMarkdown},
	{name: "ndjson", make: newNDJSON, alone: "events.ndjson is in the run's folder anyway"},
}

// Names lists the names of the formats.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// New makes the reporter that spec asks for: NAME or NAME:PATH. The path "-"
// is standard output. A file without a path goes into the run's folder.
func New(spec string, env Env) (Reporter, error) {
	f, t, err := parse(spec, env)
	if err != nil {
		return nil, err
	}
	return f.make(t, env), nil
}

// Check says what is wrong with a spec, before there is a run.
func Check(spec string) error {
	_, _, err := parse(spec, Env{RunDir: "."})
	return err
}

// parse finds the format of a spec and where it writes.
func parse(spec string, env Env) (format, target, error) {
	name, path, hasPath := strings.Cut(spec, ":")
	f, err := lookUp(name)
	if err != nil {
		return format{}, target{}, err
	}
	switch {
	case hasPath && path == "":
		return format{}, target{}, fmt.Errorf("reporter %q has an empty path after the colon", spec)
	case path == "" && f.alone != "":
		return format{}, target{}, fmt.Errorf("reporter %q needs a path (%s:PATH, or %s:- for standard output): %s", spec, name, name, f.alone)
	case path == "-" || path == "" && f.file == "":
		return f, target{w: env.Stdout}, nil
	case path == "" && env.RunDir == "":
		return format{}, target{}, fmt.Errorf("reporter %q needs a path (%s:PATH)", spec, name)
	case path == "":
		path = filepath.Join(env.RunDir, f.file)
	case !filepath.IsAbs(path):
		path = filepath.Join(env.WorkDir, path)
	}
	return f, target{path: filepath.Clean(path)}, nil
}

// lookUp finds a format by its name.
func lookUp(name string) (format, error) {
	closest, best := "", 3
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(name), f.name); d < best {
			closest, best = f.name, d
		}
	}
	hint := ""
	if closest != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", closest)
	}
	return format{}, fmt.Errorf("reporter %q is unknown%s; there are %s", name, hint, strings.Join(Names(), ", "))
}

func newConsole(t target, env Env) Reporter {
	if t.path == "" {
		return console.New(t.w, env.Console)
	}
	plain := env.Console
	plain.Color, plain.Live = false, false
	f := &consoleFile{target: t}
	f.Console = console.New(&f.text, plain)
	return f
}

// consoleFile writes what the console says to a file.
type consoleFile struct {
	*console.Console
	text   strings.Builder
	target target
}

// Finish writes the file.
func (f *consoleFile) Finish(run *results.Run) error {
	err := f.Console.Finish(run)
	return errors.Join(err, f.target.write(func(w io.Writer) error {
		_, err := io.WriteString(w, f.text.String())
		return err
	}))
}

func newJSON(t target, _ Env) Reporter {
	return &file{target: t, write: json.Write}
}

func newMarkdown(t target, _ Env) Reporter {
	return &file{target: t, write: func(w io.Writer, run *results.Run) error {
		return markdown.Write(w, run, markdown.Options{})
	}}
}

func newCTRF(t target, env Env) Reporter {
	opts := ctrf.Options{RunDir: env.RunDir, ReportDir: t.dir(env)}
	return &file{target: t, write: func(w io.Writer, run *results.Run) error {
		return ctrf.Write(w, run, opts)
	}}
}

func newJUnit(t target, env Env) Reporter {
	opts := junit.Options{RunDir: env.RunDir, ReportDir: t.dir(env)}
	return &file{target: t, write: func(w io.Writer, run *results.Run) error {
		return junit.Write(w, run, opts)
	}}
}
