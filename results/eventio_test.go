package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// countingWriter counts writes and fails from the nth on.
type countingWriter struct {
	bytes.Buffer
	writes, failFrom int
}

var errFull = errors.New("no space left on device")

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	if w.failFrom > 0 && w.writes >= w.failFrom {
		n, _ := w.Buffer.Write(p[:len(p)/2])
		return n, errFull
	}
	return w.Buffer.Write(p)
}

func TestWriterNumbersAndFlushesEachEvent(t *testing.T) {
	var w countingWriter
	ew := results.NewEventWriter(&w)
	for i := range 3 {
		ev := results.Event{Seq: 77, Type: results.EventWarning, Warning: &results.Warning{Message: "<a & b>"}}
		if err := ew.Write(&ev); err != nil {
			t.Fatal(err)
		}
		if ev.Seq != int64(i+1) || ev.Time.IsZero() || ev.Time.Location() != time.UTC {
			t.Errorf("event %d has seq %d, time %v", i, ev.Seq, ev.Time)
		}
		if w.writes != i+1 {
			t.Errorf("%d writes after %d events", w.writes, i+1)
		}
	}
	if !strings.Contains(w.String(), "<a & b>") {
		t.Errorf("text was escaped: %s", w.String())
	}
}

// After a torn line nothing may follow it, and what stands before it counts.
func TestWriterStopsAfterAnError(t *testing.T) {
	w := countingWriter{failFrom: 5}
	ew := results.NewEventWriter(&w)
	failures := 0
	for _, ev := range resultstest.Passing().Events {
		if err := ew.Write(&ev); err != nil {
			failures++
			if !errors.Is(err, errFull) {
				t.Errorf("error is %v", err)
			}
		}
	}
	if w.writes != 5 || failures != len(resultstest.Passing().Events)-4 {
		t.Errorf("%d writes and %d failures", w.writes, failures)
	}
	run, err := results.Rebuild(&w.Buffer)
	if err != nil || !run.Interrupted {
		t.Errorf("rebuilt %v, %v", run, err)
	}
}

func TestWriterRefusesWhatTheReaderWould(t *testing.T) {
	var buf bytes.Buffer
	ev := results.Event{Seq: 1, Type: results.EventWarning, Warning: &results.Warning{Message: strings.Repeat("x", results.MaxEventBytes)}}
	if err := results.NewEventWriter(&buf).Write(&ev); !errors.Is(err, results.ErrEventTooLong) || buf.Len() > 0 {
		t.Errorf("error %v, %d bytes written", err, buf.Len())
	}
	if err := results.WriteEvent(&buf, ev); !errors.Is(err, results.ErrEventTooLong) || buf.Len() > 0 {
		t.Errorf("error %v, %d bytes written at once", err, buf.Len())
	}
	if err := results.WriteEvent(&countingWriter{failFrom: 1}, results.Event{Seq: 1, Type: results.EventWarning}); !errors.Is(err, errFull) {
		t.Errorf("error is %v", err)
	}
	// The longest line that there is, to the byte.
	ev.Time = resultstest.Start
	ev.Warning.Message = ""
	if err := results.WriteEvent(&buf, ev); err != nil {
		t.Fatal(err)
	}
	room := results.MaxEventBytes - buf.Len()
	for extra, fits := range map[int]bool{0: true, 1: false} {
		ev.Warning.Message = strings.Repeat("x", room+extra)
		var one, other bytes.Buffer
		same := ev
		if err := results.NewEventWriter(&one).Write(&same); (err == nil) != fits {
			t.Errorf("%d more: %v", extra, err)
		}
		if err := results.WriteEvent(&other, ev); (err == nil) != fits || !bytes.Equal(one.Bytes(), other.Bytes()) {
			t.Errorf("%d more: %v, %d bytes, %d by the writer", extra, err, other.Len(), one.Len())
		}
	}
}

// One event alone is written as the writer of many does.
func TestWriteEvent(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"mixed": resultstest.Mixed(), "hostile": resultstest.Hostile(),
	} {
		var want, got bytes.Buffer
		writer := results.NewEventWriter(&want)
		for _, ev := range stream.Events {
			if err := writer.Write(&ev); err != nil {
				t.Fatal(err)
			}
			ev.Time = ev.Time.In(time.FixedZone("there", 3600))
			if err := results.WriteEvent(&got, ev); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want.String() {
			t.Errorf("%s: written differently", name)
		}
	}
}

