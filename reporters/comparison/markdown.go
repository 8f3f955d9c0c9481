package comparison

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/opendesk/opendesk/results/compare"
)

// maxShown is how many programs of a list Markdown shows in full.
const maxShown = 25

// Markdown writes the comparison as Markdown.
func Markdown(w io.Writer, c *compare.Comparison) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## %s\n\n%s\n\n%s\n", escape(c.Headline()), escape(title(c)), escape(against(c)))
	for _, g := range c.Groups() {
		fmt.Fprintf(b, "\n### %s (%d)\n\n", g.Title, len(g.Programs))
		for i := range g.Programs {
			if i == maxShown {
				fmt.Fprintf(b, "* and %d more\n", len(g.Programs)-maxShown)
				break
			}
			p := &g.Programs[i]
			fmt.Fprintf(b, "* **%s**\n", escape(name(p)))
			for _, l := range lines(g.Kind, p) {
				fmt.Fprintf(b, "  * %s: %s\n", l.label, escape(l.text))
			}
		}
	}
	for _, note := range c.Notes {
		fmt.Fprintf(b, "\n%s\n", escape(note))
	}
	return b.Flush()
}

// marks are the characters that mean something in Markdown.
var marks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"#", `\#`, "|", `\|`, "~", `\~`, "@", "&#64;",
)

// escape makes a text one line that Markdown shows as it is.
func escape(text string) string { return marks.Replace(clean(text)) }
