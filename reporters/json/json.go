// Package json writes results.json: the run as it is.
package json

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/opendesk/opendesk/internal/inorder"
	"github.com/opendesk/opendesk/results"
)

const indent = "  "

// options are encoding/json's rules with two spaces of indentation. That
// package itself would have the whole text in memory, twice.
var options = json.JoinOptions(
	jsonv1.DefaultOptionsV1(), jsontext.WithIndent(indent), jsontext.EscapeForHTML(false),
)

// large is above how many programs each of them is one line: indentation would
// be a third of hundreds of megabytes.
const large = 5000

// lineOptions are options without indentation.
var lineOptions = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// Write writes the run as indented JSON that ends in a line feed. In a run of
// more than 5,000 programs each program is one line.
func Write(w io.Writer, run *results.Run) error {
	write := whole
	if len(run.Programs) > chunk {
		write = byChunks
	}
	if err := write(w, run); err != nil {
		return fmt.Errorf("write results as JSON: %w", err)
	}
	return nil
}

// whole writes the run at once.
func whole(w io.Writer, run *results.Run) error {
	return json.MarshalEncode(jsontext.NewEncoder(w, options), run)
}

// chunk is how many programs are encoded at a time on each core.
const chunk = 64

// noPrograms is the list of programs in a run that has none. No text of a run
// holds that: in texts, line feeds and quotes are escaped.
const noPrograms = "\n" + indent + `"programs": []`

var errNoList = errors.New("the list of programs is not where it is expected")

// byChunks writes the same as whole, programs on all cores, and of many programs
// each as one line.
func byChunks(w io.Writer, run *results.Run) error {
	empty := *run
	empty.Programs = []results.Program{}
	var frame bytes.Buffer
	if err := whole(&frame, &empty); err != nil {
		return err
	}
	before, after, ok := bytes.Cut(frame.Bytes(), []byte(noPrograms))
	if !ok {
		return errNoList
	}
	if _, err := fmt.Fprintf(w, "%s\n%s\"programs\": [", before, indent); err != nil {
		return err
	}
	encode := indented
	if len(run.Programs) > large {
		encode = oneLine
	}
	separator := "\n"
	err := inorder.Chunks(len(run.Programs), chunk, func(from, to int) (*bytes.Buffer, error) {
		text := texts.Get().(*bytes.Buffer)
		text.Reset()
		for i := range run.Programs[from:to] {
			if i > 0 {
				text.WriteString(",\n")
			}
			text.WriteString(place)
			if err := encode(text, &run.Programs[from+i]); err != nil {
				return nil, err
			}
		}
		return text, nil
	}, func(text *bytes.Buffer) error {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		separator = ",\n"
		_, err := w.Write(text.Bytes())
		texts.Put(text)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s]%s", indent, after)
	return err
}

// texts are those that can be used again.
var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// place is what stands before each program.
const place = indent + indent

func indented(w io.Writer, p *results.Program) error {
	return json.MarshalWrite(w, p, options, jsontext.WithIndentPrefix(place))
}

func oneLine(w io.Writer, p *results.Program) error { return json.MarshalWrite(w, p, lineOptions) }
