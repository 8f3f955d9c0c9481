package schedule

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds the name of a new schedule, in characters.
const maxName = 100

// NameError says why a new schedule cannot be called so.
type NameError struct{ Message string }

func (e *NameError) Error() string { return e.Message }

// CheckName says whether a new schedule may have the name; the error is a
// *NameError. Stores that others wrote are not held to it.
func CheckName(name string) error {
	wrong := func(format string, args ...any) error { return &NameError{fmt.Sprintf(format, args...)} }
	odd := func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`/\`, r) }
	switch n := utf8.RuneCountInString(name); {
	case strings.TrimSpace(name) == "":
		return wrong("the name of the schedule is empty")
	case n > maxName:
		return wrong("the name of the schedule is too long: it may have %d characters, not %d", maxName, n)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, odd):
		return wrong("%q is no name for a schedule: no slashes, line feeds and the like", name)
	case strings.TrimSpace(name) != name:
		return wrong("%q is no name for a schedule: it begins or ends with a space", name)
	}
	return nil
}

// CheckZone says whether a new schedule may have the zone: one by its name, or
// "" for the machine's.
func CheckZone(name string) error {
	if name == "Local" { // Go's word for it, which others do not know
		return fmt.Errorf("the time zone %q is the machine's: leave it out", name)
	}
	_, err := LoadZone(name)
	return err
}
