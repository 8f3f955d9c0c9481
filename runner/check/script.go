package check

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/script"
)

// met is the observation of a condition on a script that holds.
var met = Observation{Met: true, Means: results.MeansScript}

// left is what the condition's script has left; an error where none ran.
func (c Condition) left() (*script.Outcome, error) {
	if c.Script == nil {
		return nil, fmt.Errorf("postcondition kind %q needs a script that has run", c.Kind)
	}
	return c.Script, nil
}

func (c *Checker) exitCode(_ context.Context, cond Condition) (Observation, error) {
	left, err := cond.left()
	switch {
	case err != nil:
		return Observation{}, err
	case left.ExitCode == cond.Code:
		return met, nil
	}
	return Observation{Observed: fmt.Sprintf("exit code is %d", left.ExitCode)}, nil
}

func (c *Checker) outputContains(_ context.Context, cond Condition) (Observation, error) {
	left, err := cond.left()
	switch {
	case err != nil:
		return Observation{}, err
	case strings.Contains(string(left.Output), cond.Value):
		return met, nil
	}
	return Observation{Observed: printed(left)}, nil
}

func (c *Checker) outputMatches(_ context.Context, cond Condition) (Observation, error) {
	left, err := cond.left()
	if err != nil {
		return Observation{}, err
	}
	pattern, err := regexp.Compile(cond.Value)
	switch {
	case err != nil:
		return Observation{}, err
	case pattern.Match(left.Output):
		return met, nil
	}
	return Observation{Observed: printed(left)}, nil
}

// printed says what the script printed instead.
func printed(left *script.Outcome) string {
	text := "output is " + quoted(string(left.Output))
	if fold.Space(string(left.Output)) == "" {
		text = "it printed nothing"
	}
	if left.OutputLost > 0 {
		text += fmt.Sprintf("; only its first %d bytes were looked at, %d more were not kept", len(left.Output), left.OutputLost)
	}
	return text
}

func (c *Checker) fileContains(_ context.Context, cond Condition) (Observation, error) {
	left, err := cond.left()
	if err != nil {
		return Observation{}, err
	}
	var names []string
	for _, f := range left.Files {
		switch {
		case f.Name != cond.File:
			names = append(names, f.Name)
		case strings.Contains(string(f.Data), cond.Value):
			return met, nil
		default:
			return Observation{Observed: fmt.Sprintf("%s holds %s", f.Name, quoted(string(f.Data)))}, nil
		}
	}
	text := fmt.Sprintf("the script left no file %s", cond.File)
	if len(names) > 0 {
		text += "; it left " + strings.Join(names[:min(len(names), shownNames)], ", ")
		if more := len(names) - shownNames; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	if left.FilesLeft > 0 {
		text += fmt.Sprintf("; %d were not taken, since they are too many or too large", left.FilesLeft)
	}
	return Observation{Observed: text}, nil
}

// How much of a script's files and texts observations show.
const (
	shownNames = 5
	shownText  = 200
)

// quoted is a text as one line, its beginning where it is long.
func quoted(text string) string {
	runes := []rune(fold.Space(text))
	if len(runes) > shownText {
		return "'" + string(runes[:shownText]) + "…'"
	}
	return "'" + string(runes) + "'"
}
