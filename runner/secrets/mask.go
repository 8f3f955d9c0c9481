package secrets

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opendesk/opendesk/program"
)

// shortest is how many characters a value must have to be looked for: shorter
// ones are in everything.
const shortest = 4

// mask finds one value in texts.
type mask struct {
	value   string
	instead string // what stands in its place
	pattern *regexp.Regexp
}

// newMask looks for the value however it is written: in capitals or not, over
// several lines, as a JSON string, and in an address. Of a value of several
// lines, each line that is long enough counts as well.
func newMask(name, value string) (m mask, ok bool) {
	texts := []string{value}
	if lines := strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == '\r' }); len(lines) > 1 {
		for _, line := range lines {
			if utf8.RuneCountInString(strings.TrimSpace(line)) >= 2*shortest {
				texts = append(texts, line)
			}
		}
	}
	var forms []string
	for _, text := range texts {
		once := jsonForms(text)
		forms = append(forms, text, url.QueryEscape(text), url.PathEscape(text))
		for _, form := range once {
			forms = append(forms, form)
			forms = append(forms, jsonForms(form)...)
		}
	}
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var alternatives []string
	for _, form := range slices.Compact(forms) {
		words := strings.Fields(form)
		if utf8.RuneCountInString(strings.Join(words, "")) < shortest {
			continue
		}
		for i := range words {
			words[i] = regexp.QuoteMeta(words[i])
		}
		alternatives = append(alternatives, strings.Join(words, `(?:\s|\\+[nrt])+`))
	}
	if len(alternatives) == 0 {
		return m, false
	}
	pattern, err := regexp.Compile("(?i)" + strings.Join(alternatives, "|"))
	if err != nil {
		return m, false // a value that is no text
	}
	return mask{value: value, instead: program.Reference(name), pattern: pattern}, true
}

// jsonForms are the ways in which JSON writes the text inside of its quotes.
func jsonForms(text string) []string {
	var forms []string
	for _, html := range []bool{true, false} {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(html)
		if encoder.Encode(text) == nil {
			forms = append(forms, strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`))
		}
	}
	return forms
}

// In reports whether the text holds a value.
func (s *Secrets) In(text string) bool {
	if s == nil {
		return false
	}
	return slices.ContainsFunc(s.masks, func(m mask) bool { return m.pattern.MatchString(text) }) || s.cut(text) != text
}

// Mask puts the variables in the places of their values.
func (s *Secrets) Mask(text string) string {
	if s == nil || text == "" {
		return text
	}
	text = s.cut(text)
	for _, m := range s.masks {
		text = m.pattern.ReplaceAllLiteralString(text, m.instead)
	}
	return text
}

// ellipsis ends a text that was shortened.
const ellipsis = "…"

// cut masks the beginning of a value at the end of a text that was shortened.
func (s *Secrets) cut(text string) string {
	if !strings.Contains(text, ellipsis) {
		return text
	}
	parts := strings.SplitAfter(text, ellipsis)
	for i, part := range parts {
		before, is := strings.CutSuffix(part, ellipsis)
		for _, m := range s.masks {
			if n := overlap(before, m.value); is && n > 0 {
				before = before[:len(before)-n] + m.instead
				parts[i] = before + ellipsis
				break
			}
		}
	}
	return strings.Join(parts, "")
}

// overlap is how many bytes at the end of the text are the beginning of the
// value, 0 for fewer than make a secret.
func overlap(text, value string) int {
	for n := min(len(text), len(value)); n >= shortest; n-- {
		if strings.EqualFold(text[len(text)-n:], value[:n]) {
			return n
		}
	}
	return 0
}

// MaskRead masks a text that was read from pixels, in which some characters may
// be others: what is nearly a value is taken for it.
func (s *Secrets) MaskRead(text string) string {
	text = s.Mask(text)
	if s == nil {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		for _, m := range s.masks {
			lines[i] = m.nearly(lines[i])
		}
	}
	return strings.Join(lines, "\n")
}
