package results_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// compileSchema is the embedded schema, ready to validate.
func compileSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(results.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t testing.TB, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}

// What a run gives is valid, after every single one of its events.
func TestRunsAreValid(t *testing.T) {
	schema := compileSchema(t)
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(),
		"cut": resultstest.Cut(), "hostile": resultstest.Hostile(),
	} {
		acc := results.NewAccumulator()
		for _, ev := range stream.Events {
			if err := acc.Apply(ev); err != nil {
				t.Fatal(err)
			}
			if err := validate(t, schema, []byte(asJSON(t, acc.Run()))); err != nil {
				t.Fatalf("%s after event %d: %v", name, ev.Seq, err)
			}
		}
	}
}

// Lists that a producer left nil are lists in the results.
func TestNilListsAreValid(t *testing.T) {
	p := resultstest.Program("p")
	fault := &results.Failure{
		Kind: results.EnvironmentFault, Reason: "gone",
		Candidates: []results.Candidate{{}, {Differs: []string{"x"}}},
		SelfHeal:   &results.SelfHeal{},
	}
	run := resultstest.NewStream(p).Begin(p).Attempt().EndAttempt(broken, "gone", fault).End(broken, "").Finish(false).Run()
	if err := validate(t, compileSchema(t), []byte(asJSON(t, run))); err != nil {
		t.Error(err)
	}
	if fault.Candidates[0].Differs != nil || fault.SelfHeal.RemainingSteps != nil {
		t.Error("the producer's own failure was changed")
	}
}

func TestSchemaRefuses(t *testing.T) {
	schema := compileSchema(t)
	valid := asJSON(t, resultstest.Mixed().Run())
	for _, tt := range []struct{ name, old, new string }{
		{"an unknown status", `"status": "flaky"`, `"status": "great"`},
		{"an empty status", `"status": "flaky"`, `"status": ""`},
		{"an unknown field", `"suite":`, `"sweet": 1, "suite":`},
		{"a missing field", `"suite": "learn-regression",`, ``},
		{"another version", `"schema_version": 1`, `"schema_version": 2`},
		{"a time that is none", `"started_at": "2026-`, `"started_at": "yesterday `},
		{"a severity that is none", `"severity": "error"`, `"severity": "bad"`},
	} {
		data := strings.Replace(valid, tt.old, tt.new, 1)
		if data == valid {
			t.Fatalf("%s: nothing was replaced", tt.name)
		}
		if err := validate(t, schema, []byte(data)); err == nil {
			t.Errorf("%s is valid", tt.name)
		}
	}
}

// Two runs of the same outcome compare equal although every volatile field
// differs, and another outcome does not.
func TestComparable(t *testing.T) {
	comparable := func(run *results.Run) string {
		data, err := results.Comparable(run)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	one, two := resultstest.Mixed().Run(), resultstest.Mixed().Run()
	two.ID, two.Project, two.StartedAt, two.DurationMS = "other", "/tmp", time.Now(), 99
	two.Environment.Hostname, two.Environment.UID = "ci", 0
	at := &two.Programs[0].Attempts[0]
	at.StartedAt, at.DurationMS = time.Now(), 7
	session := *at.Session
	session.Display, session.StartMS = ":9", 4
	at.Session = &session
	at.Steps[0].Timing.ActMS = 1
	if comparable(one) != comparable(two) {
		t.Error("runs that differ in volatile fields only are not equal")
	}
	for _, volatile := range []string{"started_at", "duration_ms", "hostname", "looks", "timing", "sha256", "bounds"} {
		if strings.Contains(comparable(one), `"`+volatile+`"`) {
			t.Errorf("%s is still there", volatile)
		}
	}
	two.Programs[0].Attempts[0].Steps[2].Failure.Candidates[0].Differs[0] = "title is 'X'"
	if comparable(one) == comparable(two) {
		t.Error("runs with different candidates are equal")
	}
}

// What is left of a run is exactly its JSON without the volatile fields.
func TestComparableAgreesWithTheSchema(t *testing.T) {
	data, err := results.Comparable(resultstest.Mixed().Run())
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(results.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	dropVolatile(schema)
	stripped, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(stripped))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("stripped.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("stripped.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, compiled, data); err != nil {
		t.Error(err)
	}
}

// dropVolatile takes volatile properties out of a schema.
func dropVolatile(node map[string]any) {
	if properties, ok := node["properties"].(map[string]any); ok {
		gone := map[string]bool{}
		for name, p := range properties {
			if p.(map[string]any)["x-volatile"] == true {
				delete(properties, name)
				gone[name] = true
			}
		}
		var required []any
		for _, name := range node["required"].([]any) {
			if !gone[name.(string)] {
				required = append(required, name)
			}
		}
		node["required"] = append([]any{}, required...)
	}
	for _, child := range node {
		if m, ok := child.(map[string]any); ok {
			dropVolatile(m)
		}
	}
}
