// Package html writes a run as a page for people: one file that works without
// a server and asks for nothing.
//
// Every text goes through the contextual escaping of html/template, after
// characters that would reorder or hide text were made visible; a content
// security policy allows the page's own script and style and nothing else.
//
// A run of more than MaxInline programs has the rest in files next to the
// page, which it loads by script elements: those work from file:// as well.
package html

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/opendesk/opendesk/results"
)

// MaxInline is how many programs a page holds by itself. What did not pass
// comes first.
const MaxInline = 2000

// maxLive is how many programs are parsed with what they unfold to when the
// page opens. What others unfold to is text until then: a browser takes far
// longer to make elements of it than to read it.
const maxLive = 200

// Options say where things are.
type Options struct {
	// RunDir is the run's folder, which pictures are read from; "" for none.
	RunDir string
	// ReportDir is the folder that the report will be in, which links are
	// relative to. Where either is empty, links are artifact names.
	ReportDir string
	// DataFolder is the folder next to the page for what it does not hold
	// itself; "" puts everything into the page.
	DataFolder string
}

// File is a file that belongs to a page, in the data folder.
type File struct {
	Name string
	Data []byte
}

// Write writes the whole run as one page.
func Write(w io.Writer, run *results.Run, opts Options) error {
	opts.DataFolder = ""
	page, err := Render(run, opts, nil)
	if err != nil {
		return err
	}
	if _, err := w.Write(page); err != nil {
		return fmt.Errorf("write results as HTML: %w", err)
	}
	return nil
}

// Render gives the page, and hands over the files that it loads from the data
// folder one by one.
func Render(run *results.Run, opts Options, save func(File) error) (page []byte, err error) {
	pictures := newPictures(opts)
	defer pictures.close()
	v := newView(run, opts, pictures)
	inline, rest := v.Programs, []*program(nil)
	if opts.DataFolder != "" && len(v.Programs) > MaxInline {
		stay := min(v.unpassed, MaxInline)
		inline, rest = v.Programs[:stay], v.Programs[stay:]
	}
	for i, p := range inline {
		p.fill(v)
		if i >= maxLive && !p.Open {
			if err := p.fold(); err != nil {
				return nil, fmt.Errorf("write results as HTML: %w", err)
			}
		}
	}
	if rest != nil {
		if err := v.dataFiles(rest, save); err != nil {
			return nil, fmt.Errorf("write results as HTML: %w", err)
		}
	}
	if v.Programs = inline; len(inline) > maxLive {
		v.Folded = maxLive
	}
	v.protect()
	var buf bytes.Buffer
	if err := templates().ExecuteTemplate(&buf, "page", v); err != nil {
		return nil, fmt.Errorf("write results as HTML: %w", err)
	}
	return buf.Bytes(), nil
}

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"duration": duration,
	}).ParseFS(assets, "assets/*.tmpl"))
})
