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

// AlsoRoles are the canonical roles that an element may have instead of role
// where it has the wanted title and no element has role itself: platforms
// disagree about what is a menu and what a menu item. It must not be changed.
func AlsoRoles(role string) []string { return roleIndex().also[CanonicalRole(role)] }

// Clickable reports whether elements of the role are there to be clicked,
// whatever actions they claim to have.
func Clickable(role string) bool { return roleIndex().clickable[CanonicalRole(role)] }

// knownRole looks a role up as it is, and without the prefixes and suffixes
// by which platforms and toolkits mark their own names.
func knownRole(raw string) (string, bool) {
	names := roleIndex().names
	key := roleKey(raw)
	if name, ok := names[key]; ok {
		return name, true
	}
	for _, suffix := range roleSuffixes {
		stem, ok := strings.CutSuffix(key, suffix)
		if !ok {
			continue
		}
		if name, ok := names[stem]; ok {
			return name, true
		}
		for _, prefix := range rolePrefixes {
			if rest, ok := strings.CutPrefix(stem, prefix); ok {
				if name, ok := names[rest]; ok {
					return name, true
				}
			}
		}
	}
	return "", false
}

// Platforms and toolkits mark their own names: AXButton, ATSPI_ROLE_PUSH_BUTTON,
// ControlType.Button, ButtonControl, UIA_ButtonControlTypeId, GtkButton,
// QPushButton, javax.swing.JButton.
var (
	rolePrefixes = []string{"ax", "atspirole", "atkrole", "role", "controltype", "uia", "gtk", "adw", "hdy", "q", "j", "javaxswingj"}
	roleSuffixes = []string{"", "control", "controltypeid", "controltype"}
)

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
	also      map[string][]string
}

var roleIndex = sync.OnceValue(func() roleTable {
	t := roleTable{names: map[string]string{}, clickable: map[string]bool{}, also: map[string][]string{}}
	for _, r := range roles {
		t.names[roleKey(r.name)] = r.name
		for _, s := range r.synonyms {
			t.names[roleKey(s)] = r.name
		}
		t.clickable[r.name], t.also[r.name] = r.clickable, r.also
	}
	return t
})
