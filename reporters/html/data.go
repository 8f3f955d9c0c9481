package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
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

// dataFiles writes these programs into files that call the page's script.
func (v *view) dataFiles(folder string, programs []*program) ([]File, error) {
	v.Data = &data{Folder: (&url.URL{Path: folder + "/"}).String(), Run: v.ID, N: len(programs)}
	var files []File
	for start := 0; start < len(programs); start += bodiesPerFile {
		v.Data.Bodies++
		bodies := map[string]string{}
		for _, p := range programs[start:min(start+bodiesPerFile, len(programs))] {
			p.fill(v)
			text, err := execute("body", p.Body)
			if err != nil {
				return nil, err
			}
			bodies[p.ID] = text
			p.Body, p.Source, p.Open = nil, v.Data.Bodies, false
		}
		files = append(files, v.dataFile(fmt.Sprintf("bodies-%04d.js", v.Data.Bodies), "bodies", v.Data.Bodies, bodies))
	}
	for start := 0; start < len(programs); start += rowsPerFile {
		v.Data.Rows++
		var rows bytes.Buffer
		for _, p := range programs[start:min(start+rowsPerFile, len(programs))] {
			if err := templates.ExecuteTemplate(&rows, "program", p); err != nil {
				return nil, err
			}
		}
		files = append(files, v.dataFile(fmt.Sprintf("rows-%04d.js", v.Data.Rows), "rows", v.Data.Rows, rows.String()))
	}
	return files, nil
}

func execute(name string, of any) (string, error) {
	var buf bytes.Buffer
	err := templates.ExecuteTemplate(&buf, name, of)
	return buf.String(), err
}

// dataFile is a script that hands the page its part.
func (v *view) dataFile(name, kind string, number int, content any) File {
	run, _ := json.Marshal(v.ID)        // texts
	payload, _ := json.Marshal(content) // and maps of them can be encoded
	return File{Name: name, Data: fmt.Appendf(nil, "opendeskReport(%s, %q, %d, %s);\n", run, kind, number, payload)}
}
