package results

import (
	"bufio"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Read reads results as results.json has them. Results of another schema
// version are an error; fields that this version does not know are passed over.
func Read(r io.Reader) (*Run, error) {
	var run Run
	if err := json.UnmarshalRead(bufio.NewReaderSize(r, 64<<10), &run, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	if run.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("is not results of this version (schema_version %d, not %d)", run.SchemaVersion, SchemaVersion)
	}
	return &run, nil
}