func TestReaderErrorsAreLocated(t *testing.T) {
	const ok = `{"seq":1,"time":"2026-01-02T03:04:05Z","type":"warning"}` + "\n"
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", ok + "\nnope\n", "e.ndjson:3: invalid character"},
		{"no type", ok + "{}\n", "e.ndjson:2: the event has no type"},
		{"unknown type", `{"type":"party"}` + "\n", `"party" is not a type of event`},
		{"unknown status", `{"type":"program_finished","program":{"path":"p","status":"great"}}` + "\n", `"great" is not a status (known: passed,`},
		{"unknown step status", `{"type":"step_finished","step":{"status":"flaky"}}` + "\n", `"flaky" is not a step status`},
		{"torn", ok + `{"type":"war`, "e.ndjson:2: the last line is torn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := results.NewEventReader(strings.NewReader(tt.in), "e.ndjson")
			var err error
			for err == nil {
				_, err = r.Next()
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if errors.Is(err, results.ErrTorn) != (tt.name == "torn") {
				t.Errorf("torn: %v", err)
			}
		})
	}
}

// endless yields one byte for ever.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

func TestReaderBoundsItsLines(t *testing.T) {
	var src endless
	_, err := results.NewEventReader(&src, "e").Next()
	if err == nil || !strings.Contains(err.Error(), "longer than") || src.read > results.MaxEventBytes+1<<20 {
		t.Errorf("error %v after %d bytes", err, src.read)
	}
}

func TestReaderTakesALastLineWithoutAnEnd(t *testing.T) {
	r := results.NewEventReader(strings.NewReader(`{"type":"warning"}`), "e")
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("error %v, want io.EOF", err)
	}
}

func TestRebuildOfADamagedStream(t *testing.T) {
	data := ndjson(t, resultstest.Mixed().Events)
	lines := bytes.SplitAfter(data, []byte("\n"))
	// A line that is gone from the middle.
	run, err := results.Rebuild(bytes.NewReader(bytes.Join(append(lines[:8:8], lines[9:]...), nil)))
	if err == nil || !strings.Contains(err.Error(), "events.ndjson:9: ") || run == nil || !run.Interrupted {
		t.Errorf("run %v, error %v", run, err)
	}
	if _, err := results.Rebuild(strings.NewReader("")); err == nil {
		t.Error("an empty stream gave results")
	}
}

// Every constant of an enum is in its list, or it could not be read back.
func TestEnumListsAreComplete(t *testing.T) {
	lists := map[string]map[string]bool{}
	for name, list := range map[string]any{
		"Status": results.Statuses, "StepStatus": results.StepStatuses, "Means": results.AllMeans,
		"WarningKind": results.WarningKinds, "FailureKind": results.FailureKinds, "EventType": results.EventTypes,
	} {
		lists[name] = map[string]bool{}
		v := reflect.ValueOf(list)
		for i := range v.Len() {
			lists[name][v.Index(i).String()] = true
		}
	}
	for _, file := range []string{"enums.go", "events.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil || len(spec.Values) != 1 {
				return true
			}
			typ, isIdent := spec.Type.(*ast.Ident)
			lit, isLit := spec.Values[0].(*ast.BasicLit)
			if !isIdent || !isLit {
				return true
			}
			value, _ := strconv.Unquote(lit.Value)
			if lists[typ.Name] == nil || !lists[typ.Name][value] {
				t.Errorf("%s %q is in no list", typ.Name, value)
			}
			return true
		})
	}
}

func TestEnumsAreStrictWhenDecoded(t *testing.T) {
	for _, target := range []any{
		new(results.Status), new(results.StepStatus), new(results.Means),
		new(results.WarningKind), new(results.FailureKind), new(results.EventType),
	} {
		err := json.Unmarshal([]byte(`"nonsense"`), target)
		if err == nil || !strings.Contains(err.Error(), `"nonsense" is not a `) {
			t.Errorf("%T: error %v", target, err)
		}
	}
}

// Whatever the bytes, reading ends, and what Rebuild gives is definite.
func FuzzRebuild(f *testing.F) {
	for _, s := range []*resultstest.Stream{resultstest.Passing(), resultstest.Cut(), resultstest.Empty()} {
		f.Add(ndjson(f, s.Events))
	}
	f.Add([]byte(`{"type":"run_started","run":{}}` + "\n" + `{"type":"program_started","path":"p","program":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := results.Rebuild(bytes.NewReader(data))
		if run == nil {
			if err == nil {
				t.Fatal("neither results nor an error")
			}
			return
		}
		if !run.Status.Valid() {
			t.Fatalf("run is %q", run.Status)
		}
		passing := run.Counts.Passed + run.Counts.Flaky
		for _, p := range run.Programs {
			if !p.Status.Valid() {
				t.Fatalf("%s is %q", p.Path, p.Status)
			}
			if p.Status == passed || p.Status == flaky {
				passing--
				if p.Final() == nil || p.Final().Status != passed {
					t.Fatalf("%s is %s without an attempt that passed", p.Path, p.Status)
				}
			}
		}
		if passing != 0 {
			t.Fatal("the counts do not add up")
		}
		if _, err := json.Marshal(run); err != nil {
			t.Fatal(err)
		}
	})
}
