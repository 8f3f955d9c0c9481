package compare

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/opendesk/opendesk/results"
)

const (
	// maxDiff is the largest content that is compared line by line, in bytes:
	// millions of lines would take seconds and a gigabyte.
	maxDiff = 512 << 10
	// maxLines bounds how many lines of a file are told.
	maxLines = 20
	// maxLine bounds what is told of a line, in bytes.
	maxLine = 500
)

// lineChanges lists the lines that only one of the contents has, and counts
// those that are more than maxLines. Where lines end does not count as a
// difference.
func lineChanges(before, after []byte) (list []LineChange, more int) {
	var was, is int // the next line's number, on both sides
	text := string(diff.Diff("before", wholeLines(before), "after", wholeLines(after)))
	_, text, _ = strings.Cut(text, "\n@@")
	for line := range strings.Lines("@@" + text) {
		change := LineChange{Text: cut(strings.TrimSuffix(line[1:], "\n"))}
		switch line[0] {
		case '@':
			var counted int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,", &was, &counted, &is); err != nil {
				return nil, 0 // nothing differs
			}
			continue
		case ' ':
			was, is = was+1, is+1
			continue
		case '-':
			change.How, change.Line = StepRemoved, was
			was++
		case '+':
			change.How, change.Line = StepAdded, is
			is++
		}
		if len(list) == maxLines {
			more++
			continue
		}
		list = append(list, change)
	}
	return list, more
}

// wholeLines is a content in lines that all end alike.
func wholeLines(content []byte) []byte {
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	if len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
		content = append(bytes.Clone(content), '\n')
	}
	return content
}

// cut is a line for people, or its beginning.
func cut(line string) string {
	line = strings.ToValidUTF8(line, "\uFFFD")
	if len(line) <= maxLine {
		return line
	}
	return results.Clip(line, maxLine) + "…"
}
