// Package json writes results.json: the run as it is.
package json

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/opendesk/opendesk/results"
)

// options are encoding/json's rules with two spaces of indentation. That
// package itself would have the whole text in memory, twice.
var options = json.JoinOptions(
	jsonv1.DefaultOptionsV1(), jsontext.WithIndent("  "), jsontext.EscapeForHTML(false),
)

// Write writes the run as indented JSON that ends in a line feed.
func Write(w io.Writer, run *results.Run) error {
	if err := json.MarshalEncode(jsontext.NewEncoder(w, options), run); err != nil {
		return fmt.Errorf("write results as JSON: %w", err)
	}
	return nil
}
