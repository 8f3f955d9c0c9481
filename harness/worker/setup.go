package worker

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// setUp opens the apps that are to be there before the program's first step,
// as a program would. Where one cannot be opened, the attempt ends with that:
// as failed where the app is to blame, as broken where the environment is.
func setUp(ctx context.Context, apps []string, request runner.Request) bool {
	if len(apps) == 0 {
		return true
	}
	tell := request.Emit
	p, err := setupProgram(apps)
	if err != nil {
		tell(setupEnded(results.Attempt{Status: results.Broken},
			&results.Failure{Kind: results.InternalFault, Reason: err.Error()}))
		return false
	}
	request.Program, request.Procedure = p, nil
	request.Only, request.StartAt, request.Secrets = "", "", nil
	request.Emit = func(results.Event) {}
	attempt := runner.Run(ctx, request)
	if attempt.Status == results.Passed {
		return true
	}
	for _, s := range attempt.Steps {
		for _, a := range s.Artifacts {
			tell(results.Event{Type: results.EventArtifact, Artifact: &a})
		}
		if s.Failure != nil {
			f := *s.Failure
			f.SelfHeal = nil // there is no step of the program to mend
			f.Reason = "setup: " + f.Reason
			tell(setupEnded(attempt, &f))
			return false
		}
	}
	tell(setupEnded(attempt, nil))
	return false
}

// setupEnded is the event of an attempt that ended before its first step.
func setupEnded(attempt results.Attempt, fault *results.Failure) results.Event {
	ended := &results.Attempt{
		Status: attempt.Status, Reason: attempt.Reason, Fault: fault,
		StartedAt: attempt.StartedAt, DurationMS: attempt.DurationMS,
	}
	if fault != nil {
		ended.Reason = fault.Reason
	}
	return results.Event{Type: results.EventAttemptFinished, Attempt: ended}
}

// setupProgram is a program that opens these apps.
func setupProgram(apps []string) (*program.Program, error) {
	type step struct {
		ID     string            `json:"id"`
		Tool   string            `json:"tool"`
		Params map[string]string `json:"params"`
	}
	var steps []step
	for i, app := range apps {
		steps = append(steps, step{
			ID: fmt.Sprintf("setup-%d", i+1), Tool: "app", Params: map[string]string{"action": "open", "name": app},
		})
	}
	source, err := json.Marshal(map[string]any{"name": "setup", "version": 1, "steps": steps})
	if err != nil {
		return nil, err
	}
	p, problems := program.Parse("setup"+program.Suffix, source)
	if p == nil {
		return nil, fmt.Errorf("the apps of setup cannot be opened: %v", problems)
	}
	return p, nil
}
