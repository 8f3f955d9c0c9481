package results_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// A packed run is the same, and what is appended to one of its lists is in no
// other one.
func TestPack(t *testing.T) {
	run := resultstest.Mixed().Run()
	want, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	run.Pack()
	got, err := json.Marshal(run)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v, %s\nwant %s", err, got, want)
	}
	for i := range run.Programs {
		for j := range run.Programs[i].Attempts {
			_ = append(run.Programs[i].Attempts[j].Steps, results.Step{ID: "another"})
		}
		_ = append(run.Programs[i].Attempts, results.Attempt{Reason: "another"})
	}
	if got, err = json.Marshal(run); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after appending: %v, %s", err, got)
	}
}

// ReadEach reads what Read does, and says of what is wrong the same.
func TestReadEach(t *testing.T) {
	whole, err := json.Marshal(resultstest.Mixed().Run())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		string(whole), string(whole[:len(whole)/2]), `{"schema_version": 1, "programs": null}`, `{"schema_version": 1, "programs": []}`,
		`{"schema_version": 1, "programs": 3}`, `{"schema_version": 1, "programs": [3]}`, `{"schema_version": 1, "programs": [{"path": 3}]}`,
		`{"schema_version": 1, "programs": [{}`, `{"schema_version": 99}`, `null`, ``,
	} {
		want, wantErr := results.Read(bytes.NewReader([]byte(text)))
		var seen []results.Program
		got, gotErr := results.ReadEach(bytes.NewReader([]byte(text)), func(p *results.Program) bool {
			seen = append(seen, *p)
			return true
		})
		if (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%.60s: %v, want %v", text, gotErr, wantErr)
			continue
		}
		if wantErr != nil {
			continue
		}
		difference, err := results.Difference(got, want)
		if err != nil || difference != "" || len(seen) != len(want.Programs) {
			t.Errorf("%.60s: %s, %v, %d programs were shown", text, difference, err, len(seen))
		}
		none, err := results.ReadEach(bytes.NewReader([]byte(text)), func(*results.Program) bool { return false })
		if err != nil || len(none.Programs) > 0 {
			t.Errorf("%.60s: %v, %d programs are kept", text, err, len(none.Programs))
		}
	}
}
