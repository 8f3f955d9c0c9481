package program

import (
	"strconv"
	"unicode/utf8"
)

// maxQuoted is how many bytes of a file's own words a message repeats.
const maxQuoted = 100

// joinPath gives the JSON path of a member.
func joinPath(path, name string) string {
	if !plainName(name) {
		return path + "[" + quote(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// joinIndex gives the JSON path of a list's item.
func joinIndex(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// plainName reports whether a name stands in a path without quotes.
func plainName(name string) bool {
	if name == "" || len(name) > maxQuoted {
		return false
	}
	for i := range len(name) {
		b := name[i]
		if b != '_' && b != '$' && b != '-' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') {
			return false
		}
	}
	return true
}

// quote puts a text of the file into double quotes, shortened where it is long.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	end := maxQuoted
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(s[:end] + "…")
}
