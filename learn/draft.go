package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/opendesk/opendesk/program"
)

// draft is a step that is made out of what was done, with its members in the
// order in which files have them.
type draft struct {
	Tool          string         `json:"tool"`
	Params        map[string]any `json:"params,omitempty"`
	Target        *draftTarget   `json:"target,omitempty"`
	Postcondition map[string]any `json:"postcondition,omitempty"`
	WaitMS        int            `json:"wait_ms,omitempty"`
	Note          string         `json:"note,omitempty"`
}

type draftTarget struct {
	App        string `json:"app,omitempty"`
	Role       string `json:"role,omitempty"`
	Title      string `json:"title,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	Ref        string `json:"ref,omitempty"`
}

// set sets the field of that name; false where there is none. An empty text
// leaves it empty.
func (t *draftTarget) set(field, text string) bool {
	fields := map[string]*string{"app": &t.App, "role": &t.Role, "title": &t.Title, "identifier": &t.Identifier, "ref": &t.Ref}
	place, ok := fields[field]
	if ok {
		*place = text
	}
	return ok
}

// fault says on one line why no program may have the step, nil where one may.
func (s draft) fault() error {
	_, err := compose("", program.Header{Name: "step"}, []draft{s})
	var invalid *program.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	reasons := make([]string, len(invalid.Problems))
	for i, p := range invalid.Problems {
		reasons[i] = strings.TrimPrefix(p.JSONPath+" "+p.Message, "steps[0].")
	}
	return errors.New(strings.Join(reasons, ", "))
}

// compose makes a program of the steps.
func compose(path string, h program.Header, steps []draft) (*program.Composed, error) {
	text, err := marshal(steps)
	if err != nil {
		return nil, err
	}
	return program.Compose(path, h, text)
}

// marshal writes JSON with "<" and the like as they are.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// Saved is what came of a session or of a recording.
type Saved struct {
	*program.Composed
	// Procedure says that a basic procedure was written as well.
	Procedure bool
	// Notes say what needs a look.
	Notes []string
}

// save writes the program of the steps and, for a task that has no procedure, a
// basic one.
func save(ctx context.Context, t Task, h program.Header, steps []draft, notes []string, overwrite bool, by Author) (*Saved, error) {
	composed, err := compose(t.ProgramFile(), h, steps)
	if err != nil {
		return nil, err
	}
	if err := writeProgram(ctx, t, composed.Data, overwrite, by); err != nil {
		return nil, err
	}
	saved := &Saved{Composed: composed, Notes: notes}
	if isFile(t.ProcedureFile()) {
		return saved, nil
	}
	words := Procedure{TaskName: h.Name, Description: h.Description, Steps: []string{}}
	for _, s := range composed.Program.Steps {
		words.Steps = append(words.Steps, s.Summary())
	}
	text, err := marshal(words)
	if err != nil {
		return nil, err
	}
	_, err = SaveProcedure(ctx, t, h.Name, text, false)
	var exists *ExistsError
	if errors.As(err, &exists) { // somebody was quicker
		return saved, nil
	}
	saved.Procedure = err == nil
	return saved, err
}

func same(a, b map[string]any) bool {
	x, errX := marshal(a)
	y, errY := marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
