package junit

import (
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/opendesk/opendesk/results"
)

// maxFile is the largest report, in bytes: GitLab reads files below 30 MB.
const maxFile = 29_000_000

// leastCase is less than the shortest testcase has, in bytes.
const leastCase = 120

// limits are how much of single texts is written, in bytes.
type limits struct {
	line int // a message, a property, a line of output
	body int // what stands in a failure
	text int // all such bodies of a testcase
	bare bool
}

// What is longer is cut before anything is done with it.
const (
	maxLine   = 4 << 10
	maxBody   = 64 << 10
	maxReruns = 20 // of a testcase
)

// levels are tried in order until the report is small enough. None leaves out
// a testcase or a verdict.
var levels = []limits{
	{line: maxLine, body: maxBody, text: 2 * maxBody},
	{line: 1 << 10, body: 8 << 10, text: 16 << 10},
	{line: 512, body: 1 << 10, text: 2 << 10},
	{line: 256, body: 256, text: 512, bare: true},
}

// bound cuts what is longer than the limits. Where they are bare, testcases
// that passed have neither properties nor output.
func (ts *testsuite) bound(to limits) {
	ts.Properties = properties(ts.Properties, to.line)
	for i := range ts.Testcases {
		ts.Testcases[i].bound(to)
	}
}

func (tc *testcase) bound(to limits) {
	passed := true
	left := to.text
	for _, r := range []*junit.Result{tc.Failure, tc.Error, tc.Skipped} {
		if r != nil {
			passed = false
			r.Message = cut(r.Message, to.line)
			r.Data = body(r.Data, to, &left)
		}
	}
	for _, reruns := range [][]rerun{tc.Flaky, tc.Rerun} {
		for i := range reruns {
			r := &reruns[i]
			r.Message = cut(r.Message, to.line)
			r.StackTrace.Data = body(r.StackTrace.Data, to, &left)
		}
	}
	if to.bare && passed {
		tc.Properties, tc.SystemOut = nil, nil
		return
	}
	tc.Properties = properties(tc.Properties, to.line)
	if tc.SystemOut != nil {
		tc.SystemOut.Data = output(tc.SystemOut.Data, to.line)
	}
}

// body cuts what stands in one failure of several; left is what the testcase
// has left for them.
func body(text string, to limits, left *int) string {
	text = cut(text, min(to.body, max(*left, to.line)))
	*left -= len(text)
	return text
}

// properties are these with bounded values.
func properties(list *[]junit.Property, limit int) *[]junit.Property {
	if list == nil {
		return nil
	}
	short := make([]junit.Property, len(*list))
	for i, p := range *list {
		if p.Name != attachment {
			p.Value = cut(p.Value, limit)
		}
		short[i] = p
	}
	return &short
}

// output cuts lines, but none that names a file.
func output(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, attachmentLine) {
			line = cut(strings.TrimSuffix(line, "\n"), limit) + "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// cutMark ends a text that was cut.
const cutMark = "… (more in results.json)"

// cut is the text up to limit bytes, with a word on what is left out.
func cut(text string, limit int) string {
	if len(text) <= limit+len(cutMark) {
		return text
	}
	return results.Clip(text, limit) + cutMark
}
