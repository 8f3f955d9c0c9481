// Package worker is the process boundary of an attempt: the job that the
// harness writes, the worker process that runs it, and the launcher that reads
// the worker's events from its pipe.
package worker

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/opendesk/opendesk/desktop/guard"
	"github.com/opendesk/opendesk/program"
)

// Job is everything that a worker needs to know. It travels as a file in the
// attempt's spool folder.
type Job struct {
	// Path is the program's identity, Source the bytes of its file as they
	// were validated: a file that changes during a run changes nothing.
	Path   string `json:"path"`
	Source []byte `json:"source"`
	// Procedure is the program's natural-language procedure, nil for none.
	Procedure json.RawMessage `json:"procedure,omitempty"`
	// Project is the project's folder as suggested commands should name it.
	Project string `json:"project,omitempty"`
	// Code is the folder of the code of the program's scripts, "" for a program
	// without.
	Code string `json:"code,omitempty"`
	// Archive is the project's folder, absolute: scripts can read it, but for
	// HiddenFromScripts. ScriptCaps are the most that they may ask for.
	Archive           string             `json:"archive,omitempty"`
	HiddenFromScripts []string           `json:"hidden_from_scripts,omitempty"`
	ScriptCaps        program.ScriptCaps `json:"script_caps,omitempty"`
	// Attempt counts from 1.
	Attempt int `json:"attempt"`
	// Display, SessionBus and A11yBus are the session's addresses, SessionID
	// the identity that the X server must have.
	Display    string `json:"display"`
	SessionBus string `json:"session_bus"`
	A11yBus    string `json:"a11y_bus"`
	SessionID  string `json:"session_id"`
	// Virtual says that the display is the run's own.
	Virtual bool `json:"virtual"`
	// Lasting says that the session goes on after the attempt, and with it what
	// was copied.
	Lasting bool `json:"lasting,omitempty"`
	// Sandboxed says that the session runs inside of bwrap.
	Sandboxed bool `json:"sandboxed,omitempty"`
	// AppEnv is the environment of the apps that the program opens, nil for the
	// worker's own.
	AppEnv []string `json:"app_env"`
	// LogDir is where those apps' output goes.
	LogDir string `json:"log_dir"`
	// Apps is the project's map from app names to commands.
	Apps map[string][]string `json:"apps,omitempty"`
	// Setup are the apps to open before the first step, in this order.
	Setup []string `json:"setup,omitempty"`
	// OCRLanguages are the languages that OCR reads.
	OCRLanguages []string `json:"ocr_languages"`
	// TimeoutScale multiplies every timeout.
	TimeoutScale float64 `json:"timeout_scale"`
	// Watched is for single steps; see step.Env.
	Watched bool `json:"watched,omitempty"`
	// Only and StartAt leave steps out; see runner.Request.
	Only    string `json:"only,omitempty"`
	StartAt string `json:"start_at,omitempty"`
	// Secrets are the values of the program's variables. They are in no file:
	// see TakeSecrets.
	Secrets map[string]string `json:"-"`
	// Trace asks for a picture of the screen after each step.
	Trace bool `json:"trace,omitempty"`
	// Guard says what may be acted on.
	Guard guard.Rules `json:"guard,omitzero"`
	// Tree asks for the accessibility trees as they are at the program's end,
	// whatever its verdict: those of the app of that name, or all for "".
	Tree *string `json:"tree,omitempty"`
	// Spool is where the worker writes its files.
	Spool string `json:"spool"`
}

// ReadJob reads a job file.
func ReadJob(path string) (*Job, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the job: %w", err)
	}
	var job Job
	if err := json.Unmarshal(data, &job); err != nil {
		return nil, fmt.Errorf("job %s: %w", path, err)
	}
	return &job, nil
}

func (j *Job) write(path string) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
