package desktop

import (
	"strings"
	"sync"
	"unicode"

	"github.com/opendesk/opendesk/internal/fold"
)

// CanonicalRole gives the one name of a role that toolkits and platforms name
// differently: AXButton, button and push button are all "button". A role that
// is not in the table is its own canonical role, as folded text.
func CanonicalRole(raw string) string {
	if name, ok := knownRole(raw); ok {
		return name
	}
	return fold.Text(raw)
}

// SameRole reports whether two roles, of whatever toolkits, are the same.
func SameRole(a, b string) bool { return CanonicalRole(a) == CanonicalRole(b) }

// Clickable reports whether elements of the role are there to be clicked,
// whatever actions they claim to have.
func Clickable(role string) bool { return roleIndex().clickable[CanonicalRole(role)] }

// knownRole looks a role up as it is, and without the prefixes and suffixes
// by which toolkits mark their own names.
func knownRole(raw string) (string, bool) {
	names := roleIndex().names
	key := roleKey(raw)
	if name, ok := names[key]; ok {
		return name, true
	}
	for _, prefix := range rolePrefixes {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			if name, ok := names[rest]; ok {
				return name, true
			}
		}
	}
	return "", false
}

// rolePrefixes mark a platform's or toolkit's own names: AXButton,
// ATSPI_ROLE_PUSH_BUTTON, ControlType.Button, GtkButton, QPushButton.
var rolePrefixes = []string{"ax", "atspirole", "atkrole", "role", "controltype", "gtk", "adw", "hdy", "q"}

// roleKey drops case, spaces and punctuation.
func roleKey(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, fold.Text(s))
}

type roleTable struct {
	names     map[string]string // key of any spelling to canonical name
	clickable map[string]bool
}

var roleIndex = sync.OnceValue(func() roleTable {
	t := roleTable{names: map[string]string{}, clickable: map[string]bool{}}
	for _, r := range roles {
		t.names[roleKey(r.name)] = r.name
		for _, s := range r.synonyms {
			t.names[roleKey(s)] = r.name
		}
		t.clickable[r.name] = r.clickable
	}
	return t
})
