package ginkgospec

import (
	"strconv"
	"strings"
)

// unescaper takes back what quoting does to characters that need none here.
var unescaper = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// plain makes a text safe to print in one line by Ginkgo: what does not print
// is shown as escapes, and two braces are set apart, since Ginkgo would take
// {{word}} for a colour and leave it out.
func plain(s string) string {
	quoted := strconv.Quote(s)
	s = unescaper.Replace(quoted[1 : len(quoted)-1])
	for strings.Contains(s, "{{") {
		s = strings.ReplaceAll(s, "{{", "{ {")
	}
	return s
}
