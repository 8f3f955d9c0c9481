package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// maxLog bounds the size of a log that is read, in bytes.
const maxLog = 256 << 20

// written is an entry as others may have written it: what is missing there is
// null, and ids and results are what they like.
type written struct {
	ID           any            `json:"id"`
	Timestamp    float64        `json:"timestamp"`
	Action       string         `json:"action"`
	Params       map[string]any `json:"params"`
	SessionID    any            `json:"session_id"`
	Result       any            `json:"result"`
	Error        any            `json:"error"`
	ReplayParams map[string]any `json:"replay_params"`
	Program      string         `json:"program"`
	Step         string         `json:"step"`
	Attempt      int            `json:"attempt"`
}

func (w written) entry() results.AuditEntry {
	return results.AuditEntry{
		ID: text(w.ID), Timestamp: w.Timestamp, Action: w.Action, Params: w.Params, SessionID: text(w.SessionID),
		Result: text(w.Result), Error: text(w.Error), ReplayParams: w.ReplayParams,
		Program: w.Program, Step: w.Step, Attempt: w.Attempt,
	}
}

// text is a value as a text, "" for null.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(out)
}

// Read reads a log: lines of JSON, as opendesk writes it, or one list, as the
// Python opendesk exports it. Numbers in parameters are json.Numbers. A line
// that is no entry, such as the last one of a command that was killed, is left
// out, and a note says so.
func Read(r io.Reader) (entries []results.AuditEntry, notes []string, err error) {
	in := bufio.NewReader(io.LimitReader(r, maxLog+1))
	first, err := firstByte(in)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case first == '[':
		return readList(in)
	}
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, fault := readEntry(line)
			if fault != nil {
				notes = append(notes, fmt.Sprintf("line %d of the log is no entry, and left out: %v", number, fault))
			} else {
				entries = append(entries, e)
			}
		}
		if err != nil {
			return entries, notes, nil
		}
	}
}

// firstByte looks at the first byte that is no space, without taking it; a byte
// order mark and the spaces are taken.
func firstByte(in *bufio.Reader) (byte, error) {
	if mark, err := in.Peek(3); err == nil && bytes.Equal(mark, []byte("\xEF\xBB\xBF")) {
		if _, err := in.Discard(3); err != nil {
			return 0, err
		}
	}
	for {
		next, err := in.Peek(1)
		if err != nil {
			return 0, err
		}
		if next[0] != ' ' && next[0] != '\t' && next[0] != '\r' {
			return next[0], nil
		}
		if _, err := in.Discard(1); err != nil {
			return 0, err
		}
	}
}

func readList(in io.Reader) (entries []results.AuditEntry, notes []string, err error) {
	decoder := json.NewDecoder(in)
	var list []json.RawMessage
	if err := decoder.Decode(&list); err != nil {
		return nil, nil, fmt.Errorf("the log begins as a list and is none: %w", err)
	}
	for i, item := range list {
		e, fault := readEntry(item)
		if fault != nil {
			notes = append(notes, fmt.Sprintf("item %d of the log is no entry, and left out: %v", i+1, fault))
			continue
		}
		entries = append(entries, e)
	}
	return entries, notes, nil
}

func readEntry(data []byte) (results.AuditEntry, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var w written
	if err := decoder.Decode(&w); err != nil {
		return results.AuditEntry{}, err
	}
	if w.Action == "" {
		return results.AuditEntry{}, errors.New("it has no action")
	}
	return w.entry(), nil
}

// Call is the tool and the action that an entry of that name and those
// parameters stands for; ok is false where it stands for none.
func Call(name string, params map[string]any) (tool, action string, ok bool) {
	wanted, _ := params["action"].(string)
	for _, tool := range slices.Sorted(maps.Keys(names)) {
		best := ""
		for _, action := range slices.Sorted(maps.Keys(names[tool])) {
			if names[tool][action] != name {
				continue
			}
			if action == wanted {
				return tool, action, true
			}
			// The plain one of several (click, not double_click).
			if wanted == "" && (best == "" || strings.HasSuffix(name, "_"+action)) {
				best = action
			}
		}
		if best != "" && tool != "ui" {
			return tool, best, true
		}
	}
	return "", "", false
}

// Checked is the name of the entry for a postcondition that was looked for after
// an action. Its parameters are the postcondition's members as a program has
// them, its error says why it does not hold.
const Checked = "postcondition"
