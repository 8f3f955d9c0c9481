package history

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

// storedStep is a step in the table steps, which has one row for all steps of an
// outcome: rows of their own took a sixth of the time of a large night.
type storedStep struct {
	// Place is where it stands in the file, from 0; nil behind the one before.
	Place *int   `json:"place,omitzero"`
	ID    string `json:"id,omitzero"`
	// Status is "" for passed, which most are.
	Status string `json:"status,omitzero"`
	MS     int64  `json:"ms"`
	Target string `json:"target,omitzero"` // by what the target was found
	Acted  string `json:"acted,omitzero"`  // what acted
	Held   string `json:"held,omitzero"`   // by what the postcondition held
}

// unknown is the stored status of a step whose status is not known.
const unknown = "unknown"

// encodeSteps are the steps as the table has them, without those that were never
// begun; nil for none. list is used again.
func encodeSteps(steps []compare.StepOutcome, list *[]storedStep) ([]byte, error) {
	*list = (*list)[:0]
	next := 0
	for place, s := range steps {
		if s.Status == results.StepBlocked {
			continue
		}
		stored := storedStep{nil, s.ID, string(s.Status), s.DurationMS, string(s.Target), s.ActedBy, string(s.Held)}
		if place != next {
			stored.Place = &place
		}
		next = place + 1
		switch s.Status {
		case results.StepPassed:
			stored.Status = ""
		case "":
			stored.Status = unknown
		}
		*list = append(*list, stored)
	}
	if len(*list) == 0 {
		return nil, nil
	}
	return json.Marshal(*list, jsontext.AllowInvalidUTF8(true))
}

// decodeSteps reads what encodeSteps gives.
func decodeSteps(data []byte) ([]compare.StepOutcome, error) {
	var list []storedStep
	if err := json.Unmarshal(data, &list, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	steps := make([]compare.StepOutcome, 0, len(list))
	place := 0
	for _, s := range list {
		if s.Place != nil {
			place = *s.Place
		}
		status := results.StepStatus(s.Status)
		switch s.Status {
		case "":
			status = results.StepPassed
		case unknown:
			status = ""
		}
		steps = append(steps, compare.StepOutcome{StepRef: compare.StepRef{Index: place, ID: s.ID},
			Status: status, DurationMS: s.MS,
			Target: results.Means(s.Target), ActedBy: s.Acted, Held: results.Means(s.Held)})
		place++
	}
	return steps, nil
}
