//go:build !linux

package cli

import (
	"context"
	"encoding/json"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/runner/script"
)

// doErrand is never called: sessions are on Linux only.
func doErrand(context.Context, *session.Errand) json.RawMessage { return nil }

// scriptRunner runs no scripts: it says why.
func scriptRunner() (script.Runner, error) { return script.Sandbox{}, nil }
