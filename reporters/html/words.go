package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/results"
)

// duration is a time for people, from milliseconds.
func duration(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	case ms < 3_600_000:
		return fmt.Sprintf("%d min %d s", ms/60_000, ms/1000%60)
	}
	return fmt.Sprintf("%d h %d min", ms/3_600_000, ms/60_000%60)
}

// plural is the number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shorten is the text's first line, cut to so many characters.
func shorten(s string, most int) string {
	s, _, _ = strings.Cut(s, "\n")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// kindWords is a failure's kind as words.
func kindWords(k results.FailureKind) string {
	return strings.ReplaceAll(string(k), "_", " ")
}

// laidOut is JSON for people, "" for none.
func laidOut(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var buf bytes.Buffer
	if json.Indent(&buf, raw, "", "  ") != nil {
		return clean(string(raw))
	}
	return clean(buf.String())
}

// procedure is a program's procedure in words, as far as it has the fields
// that procedures have; otherwise its JSON.
type procedure struct {
	Description string   `json:"description"`
	Steps       []string `json:"steps"`
	Procedure   string   `json:"procedure"`
	JSON        string   `json:"-"`
}

func newProcedure(raw json.RawMessage) *procedure {
	text := laidOut(raw)
	if text == "" {
		return nil
	}
	var p procedure
	if json.Unmarshal(raw, &p) != nil || p.Description == "" && p.Procedure == "" && len(p.Steps) == 0 {
		return &procedure{JSON: text}
	}
	p.Description, p.Procedure = clean(p.Description), clean(p.Procedure)
	for i := range p.Steps {
		p.Steps[i] = clean(p.Steps[i])
	}
	return &p
}
