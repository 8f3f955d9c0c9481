package learn

import (
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/policy"
)

// Author is who writes a program.
type Author struct {
	// Kind is on whose behalf it is written: only a builder may.
	Kind policy.Kind
	// Unlock writes what is locked.
	Unlock bool
}

// StrictError says that a program may only be executed as it is.
type StrictError struct {
	// Kind is who wanted to write it.
	Kind policy.Kind
	// Wanted says that the program asks for it itself.
	Wanted bool
}

func (e *StrictError) Error() string {
	if e.Wanted {
		return `the program is strict, it is only executed as it is: set "strict" to false in the file first`
	}
	return "programs are not written on behalf of " + string(e.Kind) + ": only a builder does so"
}

// may says whether the author may do this to the program in the file, nil for
// one that is not there yet. The errors are *StrictError and, where anything of
// it is locked, *program.LockedError: who replaces a program replaces its steps.
func (a Author) may(w policy.Work, old []byte) error {
	guards := program.GuardsOf(old)
	if policy.Strict(a.Kind, w, guards.Strict) {
		return &StrictError{Kind: a.Kind, Wanted: !policy.Strict(a.Kind, w, false)}
	}
	if locked := guards.Locks(); locked != nil && !a.Unlock && w != policy.Patch { // a patch names its step
		return locked
	}
	return nil
}
