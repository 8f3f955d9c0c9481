package merge

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever a line is, it is refused, or it is one again with another number.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"seq":7,"time":"2026-01-02T03:04:05.6Z","type":"step_started","path":"p","step":{}}` + "\n"))
	f.Add([]byte(`{"seq":7,"time":"2026-01-02T03:04:05Z","type":"warning","warning":{}}` + "\n"))
	f.Add([]byte(`{"id":"a1","timestamp":1767323045.5,"action":"wait"}` + "\n"))
	f.Add([]byte(`{"seq":,"time":`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for prefix, parse := range map[string]func([]byte) (line, error){
			string(seqPrefix) + "99": parseEvent, string(idPrefix) + "a99": parseEntry,
		} {
			l, err := parse(text)
			if err != nil || !json.Valid(text) {
				continue
			}
			again := append([]byte(prefix), l.rest...)
			if !json.Valid(again) || !bytes.HasSuffix(again, []byte("\n")) {
				t.Errorf("%q became %q", text, again)
			}
		}
	})
}
