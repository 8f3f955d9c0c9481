package results

import "unicode/utf8"

// Clip is the beginning of the text: whole characters, at most limit bytes.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(limit, 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
