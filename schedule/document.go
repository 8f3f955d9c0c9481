package schedule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxStoreBytes is the largest store that is read.
const maxStoreBytes = 8 << 20

// BrokenError says that the store cannot be read as a list of schedules.
type BrokenError struct {
	File string
	// Line and Column are where, from 1; 0 where it has no place.
	Line, Column int
	Message      string
	// Kept is where the file was moved to, "" where it is in its place.
	Kept string
}

func (e *BrokenError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	text := at + ": " + e.Message
	if e.Kept != "" {
		text += fmt.Sprintf(" (kept as %s; mend it and move it back, or begin a new list)", e.Kept)
	}
	return text
}

// document reads the text of a store.
type document struct {
	file string
	data []byte
	dec  *jsontext.Decoder
}

// parse reads all entries; the error is a *BrokenError.
func parse(file string, data []byte) ([]Entry, error) {
	d := &document{file: file, data: data, dec: jsontext.NewDecoder(bytes.NewReader(data))}
	if len(data) > maxStoreBytes {
		return nil, &BrokenError{File: file, Message: fmt.Sprintf("has more than %d MiB", maxStoreBytes>>20)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, d.wrong(0, "the file is empty: it should be a list of schedules ([] for none)")
	}
	entries, err := d.list()
	if err != nil {
		return nil, err
	}
	names, keys := map[string]bool{}, map[string]bool{}
	for i := range entries {
		e := &entries[i]
		switch {
		case names[e.Name]:
			return nil, &BrokenError{File: file, Line: e.line, Column: e.column, Message: fmt.Sprintf("two schedules are called %q", e.Name)}
		case keys[e.key()]:
			return nil, &BrokenError{File: file, Line: e.line, Column: e.column, Message: fmt.Sprintf("two schedules have the id %q", e.key())}
		}
		names[e.Name], keys[e.key()] = true, true
	}
	return entries, nil
}

func (d *document) list() ([]Entry, error) {
	if d.dec.PeekKind() != jsontext.KindBeginArray {
		if err := d.skip(); err != nil {
			return nil, err
		}
		return nil, d.wrong(0, "the file should be a list of schedules")
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return nil, d.fault(err)
	}
	var entries []Entry
	for d.dec.PeekKind() != jsontext.KindEndArray {
		e, err := d.entry()
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return nil, d.fault(err)
	}
	if _, err := d.dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, d.fault(err)
		}
		return nil, d.wrong(d.dec.InputOffset(), "there is something after the list")
	}
	return entries, nil
}

// skip reads the next value, whatever it is.
func (d *document) skip() error {
	if _, err := d.dec.ReadValue(); err != nil {
		return d.fault(err)
	}
	return nil
}

func (d *document) entry() (Entry, error) {
	var e Entry
	if d.dec.PeekKind() != jsontext.KindBeginObject {
		if err := d.skip(); err != nil {
			return e, err
		}
		return e, d.wrong(d.dec.InputOffset(), "a schedule should be an object")
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return e, d.fault(err)
	}
	start := d.dec.InputOffset() - 1
	e.line, e.column = d.position(start)
	for d.dec.PeekKind() != jsontext.KindEndObject {
		name, err := d.dec.ReadToken()
		if err != nil {
			return e, d.fault(err)
		}
		f := field{name: name.String()}
		value, err := d.dec.ReadValue()
		if err != nil {
			return e, d.fault(err)
		}
		f.value = value.Clone()
		e.fields = append(e.fields, f)
	}
	if _, err := d.dec.ReadToken(); err != nil {
		return e, d.fault(err)
	}
	if err := e.read(); err != nil {
		return e, d.wrong(start, err.Error())
	}
	return e, nil
}

// position turns a byte offset into line and column, from 1.
func (d *document) position(offset int64) (line, column int) {
	before := d.data[:min(max(offset, 0), int64(len(d.data)))]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

func (d *document) wrong(offset int64, message string) error {
	line, column := d.position(offset)
	return &BrokenError{File: d.file, Line: line, Column: column, Message: message}
}

// fault locates what the decoder says.
func (d *document) fault(err error) error {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return d.wrong(syntactic.ByteOffset, "is no JSON: "+syntactic.Err.Error())
	}
	return d.wrong(int64(len(d.data)), "is no JSON: it ends in the middle")
}

// format writes the entries as the file has them: nothing of them is lost.
func format(entries []Entry) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('[')
	for i := range entries {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('{')
		for k, f := range entries[i].fields {
			if k > 0 {
				out.WriteByte(',')
			}
			name, err := jsontext.AppendQuote(nil, f.name)
			if err != nil {
				return nil, err
			}
			out.Write(name)
			out.WriteByte(':')
			out.Write(f.value)
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
	var indented bytes.Buffer
	if err := json.Indent(&indented, out.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}
