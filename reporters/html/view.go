package html

import (
	"cmp"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
)

// view is what the page shows, in its order.
type view struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Title, Project, ID, Suite string
	Status                    status
	ExitCode                  int
	ExitMeaning               string
	Interrupted               bool
	Duration                  int64
	Started                   time.Time
	Programs                  []*program
	Counts                    []count
	Checks                    string // how many postconditions held
	Facts                     []fact
	Notes                     []string
	Data                      *data // what the page loads; nil for nothing
	Total                     int   // programs, with those in data files
	Folded                    int   // after how many programs the rest is text until unfolded; 0 for none

	run      *results.Run
	opts     Options
	pictures *pictures
	unpassed int // how many programs at the front ask for a look
}

// status is a status with its word. Its icon is drawn by its name, so that no
// status is told by colour alone.
type status struct {
	Name, Word string
}

var words = map[string]string{
	string(results.Passed): "passed", string(results.Flaky): "flaky", string(results.Failed): "failed",
	string(results.Broken): "broken", string(results.Invalid): "invalid", string(results.Skipped): "skipped",
	string(results.StepBlocked): "not reached",
}

func statusOf(name string) status {
	if word, ok := words[name]; ok {
		return status{name, word}
	}
	return status{string(results.Broken), name} // nothing looks better than it is
}

// count is how many programs ended with a status, as a filter.
type count struct {
	status
	N     int
	Share float64 // of all, in 1/1000
	At    float64 // where its part of the bar begins
}

// fact is a line about the run.
type fact struct {
	Name, Value string
}

// program is a line of the list, with what it unfolds to.
type program struct {
	ID                 string // of its element
	Status             status
	Name, Path, Reason string
	Duration           int64
	Marks              []string // short remarks: "2 attempts"
	Open               bool
	Body               *body // nil where it is folded, or comes from a data file
	Folded             template.HTML
	Source             int              // which data file has the body, from 1; 0 for none
	result             *results.Program // its texts are not clean yet
}

// order is by how urgently something is to be looked at.
var order = []results.Status{results.Failed, results.Broken, results.Invalid, results.Flaky, results.Passed, results.Skipped}

func newView(whole *results.Run, opts Options, pictures *pictures) *view {
	head := *whole
	head.Programs = nil // they are many, and cleaned one by one
	run := visible(&head)
	project := path.Base(strings.ReplaceAll(run.Project, "\\", "/"))
	v := &view{
		Project: project, ID: run.ID, Suite: run.Suite, Status: statusOf(string(run.Status)), ExitCode: run.ExitCode,
		ExitMeaning: results.ExitMeaning(run.ExitCode), Interrupted: run.Interrupted, Duration: run.DurationMS,
		Started: run.StartedAt.UTC(), Notes: run.Notes, Total: len(whole.Programs),
		run: run, opts: opts, pictures: pictures,
	}
	v.Title = fmt.Sprintf("%s: %s of %s", v.Status.Word, run.Suite, project)
	for i := range whole.Programs {
		p := newProgram(&whole.Programs[i])
		p.ID = fmt.Sprintf("p%d", i+1)
		v.Programs = append(v.Programs, p)
	}
	slices.SortStableFunc(v.Programs, func(a, b *program) int { return cmp.Compare(a.rank(), b.rank()) })
	v.count()
	v.unfold()
	v.facts()
	return v
}

// rank is the program's place in the order.
func (p *program) rank() int {
	if i := slices.Index(order, p.result.Status); i >= 0 {
		return i
	}
	return 0
}

func newProgram(result *results.Program) *program {
	p := &program{
		Status: statusOf(string(result.Status)), Name: clean(cmp.Or(result.Name, result.Path)), Path: clean(result.Path),
		Reason: shorten(clean(result.Reason), 300), Duration: result.DurationMS, result: result,
	}
	if result.Repeat > 0 {
		p.Marks = append(p.Marks, fmt.Sprintf("repeat %d", result.Repeat))
	}
	if n := len(result.Attempts); n > 1 {
		p.Marks = append(p.Marks, plural(n, "attempt"))
	}
	var kinds []string
	for _, w := range result.Warnings {
		if kind := string(w.Kind); w.Kind != results.WarnNote && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	p.Marks = append(p.Marks, kinds...)
	for _, tag := range result.Tags {
		p.Marks = append(p.Marks, clean(tag))
	}
	if result.Excused() {
		p.Marks = append(p.Marks, "failed in quarantine")
	}
	return p
}

// count counts the programs by status, in the page's order.
func (v *view) count() {
	n := map[string]int{}
	for _, p := range v.Programs {
		n[p.Status.Name]++
		if p.rank() < slices.Index(order, results.Passed) {
			v.unpassed++
		}
	}
	at := 0.0
	for _, s := range order {
		if c := n[string(s)]; c > 0 {
			share := 1000 * float64(c) / float64(len(v.Programs))
			v.Counts = append(v.Counts, count{statusOf(string(s)), c, share, at})
			at += share
		}
	}
	if c := v.run.Counts; c.Postconditions > 0 {
		v.Checks = fmt.Sprintf("%d of %s met", c.PostconditionsMet, plural(c.Postconditions, "postcondition"))
	}
}

// unfold opens what failed where that is little, otherwise the first of it.
func (v *view) unfold() {
	const few = 3
	failures := 0
	for _, p := range v.Programs {
		if p.rank() <= slices.Index(order, results.Broken) {
			failures++
		}
	}
	if failures > few {
		failures = 1
	}
	for _, p := range v.Programs[:failures] {
		p.Open = true
	}
}

// facts tells where the run took place.
func (v *view) facts() {
	e := v.run.Environment
	add := func(name, value string) {
		if value != "" {
			v.Facts = append(v.Facts, fact{name, value})
		}
	}
	add("Run", v.run.ID)
	add("Project", v.run.Project)
	if p := v.run.Plan; p != nil {
		add("Shard", p.Shard)
		if p.Seed != 0 {
			add("Order", fmt.Sprintf("random, the same again by --order random:%d", p.Seed))
		}
		if p.Repeat > 1 {
			add("Repetitions", fmt.Sprint(p.Repeat))
		}
	}
	tool := strings.TrimSpace(v.run.Tool.Name + " " + v.run.Tool.Version)
	if v.run.Tool.Commit != "" {
		tool += " (" + shorten(v.run.Tool.Commit, 12) + ")"
	}
	add("Tool", tool)
	add("Machine", strings.TrimSpace(e.Hostname+" "+strings.Trim(e.OS+"/"+e.Arch, "/")))
	add("Display", strings.TrimSpace(e.Display+" "+e.Geometry))
	add("Isolation", e.Isolation)
	add("Locale", e.Locale)
	add("Time zone", e.Timezone)
	add("Network", e.Network)
	if e.TimeoutScale != 0 && e.TimeoutScale != 1 {
		add("Timeouts", fmt.Sprintf("times %g", e.TimeoutScale))
	}
	if e.Workers > 0 {
		add("Workers", fmt.Sprint(e.Workers))
	}
}
