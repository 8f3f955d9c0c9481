// Package secrets has the values that a program's variables stand for, and
// keeps them out of everything that is written: events, results, reports, logs
// and files. What it finds of a value is replaced by the variable, as the
// program has it.
package secrets

import (
	"fmt"
	"maps"
	"slices"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
)

// Secrets are the values of variables. Nil has none, and is fit for use.
type Secrets struct {
	values map[string]string
	masks  []mask
}

// UnsetError says that variables have no value, or none with anything in it
// that shows: a text of nothing would be found everywhere.
type UnsetError struct {
	Name string
	// Step is the id of the first step that needs it.
	Step string
}

func (e *UnsetError) Error() string {
	return fmt.Sprintf("the variable %s is not set, or empty: step %s needs it (%s)", e.Name, e.Step, program.Reference(e.Name))
}

// Of looks up the variables of the steps; nil where they have none. The error is
// an *UnsetError.
func Of(steps []program.Step, getenv func(name string) string) (*Secrets, error) {
	values := map[string]string{}
	for _, s := range steps {
		for _, name := range s.Variables() {
			value := ""
			if getenv != nil {
				value = getenv(name)
			}
			if fold.Text(value) == "" {
				return nil, &UnsetError{Name: name, Step: s.ID}
			}
			values[name] = value
		}
	}
	return New(values), nil
}

// New makes Secrets of values by name, nil where there are none.
func New(values map[string]string) *Secrets {
	if len(values) == 0 {
		return nil
	}
	s := &Secrets{values: values}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if m, ok := newMask(name, values[name]); ok {
			s.masks = append(s.masks, m)
		}
	}
	// What is a part of another value is masked after it.
	slices.SortStableFunc(s.masks, func(a, b mask) int { return len(b.value) - len(a.value) })
	return s
}

// Values are all of them, by name.
func (s *Secrets) Values() map[string]string {
	if s == nil {
		return nil
	}
	return maps.Clone(s.values)
}

// Expand puts the values into the step's texts. used says that there were any.
func (s *Secrets) Expand(step program.Step) (expanded program.Step, used bool) {
	used = len(step.Variables()) > 0
	return step.Expanded(func(name string) string {
		if s == nil {
			return ""
		}
		return s.values[name]
	}), used
}
