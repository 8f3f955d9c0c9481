package ndjson_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/reporters/ndjson"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }

// TestEventsAreWrittenOrCopied: what comes while a run goes on is what is copied
// when it is over, without a line that was torn; where there is nothing to copy,
// the error says so.
func TestEventsAreWrittenOrCopied(t *testing.T) {
	events := resultstest.Mixed().Events
	var live file
	r := ndjson.New(func() (io.WriteCloser, error) { return &live, nil }, "")
	for _, ev := range events {
		r.Event(ev)
	}
	if err := r.Finish(nil); err != nil || bytes.Count(live.Bytes(), []byte("\n")) != len(events) {
		t.Fatalf("%d lines of %d events, %v", bytes.Count(live.Bytes(), []byte("\n")), len(events), err)
	}
	path := filepath.Join(t.TempDir(), "events.ndjson")
	if err := os.WriteFile(path, append(bytes.Clone(live.Bytes()), `{"seq": 9`...), 0o644); err != nil {
		t.Fatal(err)
	}
	var copied file
	if err := ndjson.New(func() (io.WriteCloser, error) { return &copied, nil }, path).Finish(&results.Run{}); err != nil || !bytes.Equal(copied.Bytes(), live.Bytes()) {
		t.Errorf("copied, %v:\n%s", err, copied.String())
	}
	for events, named := range map[string]string{"": "events.ndjson", path + ".gone": path + ".gone"} {
		err := ndjson.New(func() (io.WriteCloser, error) { return &file{}, nil }, events).Finish(&results.Run{})
		if err == nil || !strings.Contains(err.Error(), "the run's events are not there ("+named+")") {
			t.Errorf("%q: %v", events, err)
		}
	}
}
