package secrets

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/opendesk/opendesk/results"
)

// fixed are the fields whose texts are words of the results themselves, and
// paths and ids that others refer to.
var fixed = map[string]bool{
	"type": true, "status": true, "kind": true, "means": true, "severity": true, "code": true, "tool": true,
	"rule": true, "sha256": true, "media_type": true, "path": true, "file": true, "time": true, "started_at": true,
	"id": true, "step": true, "blocked_by": true, "screenshot": true,
}

// Event is the event with every text in it masked.
func (s *Secrets) Event(e results.Event) results.Event {
	masked, err := masked(s, e)
	if err != nil {
		return results.Event{Type: results.EventWarning, Time: e.Time, Path: e.Path, Repeat: e.Repeat, AttemptNumber: e.AttemptNumber,
			Warning: &results.Warning{Kind: results.WarnNote, Message: fmt.Sprintf("an event held a secret and cannot be shown (%s)", e.Type)}}
	}
	return masked
}

// Failure is the failure with every text in it masked; nil stays nil.
func (s *Secrets) Failure(f *results.Failure) *results.Failure {
	masked, err := masked(s, f)
	if err != nil {
		return &results.Failure{Kind: f.Kind, Reason: s.Mask(f.Reason)}
	}
	return masked
}

// Entry is the entry of the audit log with every text in it masked.
func (s *Secrets) Entry(e results.AuditEntry) results.AuditEntry {
	masked, err := masked(s, e)
	if err != nil {
		return results.AuditEntry{ID: e.ID, Timestamp: e.Timestamp, Program: e.Program, Attempt: e.Attempt, Action: e.Action, Step: e.Step}
	}
	return masked
}

// masked is v, which is something that JSON can hold, with its texts masked.
func masked[T any](s *Secrets, v T) (T, error) {
	if s == nil {
		return v, nil
	}
	data, err := json.Marshal(v)
	if err != nil || !s.In(string(data)) {
		return v, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return v, err
	}
	if data, err = json.Marshal(s.maskTree(tree)); err != nil {
		return v, err
	}
	var fresh T
	if err := json.Unmarshal(data, &fresh); err != nil {
		return v, err
	}
	return fresh, nil
}

func (s *Secrets) maskTree(v any) any {
	switch v := v.(type) {
	case string:
		return s.Mask(v)
	case []any:
		for i := range v {
			v[i] = s.maskTree(v[i])
		}
	case map[string]any:
		_, isFile := v["sha256"]
		for key, value := range v {
			if _, text := value.(string); text && (fixed[key] || isFile && key == "name") {
				continue
			}
			v[key] = s.maskTree(value)
		}
	}
	return v
}
