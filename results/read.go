package results

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Read reads results as results.json has them. Results of another schema
// version are an error; fields that this version does not know are passed over.
func Read(r io.Reader) (*Run, error) { return read(r) }

// ReadEach is Read that shows each every program as soon as it was read, and
// forgets those that it does not keep: runs of very many need not be in memory.
func ReadEach(r io.Reader, each func(*Program) (keep bool)) (*Run, error) {
	return read(r, json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, list *[]Program) error {
		if dec.PeekKind() != jsontext.KindBeginArray {
			return errors.ErrUnsupported // what is no list is for others to tell
		}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		for dec.PeekKind() != jsontext.KindEndArray {
			var p Program
			if err := json.UnmarshalDecode(dec, &p); err != nil {
				return err
			}
			if each(&p) {
				*list = append(*list, p)
			}
		}
		_, err := dec.ReadToken()
		return err
	})))
}

func read(r io.Reader, options ...json.Options) (*Run, error) {
	var run Run
	options = append(options, jsontext.AllowInvalidUTF8(true))
	if err := json.UnmarshalRead(bufio.NewReaderSize(r, 64<<10), &run, options...); err != nil {
		return nil, err
	}
	if run.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("is not results of this version (schema_version %d, not %d)", run.SchemaVersion, SchemaVersion)
	}
	return &run, nil
}
