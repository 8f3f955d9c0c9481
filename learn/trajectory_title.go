package learn

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/opendesk/opendesk/internal/fold"
)

// newPart is the part of a title that did not hold before and will be the same
// the next time, "" for none. Documents and programs put several things into one
// title: the first of them that is new does.
func newPart(title string, held []string) string {
	parts := titleParts(title)
	for _, part := range parts {
		for _, form := range []string{baseName(unmarked(part)), unmarked(part), part} {
			if legible(form) && lasting(form) && !heldBy(form, held) && shows(title, form) {
				return form
			}
		}
	}
	return ""
}

func heldBy(part string, titles []string) bool {
	for _, title := range titles {
		if shows(title, part) {
			return true
		}
	}
	return false
}

// separators part what titles are made of.
var separators = regexp.MustCompile(`\s+[-–—|·•]\s+`)

func titleParts(title string) []string {
	return separators.Split(fold.Space(title), -1)
}

// unmarked is a part without the mark of a document that has changes.
func unmarked(part string) string { return strings.TrimSpace(strings.Trim(part, "*●•")) }

// baseName is the file's name of a path.
func baseName(part string) string {
	if strings.HasPrefix(part, "/") || strings.HasPrefix(part, "~/") {
		return path.Base(part)
	}
	return part
}

// legible reports whether there is anything in the text to read.
func legible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// passing are texts that are other ones the next time: times, dates, shares of a
// whole, names of temporary files, numbers of processes and the like.
var passing = []*regexp.Regexp{
	regexp.MustCompile(`\d{1,2}:\d{2}`),
	regexp.MustCompile(`\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}`),
	regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\b\d{1,2}\.? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`),
	regexp.MustCompile(`\d ?%`),
	regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-`),
	regexp.MustCompile(`(?i)\b(\d[0-9a-f]*[a-f]|[a-f][0-9a-f]*\d)[0-9a-f]{6,}\b`),
	regexp.MustCompile(`(^|[\s(])/(tmp|run|proc|var/tmp)/`),
	regexp.MustCompile(`\b(tmp|temp)[._-]?\w{4,}`),
	regexp.MustCompile(`(?i)\b(pid|process|display) ?:?\d+`),
	regexp.MustCompile(`(?i)\b(seconds?|minutes?|hours?|days?) ago\b`),
}

// lasting reports whether the text is likely to be the same the next time.
func lasting(text string) bool {
	for _, p := range passing {
		if p.MatchString(text) {
			return false
		}
	}
	return true
}
