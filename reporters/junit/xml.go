package junit

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// The types below embed the library's and shadow what it lacks: counts and
// times that are always written, file and line, properties of testcases, and
// Surefire's elements for reruns.

type testsuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junit.Testsuites
	Time     string `xml:"time,attr"`
	Tests    int    `xml:"tests,attr"`
	Errors   int    `xml:"errors,attr"`
	Failures int    `xml:"failures,attr"`
	Skipped  int    `xml:"skipped,attr"`
}

type testsuite struct {
	XMLName xml.Name `xml:"testsuite"`
	junit.Testsuite
	Skipped   int        `xml:"skipped,attr"`
	Testcases []testcase `xml:"testcase"`
}

type testcase struct {
	Properties *[]junit.Property `xml:"properties>property,omitempty"`
	junit.Testcase
	Time  string  `xml:"time,attr"`
	File  string  `xml:"file,attr,omitempty"`
	Line  int     `xml:"line,attr,omitempty"`
	Flaky []rerun `xml:"flakyFailure"`
	Rerun []rerun `xml:"rerunFailure"`
	// SystemOut stands after the results, where readers expect it.
	SystemOut *junit.Output `xml:"system-out,omitempty"`
}

// rerun is another attempt at a testcase that did not pass.
type rerun struct {
	Message    string       `xml:"message,attr"`
	Type       string       `xml:"type,attr"`
	StackTrace junit.Output `xml:"stackTrace"`
}

// property adds a property with a value.
func (tc *testcase) property(name, value string) {
	if value == "" {
		return
	}
	if tc.Properties == nil {
		tc.Properties = &[]junit.Property{}
	}
	*tc.Properties = append(*tc.Properties, junit.Property{Name: oneLine(name), Value: oneLine(value)})
}

// take makes the testcases those of the suite, and counts them.
func (ts *testsuite) take(list []testcase) {
	for i := range list {
		ts.Testsuite.AddTestcase(list[i].Testcase)
		ts.Testsuite.Testcases = ts.Testsuite.Testcases[:0] // the shadowing list is written
	}
	ts.Testsuite.Testcases = nil
	ts.Skipped = ts.Testsuite.Skipped
	ts.Testcases = list
}

// count adds a suite's counts.
func (all *testsuites) count(ts testsuite) {
	all.Testsuites.AddSuite(ts.Testsuite)
	all.Testsuites.Suites = nil // suites are written one by one
	all.Tests, all.Errors = all.Testsuites.Tests, all.Testsuites.Errors
	all.Failures, all.Skipped = all.Testsuites.Failures, all.Testsuites.Skipped
}

// result is a failure, error or skip; its message, type and body are never
// empty.
func result(kind, message string, body []string) *junit.Result {
	kind, message = orElse(oneLine(kind), "unknown"), orElse(oneLine(message), "no reason was given")
	for i := range body {
		body[i] = cut(body[i], maxBody)
	}
	text := legal(cut(strings.Join(body, "\n"), maxBody))
	return &junit.Result{Message: message, Type: kind, Data: orElse(text, message)}
}

// seconds writes milliseconds as plain decimal seconds.
func seconds(ms int64) string {
	return strconv.FormatFloat(float64(max(ms, 0))/1000, 'f', 3, 64)
}

// legal replaces what XML 1.0 does not allow by U+FFFD, bytes that are not
// UTF-8 among it.
func legal(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r',
			r >= 0x20 && r <= 0xD7FF,
			r >= 0xE000 && r <= 0xFFFD,
			r >= 0x10000 && r <= 0x10FFFF:
			return r
		default:
			return '\uFFFD'
		}
	}, s)
}

// oneLine is legal text in one line with trimmed ends, as attributes have it.
func oneLine(s string) string {
	if plain(s) {
		return s
	}
	return strings.Join(strings.Fields(legal(cut(s, maxLine))), " ")
}

// plain says quickly that a text is one line of printable ASCII already, as most
// are.
func plain(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return len(s) == 0 || last != ' '
}

// orElse is s, or other where s is empty.
func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
