//go:build !linux

package cli

import (
	"context"

	"github.com/opendesk/opendesk/desktop/session"
)

// showVNC gives the error that there are no sessions here.
func showVNC(context.Context, *State, *session.Session, *session.Named) error {
	return usage("--vnc works on Linux only")
}
