package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/opendesk/opendesk/results"
)

// data says what a page loads by script elements.
type data struct {
	Folder string // as an address, relative to the page
	Run    string // its files must be of this run
	Rows   int    // how many files hold lines of the list
	Bodies int    // how many hold what they unfold to
	N      int    // programs in them
}

// How many programs a file has: lines are needed to search, and small; what
// they unfold to is loaded when somebody looks at it.
const (
	rowsPerFile   = 1000
	bodiesPerFile = 50
)

// maxPassed is up to how many programs those that passed at once unfold.
// Beyond, nobody reads them one by one; results.json has all of it.
const maxPassed = 5000

// row is a line of the list as a data file has it.
type row struct {
	ID       string   `json:"id"`
	Status   string   `json:"status"`
	Name     string   `json:"name"`
	Path     string   `json:"path"`
	Reason   string   `json:"reason,omitempty"`
	Marks    []string `json:"marks,omitempty"`
	Duration string   `json:"duration"`
	Source   int      `json:"source,omitempty"`
}

// dataFiles hands over files that call the page's script with these programs.
func (v *view) dataFiles(programs []*program, save func(File) error) error {
	d := &data{Folder: (&url.URL{Path: v.opts.DataFolder + "/"}).String(), Run: v.ID, N: len(programs)}
	v.Data = d
	var rows []row
	bodies := map[string]string{}
	for i, p := range programs {
		p.Open = false
		if v.Total <= maxPassed || p.result.Status != results.Passed || len(p.Marks) > 0 {
			p.fill(v)
			text, err := execute("body", p.Body)
			if err != nil {
				return err
			}
			bodies[p.ID], p.Body, p.Source = text, nil, d.Bodies+1
		}
		rows = append(rows, row{p.ID, p.Status.Name, p.Name, p.Path, p.Reason, p.Marks, duration(p.Duration), p.Source})
		last := i == len(programs)-1
		if len(bodies) == bodiesPerFile || last && len(bodies) > 0 {
			d.Bodies++
			if err := save(d.file("bodies", d.Bodies, bodies)); err != nil {
				return err
			}
			clear(bodies)
		}
		if len(rows) == rowsPerFile || last {
			d.Rows++
			if err := save(d.file("rows", d.Rows, rows)); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return nil
}

func execute(name string, of any) (string, error) {
	var buf bytes.Buffer
	err := templates().ExecuteTemplate(&buf, name, of)
	return buf.String(), err
}

// file is a script that hands the page its part.
func (d *data) file(kind string, number int, content any) File {
	run, _ := json.Marshal(d.Run)       // texts,
	payload, _ := json.Marshal(content) // and maps and lists of them, can be encoded
	return File{
		Name: fmt.Sprintf("%s-%04d.js", kind, number),
		Data: fmt.Appendf(nil, "opendeskReport(%s, %q, %d, %s);\n", run, kind, number, payload),
	}
}

// Blank is a line of the list that the page's script fills in.
func (v *view) Blank() *program { return &program{Marks: []string{""}, Reason: " "} }
