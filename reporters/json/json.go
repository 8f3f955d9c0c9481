// Package json writes results.json: the run as it is.
package json

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/opendesk/opendesk/results"
)

// Write writes the run as indented JSON that ends in a line feed.
func Write(w io.Writer, run *results.Run) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(run); err != nil {
		return fmt.Errorf("write results as JSON: %w", err)
	}
	return nil
}
