package program

import (
	"bytes"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func FuzzParse(f *testing.F) {
	archive, err := txtar.ParseFile(tableFile)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if filepath.Ext(file.Name) == ".json" {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("\xEF\xBB\xBF{}"))
	f.Add([]byte("\xff\xfe{\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		prog, problems := Parse("x", data)
		if (prog == nil) != HasErrors(problems) {
			t.Fatalf("loaded: %v, problems: %v", prog != nil, problems)
		}
		lines := bytes.Split(data, []byte("\n"))
		inside := func(line, column int) bool {
			return line >= 1 && line <= len(lines) && column >= 1 && column <= len(lines[line-1])+1
		}
		for i, p := range problems {
			if p.Code == CodeTooManyProblems {
				continue
			}
			if !inside(p.Line, p.Column) {
				t.Fatalf("outside of the file: %v", p)
			}
			if severityOf[p.Code] != p.Severity || p.Message == "" || p.File != "x" {
				t.Fatalf("incomplete: %+v", p)
			}
			if i > 0 && (problems[i-1].Line > p.Line || problems[i-1].Line == p.Line && problems[i-1].Column > p.Column) {
				t.Fatalf("not in the order of the file: %v", problems)
			}
		}
		if prog != nil {
			checkProgram(t, prog, data, inside)
		}
		again, problemsAgain := Parse("x", data)
		if !reflect.DeepEqual(prog, again) || !reflect.DeepEqual(problems, problemsAgain) {
			t.Fatal("another result the second time")
		}
	})
}

// checkProgram holds a program to what its type promises.
func checkProgram(t *testing.T, prog *Program, data []byte, inside func(line, column int) bool) {
	t.Helper()
	if !bytes.Equal(prog.Raw, data) || len(prog.Steps) == 0 {
		t.Fatalf("not the file's program: %+v", prog)
	}
	ids := map[string]bool{}
	for i, s := range prog.Steps {
		if s.ID == "" || ids[s.ID] || s.Index != i || !inside(s.Line, s.Column) || !bytes.Contains(data, s.Raw) || s.Params == nil {
			t.Fatalf("step %d: %+v", i, s)
		}
		ids[s.ID] = true
		if s.Wait < 0 || s.Wait > MaxTime || s.ResolveTimeout < 0 || s.ResolveTimeout > MaxTime {
			t.Fatalf("step %d: times %v and %v", i, s.Wait, s.ResolveTimeout)
		}
		if s.Target != nil && s.Target.IsZero() {
			t.Fatalf("step %d: an empty target", i)
		}
		if p := s.Postcondition; p != nil {
			if (p.Kind == ElementExists) != (p.Element != nil) || p.Element == nil && p.Value == "" && p.Kind != ExitCode || (p.Kind == FileContains) != (p.File != "") || p.Code < 0 || p.Code > MaxExitCode || !inside(p.Line, p.Column) {
				t.Fatalf("step %d: %+v", i, p)
			}
		}
	}
}

func FuzzPosition(f *testing.F) {
	f.Add([]byte("a\nżółw\n\nx"), 3)
	f.Fuzz(func(t *testing.T, data []byte, offset int) {
		line, column := newSource("x", data).position(offset)
		at := min(max(offset, bomLength(data)), len(data))
		before := data[bomLength(data):at]
		lastLine := before[bytes.LastIndexByte(before, '\n')+1:]
		characters := 0
		for _, b := range lastLine {
			if b&0xC0 != 0x80 {
				characters++
			}
		}
		if line != 1+bytes.Count(before, []byte("\n")) || column != 1+characters {
			t.Errorf("offset %d is %d:%d", offset, line, column)
		}
	})
}
