//go:build !unix

package schedule

import "errors"

var errNoLocks = errors.New("schedules are not run on this system: its locks are not known")

func hold(string) (func() error, error) { return nil, errNoLocks }

func holder(string) (int, error) { return 0, errNoLocks }
