package history

import (
	"reflect"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

func TestSteps(t *testing.T) {
	step := func(place int, id string, status results.StepStatus) compare.StepOutcome {
		return compare.StepOutcome{StepRef: compare.StepRef{Index: place, ID: id}, Status: status, DurationMS: int64(place)}
	}
	means := step(0, "s1", results.StepPassed)
	means.Target, means.ActedBy, means.Held = "title", "keys", "ocr"
	passed, failed, blocked := results.StepPassed, results.StepFailed, results.StepBlocked
	var list []storedStep
	for _, c := range []struct {
		steps []compare.StepOutcome
		text  string
	}{
		{nil, ""},
		{[]compare.StepOutcome{step(0, "s1", blocked)}, ""},
		{[]compare.StepOutcome{means, step(1, "s2", failed)},
			`[{"id":"s1","ms":0,"target":"title","acted":"keys","held":"ocr"},{"id":"s2","status":"failed","ms":1}]`},
		{[]compare.StepOutcome{step(0, "s1", "")}, `[{"id":"s1","status":"unknown","ms":0}]`},
		{[]compare.StepOutcome{step(0, "", blocked), step(1, "b", passed), step(2, "c", passed), step(3, "d", blocked), step(4, "\xff", passed)},
			`[{"place":1,"id":"b","ms":1},{"id":"c","ms":2},{"place":4,"id":"�","ms":4}]`},
	} {
		data, err := encodeSteps(c.steps, &list)
		if string(data) != c.text || err != nil {
			t.Errorf("%s, %v\nwant %s", data, err, c.text)
		}
		if data == nil {
			continue
		}
		var want []compare.StepOutcome
		for _, s := range c.steps {
			if s.Status != blocked {
				want = append(want, s)
			}
		}
		got, err := decodeSteps(data)
		if err == nil && len(got) > 0 && got[len(got)-1].ID == "\ufffd" {
			got[len(got)-1].ID = "\xff"
		}
		if !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("%+v, %v\nwant %+v", got, err, want)
		}
	}
}
