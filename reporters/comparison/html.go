package comparison

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

//go:embed page.tmpl style.css
var assets embed.FS

var (
	page = sync.OnceValue(func() *template.Template {
		return template.Must(template.ParseFS(assets, "page.tmpl"))
	})
	style = readStyle()
)

func readStyle() string {
	data, err := assets.ReadFile("style.css")
	if err != nil {
		panic(err) // it is part of the binary
	}
	return string(data)
}

// maxPrograms is how many programs of a list the page shows.
const maxPrograms = 500

// HTML writes the comparison as a page for people: one file that asks for
// nothing and runs no script.
func HTML(w io.Writer, c *compare.Comparison) error { return write(w, c, false) }

// HTMLInRun writes the same page for a file in the run's folder: it has links
// to the report and to screenshots.
func HTMLInRun(w io.Writer, c *compare.Comparison) error { return write(w, c, true) }

func write(w io.Writer, c *compare.Comparison, inRun bool) error {
	if err := page().Execute(w, newView(c, inRun)); err != nil {
		return fmt.Errorf("write the comparison as HTML: %w", err)
	}
	return nil
}

// view is what the page shows.
type view struct {
	Style               template.CSS
	Policy              string
	Headline, Tone      string
	Title, Against      string
	Suite, ID           string
	Started, StartedISO string
	InRun               bool
	Groups              []groupView
	Facts               []line
	Notes               []string
}

// groupView is one list.
type groupView struct {
	Title, Tone string
	Anchor      string
	Total, More int
	Programs    []programView
}

// programView is one program in a list.
type programView struct {
	Name, Path, Status string
	Lines              []line
	Screenshot         string // below the run's folder, "" for none
}

// Label and Text are what a line says.
func (l line) Label() string { return l.label }

// Text is what the line says.
func (l line) Text() string { return l.text }

// tones are the colours of the lists.
var tones = map[compare.Kind]string{
	compare.NewlyFailing: "failed", compare.StillFailing: "failed", compare.Broken: "broken", compare.Fixed: "passed",
	compare.Flaky: "flaky", compare.Drifting: "flaky", compare.Slower: "flaky",
}

func newView(c *compare.Comparison, inRun bool) view {
	sum := sha256.Sum256([]byte(style))
	v := view{
		Style:    template.CSS(style), //nolint:gosec // a part of the binary
		Policy:   "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		Headline: clean(c.Headline()), Tone: "skipped", Title: clean(title(c)), Against: clean(against(c)),
		Suite: clean(c.Run.Suite), ID: clean(c.Run.ID), InRun: inRun, Facts: facts(c.Run),
		Started:    c.Run.StartedAt.UTC().Format("2 January 2006, 15:04 UTC"),
		StartedISO: c.Run.StartedAt.UTC().Format(time.RFC3339),
	}
	if len(c.Groups()) == 0 {
		v.Tone = "passed"
	}
	for i, g := range c.Groups() {
		tone := tones[g.Kind]
		if tone == "" {
			tone = "skipped"
		}
		if i == 0 {
			v.Tone = tone
		}
		group := groupView{Title: g.Title, Tone: tone, Anchor: string(g.Kind), Total: len(g.Programs)}
		for j := range g.Programs {
			if j == maxPrograms {
				group.More = len(g.Programs) - maxPrograms
				break
			}
			group.Programs = append(group.Programs, newProgram(g.Kind, &g.Programs[j], inRun))
		}
		v.Groups = append(v.Groups, group)
	}
	for _, note := range c.Notes {
		v.Notes = append(v.Notes, clean(note))
	}
	return v
}

func newProgram(kind compare.Kind, p *compare.ProgramChange, inRun bool) programView {
	v := programView{Name: clean(name(p)), Path: clean(p.Path), Status: clean(string(p.Status))}
	for _, l := range lines(kind, p) {
		v.Lines = append(v.Lines, line{clean(l.label), clean(l.text)})
	}
	if shot := p.Screenshot; inRun && strings.HasPrefix(shot, "artifacts/") && filepath.IsLocal(filepath.FromSlash(shot)) && path.Clean(shot) == shot {
		v.Screenshot = "./" + shot
	}
	return v
}

// facts are where and how the run took place.
func facts(run compare.RunInfo) []line {
	e := run.Environment
	commit := e.Commit
	if e.Dirty {
		commit += " with changes"
	}
	tool := run.Tool.Name + " " + run.Tool.Version
	var list []line
	for _, l := range []line{
		{"display", strings.TrimSpace(e.Display + " " + e.Geometry)}, {"locale", e.Locale}, {"timezone", e.Timezone},
		{"isolation", e.Isolation}, {"system", e.Distribution}, {"kernel", e.Kernel}, {"machine", e.Hostname},
		{"commit", commit}, {"tool", tool}, {"packages noted", fmt.Sprint(len(e.Packages))}, {"programs", counts(run.Counts)},
	} {
		if l.text != "" {
			list = append(list, line{l.label, clean(l.text)})
		}
	}
	return list
}

// counts is how many programs ended how.
func counts(c results.Counts) string {
	var parts []string
	for _, one := range []struct {
		n    int
		what results.Status
	}{
		{c.Passed, results.Passed}, {c.Flaky, results.Flaky}, {c.Failed, results.Failed},
		{c.Broken, results.Broken}, {c.Invalid, results.Invalid}, {c.Skipped, results.Skipped},
	} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	return strings.Join(parts, ", ")
}
