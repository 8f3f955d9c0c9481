package learn_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
)

// TestFileName holds names against what the Python opendesk calls the files.
func TestFileName(t *testing.T) {
	for task, want := range map[string]string{
		"export-report":        "export-report",
		"Export Report":        "export_report",
		"  Export   Report\t":  "export_report",
		"Öl & Gas: Q3/2024 ":   "öl_gas_q32024",
		"a\tb\nc":              "abc",
		"../../etc/passwd":     "etcpasswd",
		"tcp.json":             "tcpjson",
		"":                     "task",
		"!!!":                  "task",
		"日本語 テスト":              "日本語_テスト",
		"ΟΔΟΣ":                 "οδος",
		"İstanbul":             "istanbul",
		"x² ½ ⅷ ٣":             "x²_½_ⅷ_٣",
		"e\u0301":              "e",
		"no\u00a0break":        "nobreak",
		"\u2003wide\u2003":     "wide",
		"_-_":                  "_-_",
		" \x1c a":              "a",
		"STRASSE ẞ ß":          "strasse_ß_ß",
		"emoji 🎉 party":        "emoji_party",
		"ǅ Ⅷ":                  "ǆ_ⅷ",
		"a  -  b":              "a_-_b",
		"tab\x0bvertical \x1f": "tabvertical",
	} {
		if got := learn.FileName(task); got != want {
			t.Errorf("%q: %q, want %q", task, got, want)
		}
	}
}

const oneStep = `{"version": 1, "steps": [{"id": "s1", "tool": "wait"}]}`

// folder makes a project with files below its learned folder.
func folder(t *testing.T, files map[string]string) learn.Folder {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(program.LearnedDir), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return learn.Folder{Project: dir}
}

func TestFind(t *testing.T) {
	f := folder(t, map[string]string{
		"export-report.program.json": oneStep, "export-report.json": "{}", "export-report.trajectory.json": "{}",
		"words only.json":            "{}",
		"Odd Name.program.json":      oneStep,
		"a/weekly.program.json":      oneStep,
		"b/weekly.program.json":      oneStep,
		"b/monthly_sums.json":        "{}",
		"-dash.program.json":         oneStep,
		"learned/inner.program.json": oneStep,
		"x.json.program.json":        oneStep,
	})
	learned := filepath.Join(f.Project, program.LearnedDir)
	other := filepath.Join(t.TempDir(), "other.program.json")
	if err := os.WriteFile(other, []byte(oneStep), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.program.json")
	if err := os.Symlink(filepath.Join(learned, "export-report.program.json"), link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"export-report":                                      "export-report",
		"export-report.program.json":                         "export-report",
		"export-report.json":                                 "export-report",
		"export-report.trajectory.json":                      "export-report",
		"./export-report":                                    "export-report",
		"learned/export-report":                              "export-report",
		".opendesk/learned/export-report.program.json":       "export-report",
		"./.opendesk/learned/export-report":                  "export-report",
		filepath.Join(learned, "export-report.program.json"): "export-report",
		link:                          "export-report",
		other:                         other,
		"EXPORT-Report ":              "export-report",
		"words only":                  "words only",
		"Words Only":                  "words only",
		"words_only":                  "words only",
		"odd name":                    "Odd Name",
		"a/weekly":                    "a/weekly",
		"a/Weekly!":                   "a/weekly",
		"Monthly Sums":                "b/monthly_sums",
		"-dash":                       "-dash",
		"learned/inner":               "learned/inner",
		"learned/learned/inner":       "learned/inner",
		"x.json":                      "x.json",
		"weekly":                      `error: "weekly" can be several tasks: use one of a/weekly, b/weekly`,
		"exprot-report":               `error: there is no learned task "exprot-report" (did you mean "export-report"?)`,
		"monthly_sum":                 `error: there is no learned task "monthly_sum" (did you mean "b/monthly_sums"?)`,
		"zzz":                         `error: there is no learned task "zzz": see opendesk learn list`,
		"":                            "error: the name of the task is empty",
		"/nonexistent/x.program.json": `error: there is no learned task "/nonexistent/x.program.json": see opendesk learn list`,
	} {
		task, err := f.Find(name)
		got := task.Name
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	empty := folder(t, nil)
	_, err := empty.Find("x")
	var unknown *learn.UnknownError
	if !errors.As(err, &unknown) || !strings.HasSuffix(err.Error(), "there are none in "+filepath.Join(empty.Project, ".opendesk/learned")) {
		t.Error(err)
	}
}

func TestFindAmbiguousPath(t *testing.T) {
	f := folder(t, map[string]string{"a.program.json": oneStep})
	here := t.TempDir()
	t.Chdir(here)
	if err := os.WriteFile("a.program.json", []byte(oneStep), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Find("a.program.json"); err == nil || err.Error() != `"a.program.json" can be several tasks: use one of a, a.program.json` {
		t.Error(err)
	}
	if task, err := f.Find("a"); err != nil || task.Name != "a" {
		t.Error(task, err)
	}
}

func TestTasks(t *testing.T) {
	f := folder(t, map[string]string{
		"both.program.json": oneStep, "both.json": "{}", "both.trajectory.json": "{}",
		"sub/program.program.json": oneStep, "words.json": "{}", ".opendesk.lock": "",
	})
	if err := os.Symlink("nowhere", filepath.Join(f.Project, program.LearnedDir, "gone")); err != nil {
		t.Fatal(err)
	}
	tasks, problems, err := f.Tasks()
	if err != nil || len(problems) != 1 || len(tasks) != 3 {
		t.Fatal(tasks, problems, err)
	}
	for i, want := range []struct {
		name               string
		program, procedure bool
	}{{"both", true, true}, {"sub/program", true, false}, {"words", false, true}} {
		if got := tasks[i]; got.Name != want.name || got.HasProgram != want.program || got.HasProcedure != want.procedure {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := tasks[1].ProgramPath(); got != ".opendesk/learned/sub/program.program.json" {
		t.Error(got)
	}
}

func TestPlace(t *testing.T) {
	f := folder(t, map[string]string{"Odd Name.program.json": oneStep, "words.json": "{}"})
	for name, want := range map[string]string{
		"Export Report":                 "export_report",
		"export-report.program.json":    "export-report",
		"reports/Week 1":                "reports/week_1",
		"Odd Name":                      "Odd Name",
		"words":                         "words",
		"Words":                         "words",
		"learned/new":                   "new",
		"../x":                          `error: "../x" is no name for a task: a new one goes into .opendesk/learned`,
		"a//b":                          `error: "a//b" is no name for a task: a new one goes into .opendesk/learned`,
		"/tmp/x.program.json":           `error: "/tmp/x.program.json" is no file that exists: a new task goes into .opendesk/learned, give its name without a path`,
		"":                              `error: the name of the task is empty`,
		strings.Repeat("x", 5) + "\x00": "xxxxx",
	} {
		task, err := f.Place(name)
		got := task.Name
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
