package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/opendesk/opendesk/program"
)

// Procedure is a task in words, for somebody who carries it out by judgement.
type Procedure struct {
	TaskName    string   `json:"task_name"`
	Description string   `json:"description"`
	Steps       []string `json:"steps"`
	Text        string   `json:"procedure"`
}

// member is one member of a procedure's object as the text has it.
type member struct {
	name  string
	value jsontext.Value
}

// readMembers reads the one object in the text; names are unique.
func readMembers(text []byte) ([]member, error) {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	if len(text) > program.MaxFileBytes {
		return nil, fmt.Errorf("the procedure has more than %d MiB", program.MaxFileBytes>>20)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if kind := dec.PeekKind(); kind != jsontext.KindBeginObject && kind != jsontext.KindInvalid {
		return nil, errors.New("a procedure is an object with task_name, description, steps and procedure")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(text, err)
	}
	var members []member
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(text, err)
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, notJSON(text, err)
		}
		m.value = value.Clone()
		members = append(members, m)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(text, err)
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("something follows the procedure: give one and nothing else")
	}
	return members, nil
}

// notJSON says where the text is no JSON.
func notJSON(text []byte, err error) error {
	var syntax *jsontext.SyntacticError
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("the procedure is empty")
	}
	if !errors.As(err, &syntax) {
		return fmt.Errorf("the procedure is not JSON: %w", err)
	}
	before := text[:min(int(syntax.ByteOffset), len(text))]
	return fmt.Errorf("the procedure is not JSON: line %d: %w", 1+bytes.Count(before, []byte("\n")), syntax.Err)
}

// ParseProcedure reads a procedure. What its fields hold is taken as it comes,
// since it is written for people: a step that is no text is given as JSON.
func ParseProcedure(text []byte) (*Procedure, error) {
	members, err := readMembers(text)
	if err != nil {
		return nil, err
	}
	p := &Procedure{Steps: []string{}}
	for _, m := range members {
		switch m.name {
		case "task_name":
			p.TaskName = words(m.value)
		case "description":
			p.Description = words(m.value)
		case "procedure":
			p.Text = words(m.value)
		case "steps":
			var steps []jsontext.Value
			if json.Unmarshal(m.value, &steps) != nil {
				p.Steps = append(p.Steps, words(m.value))
			}
			for _, step := range steps {
				p.Steps = append(p.Steps, words(step))
			}
		}
	}
	return p, nil
}

// words is the text of a value, or the value itself where it is none.
func words(v jsontext.Value) string {
	switch v.Kind() {
	case jsontext.KindNull:
		return ""
	case jsontext.KindString:
		if text, err := jsontext.AppendUnquote(nil, v); err == nil {
			return string(text)
		}
	}
	return string(v)
}

// LoadProcedure reads the task's procedure.
func LoadProcedure(t Task) (*Procedure, error) {
	if !isFile(t.ProcedureFile()) { // reading a pipe would wait for a writer
		return nil, fmt.Errorf("%s is no file", t.ProcedureFile())
	}
	data, err := os.ReadFile(t.ProcedureFile())
	if err != nil {
		return nil, err
	}
	p, err := ParseProcedure(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.ProcedureFile(), err)
	}
	if p.TaskName == "" {
		p.TaskName = t.Name
	}
	return p, nil
}

// Prompt is what an agent is told to carry the procedure out.
func (p *Procedure) Prompt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Task: %s\n", oneLine(p.TaskName))
	if p.Description != "" {
		fmt.Fprintf(&b, "Goal: %s\n", oneLine(p.Description))
	}
	if len(p.Steps) > 0 {
		b.WriteString("\nSteps:\n")
		for i, step := range p.Steps {
			fmt.Fprintf(&b, "%3d. %s\n", i+1, oneLine(step))
		}
	}
	if p.Text != "" {
		fmt.Fprintf(&b, "\nProcedure:\n%s\n", strings.TrimSpace(printable(p.Text)))
	}
	b.WriteString(`
Carry this task out step by step with the tools that you have. Name elements by
app, role and title (the ui tool) before you reach for anything else; look at a
screenshot where that finds nothing, and use coordinates last. Files, windows
and versions may differ from what the steps say: do what they mean, and check
after each step that it happened.
`)
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// printable drops control characters other than line breaks and tabs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// SaveProcedure writes the task's procedure out of its text, an object with
// task_name (title where it is silent), description, steps and procedure; what
// else it holds is kept. One that is there already is replaced only where
// overwrite is set: otherwise the error is an *ExistsError.
func SaveProcedure(ctx context.Context, t Task, title string, text []byte, overwrite bool) (*Procedure, error) {
	members, err := readMembers(text)
	if err != nil {
		return nil, err
	}
	if members, err = checkMembers(members, title); err != nil {
		return nil, err
	}
	data, err := formatMembers(members)
	if err != nil {
		return nil, err
	}
	p, err := ParseProcedure(data)
	if err != nil {
		return nil, err
	}
	if len(p.Steps) == 0 && strings.TrimSpace(p.Text) == "" {
		return nil, errors.New("the procedure has neither steps nor a procedure: say how the task is done")
	}
	return p, write(ctx, t.ProcedureFile(), data, overwrite)
}

// checkMembers holds the fields against their types, all problems at once, and
// adds the task's name where there is none.
func checkMembers(members []member, title string) ([]member, error) {
	var problems []error
	named := false
	for _, m := range members {
		switch m.name {
		case "task_name", "description", "procedure":
			if m.value.Kind() != jsontext.KindString && m.value.Kind() != jsontext.KindNull {
				problems = append(problems, fmt.Errorf("%s must be a string", m.name))
			}
			named = named || m.name == "task_name" && words(m.value) != ""
		case "steps":
			var steps []string
			if json.Unmarshal(m.value, &steps) != nil {
				problems = append(problems, errors.New("steps must be a list of sentences, each a string"))
			}
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	if named {
		return members, nil
	}
	name, err := jsontext.AppendQuote(nil, title)
	if err != nil {
		return nil, err
	}
	rest := make([]member, 0, len(members)+1)
	rest = append(rest, member{"task_name", name})
	for _, m := range members {
		if m.name != "task_name" {
			rest = append(rest, m)
		}
	}
	return rest, nil
}

// formatMembers writes the object with a line for each member and item.
func formatMembers(members []member) ([]byte, error) {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true))
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, m := range members {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return nil, err
		}
		if err := enc.WriteValue(m.value); err != nil {
			return nil, err
		}
	}
	if err := enc.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
