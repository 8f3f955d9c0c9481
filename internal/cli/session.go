package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/guard"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/spf13/cobra"
)

func newSession(st *State) *cobra.Command {
	return group("session", "Start, list, look at and stop display sessions that outlive a command",
		newSessionStart(st), newSessionList(st), newSessionAttach(st), newSessionScreenshot(st), newSessionStop(st))
}

const sessionExitCodes = `
Exit codes: 0 done, 1 refused (there is a session of that name), 2 wrong usage or
no such session, 3 the session did not start or could not be ended.
`

// sessionNotes are what a session is started with beyond what it consists of.
type sessionNotes struct {
	// Project is the project's folder whose settings it was started with.
	Project string `json:"project,omitempty"`
	// Guard says what may be acted on in it.
	Guard guard.Rules `json:"guard,omitzero"`
}

func notesOf(n session.Named) (notes sessionNotes, err error) {
	if err := json.Unmarshal(n.Notes, &notes); err != nil {
		return notes, fmt.Errorf("session %q was started by another version of opendesk: %w", n.Name, err)
	}
	return notes, nil
}

// sessionShown is a session as --json prints it.
type sessionShown struct {
	Name         string            `json:"name"`
	State        string            `json:"state"`
	Recording    string            `json:"recording,omitempty"`
	Detail       string            `json:"detail,omitempty"`
	PID          int               `json:"pid"`
	Display      string            `json:"display"`
	Geometry     string            `json:"geometry"`
	Isolation    session.Isolation `json:"isolation"`
	StartedAt    string            `json:"started_at,omitempty"`
	AgeS         int64             `json:"age_s"`
	IdleTimeoutS int64             `json:"idle_timeout_s,omitempty"`
	Project      string            `json:"project,omitempty"`
	Guard        guard.Rules       `json:"guard,omitzero"`
}

func (st *State) shown(n session.Named) sessionShown {
	notes, _ := notesOf(n) // shown all the same
	s := sessionShown{
		Name: n.Name, State: n.State, Detail: n.Detail, PID: n.PID, Display: n.Info.Display, Geometry: n.Info.Geometry,
		Isolation: n.Info.Isolation, Project: notes.Project, Guard: notes.Guard,
		IdleTimeoutS: int64(n.IdleTimeout.Seconds()),
	}
	if s.Recording = recordedIn(n.Name); s.Recording != "" && s.Detail == "" {
		s.Detail = "recording " + s.Recording
	}
	if !n.StartedAt.IsZero() {
		s.StartedAt = n.StartedAt.Format("2006-01-02T15:04:05Z")
		s.AgeS = int64(st.Now().Sub(n.StartedAt).Seconds())
	}
	return s
}

// sessionEnds gives an error about sessions its exit code and, where --json
// asks for it, its object.
func sessionEnds(st *State, asJSON bool, err error) error {
	if err == nil {
		return nil
	}
	var known *exit
	var unknown *session.UnknownNameError
	code := exitInternal
	switch {
	case errors.As(err, &known):
		code = known.code
	case errors.As(err, &unknown):
		code = exitUsage
		err = fmt.Errorf("%w (see 'opendesk session list')", err)
	case errors.Is(err, session.ErrNameTaken):
		code = exitRefused
	}
	if !asJSON || known != nil && known.err == nil {
		return &exit{code, err}
	}
	return errors.Join(printJSON(st, failed{Error: err.Error()}), &exit{code: code})
}

// sweepSessions removes what crashes have left behind.
func sweepSessions(st *State) {
	if _, err := session.Sweep(""); err != nil {
		fmt.Fprintf(st.Stderr, "opendesk: what an earlier session left behind could not be removed: %v\n", err)
	}
}

// parseRegion reads X,Y,WIDTH,HEIGHT.
func parseRegion(text string) (*desktop.Rect, error) {
	var r desktop.Rect
	var rest string
	n, _ := fmt.Sscanf(strings.ReplaceAll(text, " ", "")+"\n", "%d,%d,%d,%d%s", &r.X, &r.Y, &r.Width, &r.Height, &rest)
	if n != 4 || r.X < 0 || r.Y < 0 || r.Empty() {
		return nil, usage("--screen-region must be X,Y,WIDTH,HEIGHT in pixels, such as 0,0,800,600, not %q", text)
	}
	return &r, nil
}
