package results

// AuditEntry is one line of audit.ndjson: one action that was done on a
// desktop, or that could not be done.
type AuditEntry struct {
	// ID is unique in the file.
	ID string `json:"id"`
	// Timestamp is when the action had ended, in seconds since 1970.
	Timestamp float64 `json:"timestamp"`
	// Action is the log's name of the action ("ui_action", "keyboard_type").
	Action string `json:"action"`
	// Params are the parameters it was called with.
	Params map[string]any `json:"params"`
	// SessionID is the display session's id.
	SessionID string `json:"session_id"`
	// Result is what a read gave, or by what the action was done.
	Result string `json:"result"`
	// Error is why it could not be done, "" where it was.
	Error string `json:"error"`
	// ReplayParams are what does the action again, absent where there is
	// nothing to do again. Texts that are hidden are masked.
	ReplayParams map[string]any `json:"replay_params,omitempty"`
	// Program, Step and Attempt say what it was done for.
	Program string `json:"program"`
	Step    string `json:"step"`
	Attempt int    `json:"attempt"`
}
