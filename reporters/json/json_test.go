package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"reflect"
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

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	if err := json.Write(fullDisk{}, resultstest.Empty().Run()); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}
