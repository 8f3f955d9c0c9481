//go:build linux

package linux

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
)

// busPatience is how long the accessibility bus and its registry may stay
// silent before they count as broken. A deadline that tells a hung
// application is too short for them: on a starved machine everybody is silent
// for a second, and a run that is called broken for that is a wrong verdict.
const busPatience = 5 * time.Second

// patiently calls ask, which is one question to bus and registry, again where
// they were silent. Who refuses, or has gone, is not asked again.
func patiently[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	began := time.Now()
	for {
		asked := time.Now()
		answer, err := ask()
		var fault *desktop.EnvironmentError
		silent := errors.As(err, &fault) && time.Since(asked) >= atspi.DefaultCallTimeout
		if !silent || ctx.Err() != nil || time.Since(began) >= busPatience {
			return answer, err
		}
	}
}
