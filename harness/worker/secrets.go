package worker

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
	"github.com/opendesk/opendesk/runner/secrets"
)

// secretsVariable brings the values of a program's variables to its worker, as
// JSON. What the worker starts does not get it.
const secretsVariable = "OPENDESK_SECRETS"

// TakeSecrets takes the values out of this process's environment.
func TakeSecrets() (map[string]string, error) {
	text, given := os.LookupEnv(secretsVariable)
	if !given {
		return nil, nil
	}
	if err := os.Unsetenv(secretsVariable); err != nil {
		return nil, err
	}
	var values map[string]string
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, fmt.Errorf("%s is not what a launcher writes: %w", secretsVariable, err)
	}
	return values, nil
}

// secretsOf looks up the variables of the program's steps that are run.
func (l *Launcher) secretsOf(p *program.Program) (*secrets.Secrets, *results.Failure) {
	s, err := secrets.Of(runner.Selected(p, l.Only, l.StartAt), l.Getenv)
	if err != nil {
		return nil, &results.Failure{Kind: results.VariableUnset, Reason: err.Error()}
	}
	return s, nil
}

// Ready says which variable of the program is not set; see harness.Launcher.
func (l *Launcher) Ready(p *program.Program) *results.Failure {
	_, failure := l.secretsOf(p)
	return failure
}

// withSecrets is what a worker's environment has beyond its session's.
func withSecrets(s *secrets.Secrets) ([]string, error) {
	if s == nil {
		return nil, nil
	}
	text, err := json.Marshal(s.Values())
	if err != nil {
		return nil, err
	}
	return []string{secretsVariable + "=" + string(text)}, nil
}
