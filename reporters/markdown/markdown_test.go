package markdown_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/opendesk/opendesk/reporters/markdown"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

var update = flag.Bool("update", false, "write golden files anew")

func write(t testing.TB, run *results.Run, limit int) string {
	t.Helper()
	var buf bytes.Buffer
	if err := markdown.Write(&buf, run, markdown.Options{Limit: limit}); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestGolden(t *testing.T) {
	for name, stream := range map[string]*resultstest.Stream{
		"empty": resultstest.Empty(), "passing": resultstest.Passing(), "mixed": resultstest.Mixed(),
		"cut": resultstest.Cut(), "hostile": resultstest.Hostile(), "scripts": resultstest.Scripts(),
	} {
		t.Run(name, func(t *testing.T) {
			got := write(t, stream.Run(), 0)
			golden := filepath.Join("testdata", name+".md")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", golden, got)
			}
		})
	}
}

// failures are programs that fail for a reason of so many bytes.
func failures(programs, size int) *results.Run {
	run := &results.Run{Suite: "s", ExitCode: results.ExitFailed}
	for i := range programs {
		steps := resultstest.NotFoundSteps("x.png")
		steps[2].Failure.Reason = strings.Repeat("🙁 `no` ", size/11)
		p := resultstest.Program("p" + strconv.Itoa(i))
		p.Status, p.Reason = results.Failed, steps[2].Failure.Reason
		p.Attempts = []results.Attempt{{Number: 1, Status: results.Failed, Reason: p.Reason, Steps: steps}}
		run.Programs = append(run.Programs, p)
	}
	return run
}

func TestBounds(t *testing.T) {
	for _, row := range []struct{ programs, size, limit int }{
		{200, 10 << 10, markdown.MaxComment}, {200, 10 << 10, 1 << 20}, {5000, 100, markdown.MaxComment}, {200, 10 << 10, 9000},
	} {
		text := write(t, failures(row.programs, row.size), row.limit)
		if len(text) > row.limit || len(text) < row.limit/3 {
			t.Errorf("%+v: %d bytes", row, len(text))
		}
		if last := text[strings.LastIndex(strings.TrimSpace(text), "\n"):]; !strings.Contains(last, " more: see results.json") {
			t.Errorf("%+v: it ends with %q", row, last)
		}
		if !strings.Contains(text, "200 failed") && !strings.Contains(text, "5000 failed") {
			t.Errorf("%+v: no verdict in %.300s", row, text)
		}
		checkSafe(t, text)
	}
	if text := write(t, failures(3, 100), 0); strings.Contains(text, " more") || strings.Count(text, "<details>") != 3 {
		t.Errorf("nothing has to be left out of\n%s", text)
	}
}

// checkSafe holds a text against what keeps foreign texts from being Markdown:
// they stand in code spans, code blocks, or escaped in <code>.
func checkSafe(t testing.TB, text string) {
	t.Helper()
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for _, r := range line {
			if unicode.IsControl(r) && r != '\t' || r != '\u200d' && unicode.Is(unicode.Cf, r) {
				t.Errorf("%U in %q", r, line)
			}
		}
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"):
			fence = line
			continue
		case strings.HasPrefix(line, "<details>"), line == "</details>", line == "":
			if strings.Count(line, "<") > 6 {
				t.Errorf("more than our own tags in %q", line)
			}
			continue
		}
		bare := withoutSpans(line)
		if strings.ContainsAny(bare, "<>@[]_#`~") && !strings.HasPrefix(bare, "## ") {
			t.Errorf("a foreign text stands bare in %q (%q)", line, bare)
		}
	}
	if fence != "" {
		t.Error("a code block does not end")
	}
}

// withoutSpans takes code spans away as Markdown reads them: a run of backticks
// ends at the next run of the same length.
func withoutSpans(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		if line[i] != '`' {
			out.WriteByte(line[i])
			i++
			continue
		}
		n := 0
		for i+n < len(line) && line[i+n] == '`' {
			n++
		}
		end := -1
		for j := i + n; j < len(line); {
			if line[j] != '`' {
				j++
				continue
			}
			m := 0
			for j+m < len(line) && line[j+m] == '`' {
				m++
			}
			if m == n {
				end = j + m
				break
			}
			j += m
		}
		if end < 0 {
			return out.String() + line[i:]
		}
		i = end
	}
	return out.String()
}

func FuzzWrite(f *testing.F) {
	f.Add("s1", "`` @everyone [x](http://y) <b>", "```\n```\n</details>\n@all", ".opendesk/learned/</code>@x.program.json")
	f.Add("`", "``", "\x1b\u202e\xff", "")
	f.Fuzz(func(t *testing.T, id, reason, detail, path string) {
		step := results.Step{ID: id, Line: 3, Status: results.StepFailed, Summary: detail,
			Failure: &results.Failure{Reason: reason, Details: []string{detail}}}
		run := &results.Run{Suite: detail, Notes: []string{reason}, Programs: []results.Program{
			{Path: path, File: path, Status: results.Failed, Reason: reason, Attempts: []results.Attempt{{Status: results.Failed, Steps: []results.Step{step}}}},
			{Path: path, Status: results.Broken, Reason: detail, Attempts: []results.Attempt{{Status: results.Broken, Fault: &results.Failure{Reason: reason}}}},
			{Path: path, Status: results.Invalid, Problems: []results.Problem{{Severity: "error", File: path, JSONPath: id, Message: detail}}},
			{Path: path, Status: results.Flaky, Reason: detail},
		}}
		text := write(t, run, 0)
		if len(text) > markdown.MaxComment {
			t.Errorf("%d bytes", len(text))
		}
		checkSafe(t, text)
	})
}
