//go:build !linux || !cgo

package record

import (
	"context"
	"errors"
)

// Available says whether this build can record.
const Available = false

// Run says that this build cannot record.
func Run(context.Context, Options) error {
	return errors.New("this build cannot record: it needs Linux, cgo and libxkbcommon")
}
