package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/opendesk/opendesk/reporters/json"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

func TestWrittenRunIsReadBackAndValid(t *testing.T) {
	schemaDoc, err := jsonschema.UnmarshalJSON(bytes.NewReader(results.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", schemaDoc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("schema.json")
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "mixed": resultstest.Mixed(), "hostile": resultstest.Hostile(),
	} {
		var buf bytes.Buffer
		if err := json.Write(&buf, stream.Run()); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(buf.Bytes(), []byte("}\n")) {
			t.Errorf("%s: no line feed at the end", name)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(buf.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var back results.Run
		if err := stdjson.Unmarshal(buf.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		// Bytes that are not UTF-8 come back as U+FFFD and stay that.
		var again bytes.Buffer
		if err := json.Write(&again, &back); err != nil {
			t.Fatal(err)
		}
		var twice results.Run
		if err := stdjson.Unmarshal(again.Bytes(), &twice); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(twice, back) {
			t.Errorf("%s: what was read back is written differently", name)
		}
	}
}

// The text is that of encoding/json, and results.Read reads them as it does.
func TestWrittenAsEncodingJSONDoes(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(),
		"cut": resultstest.Cut(), "hostile": resultstest.Hostile(),
	} {
		run := stream.Run()
		var got bytes.Buffer
		if err := json.Write(&got, run); err != nil {
			t.Fatal(err)
		}
		// It escapes what stands for a byte that is not UTF-8.
		if w := strings.ReplaceAll(encodingJSON(t, run), `\ufffd`, "\ufffd"); got.String() != w {
			t.Errorf("%s: written\n%s\nwant\n%s", name, &got, w)
		}
		var std results.Run
		if err := stdjson.Unmarshal(got.Bytes(), &std); err != nil {
			t.Fatal(err)
		}
		if read, err := results.Read(&got); err != nil || !reflect.DeepEqual(*read, std) {
			t.Errorf("%s: read as %+v, %v", name, read, err)
		}
	}
	if _, err := results.Read(bytes.NewReader([]byte(`{"schema_version": 9}`))); err == nil {
		t.Error("results of another version were read")
	}
}

// A run of many programs is written as one of few is, wherever its chunks end.
func TestManyProgramsAreWrittenAsFewAre(t *testing.T) {
	some := resultstest.Hostile().Run()
	some.Notes = append(some.Notes, "\n  \"programs\": []")
	some.Programs = append(some.Programs, resultstest.Mixed().Run().Programs...)
	for _, n := range []int{63, 64, 65, 128, 129, 700} {
		run := *some
		run.Programs = nil
		for len(run.Programs) < n {
			run.Programs = append(run.Programs, some.Programs[len(run.Programs)%len(some.Programs)])
		}
		var got, want bytes.Buffer
		if err := json.Write(&got, &run); err != nil {
			t.Fatal(err)
		}
		enc := stdjson.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(&run); err != nil {
			t.Fatal(err)
		}
		if w := strings.ReplaceAll(want.String(), `\ufffd`, "\ufffd"); got.String() != w {
			t.Errorf("%d programs are written differently", n)
		}
	}
}

// largest counts the longest single write.
type largest int

func (l *largest) Write(p []byte) (int, error) {
	*l = max(*l, largest(len(p)))
	return len(p), nil
}

// A large run is written as it is made, not kept in memory.
func TestWriteStreams(t *testing.T) {
	run := resultstest.Mixed().Run()
	for len(run.Programs) < 2000 {
		run.Programs = append(run.Programs, run.Programs[:10]...)
	}
	var l largest
	if err := json.Write(&l, run); err != nil || l > 1<<20 {
		t.Errorf("%d bytes at a time, %v", l, err)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	many := resultstest.Empty().Run()
	many.Programs = make([]results.Program, 1000)
	for _, run := range []*results.Run{resultstest.Empty().Run(), many} {
		if err := json.Write(fullDisk{}, run); !errors.Is(err, errFull) {
			t.Errorf("%d programs: error %v", len(run.Programs), err)
		}
	}
}

// Of very many programs each is one line, and the whole says the same.
func TestLargeRunsHaveAProgramOnALine(t *testing.T) {
	run := resultstest.Mixed().Run()
	few := run.Programs
	run.Programs = nil
	for len(run.Programs) <= 5000 {
		run.Programs = append(run.Programs, few...)
	}
	var text bytes.Buffer
	if err := json.Write(&text, run); err != nil {
		t.Fatal(err)
	}
	programs := 0
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, `    {"path":`) {
			programs++
		}
	}
	if programs != len(run.Programs) {
		t.Errorf("%d lines of programs, want %d", programs, len(run.Programs))
	}
	var large bytes.Buffer
	if err := stdjson.Indent(&large, text.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	if large.String() != encodingJSON(t, run) {
		t.Error("it says something else than the indented text")
	}
}

// encodingJSON is the run as encoding/json writes it, indented.
func encodingJSON(t *testing.T, run *results.Run) string {
	t.Helper()
	var text bytes.Buffer
	encoder := stdjson.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(run); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
