package reporters

import "fmt"

// PlaceError says that the place that a spec names cannot be written to.
type PlaceError struct {
	Spec string
	Err  error
}

func (e *PlaceError) Error() string { return fmt.Sprintf("reporter %q: %v", e.Spec, e.Err) }

// Unwrap gives the cause.
func (e *PlaceError) Unwrap() error { return e.Err }
