package tools

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Closest gives the one of names that word is most likely a misspelling or a
// shorter or longer form of, or "" where none is near enough to be offered.
// Case, "-", "_" and spaces count for nothing; the first of equally near names
// wins.
func Closest(word string, names []string) string {
	if name := misspelling(word, names); name != "" {
		return name
	}
	word = plain(word)
	if len(word) < 3 {
		return ""
	}
	for _, name := range names {
		folded := plain(name)
		if strings.HasPrefix(folded, word) || len(folded) > 2 && strings.HasPrefix(word, folded) {
			return name
		}
	}
	return ""
}

// misspelling gives the one of names that differs from word by a few letters.
func misspelling(word string, names []string) string {
	word = plain(word)
	if len(word) < 2 || len(word) > 64 {
		return ""
	}
	best, bestDistance := "", len(word)
	for _, name := range names {
		folded := plain(name)
		d := levenshtein.ComputeDistance(word, folded)
		if d == 2 && sameLetters(word, folded) {
			d = 1 // two letters changed places
		}
		if d <= max(1, min(len(word), len(folded))/3) && d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}
