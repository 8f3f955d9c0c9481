package project

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSettingsOfPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rc", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, problems := parseConfig("eval.yaml", dir, []byte(`
budget: {program: 5m, run: 1h30m}
setup:
  apps: [mousepad]
  files: {.config/app/rc: rc}
  environment: {MODE: test, N: 1}
programs:
  reports/**:
    tags: [slow, nightly]
    budget: 30s
  reports/export:
    tags: [smoke, slow]
    quarantine: {issue: "https://example.org/issues/7", until: 2027-01-31}
    display: {geometry: 1024x768}
    setup:
      apps: [Numbers]
      files: {.config/app/rc: other, data/: rc}
      environment: {MODE: export}
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if want := (Budget{Program: 5 * time.Minute, Run: 90 * time.Minute}); config.Budget != want {
		t.Errorf("budget %+v", config.Budget)
	}
	rc, other := filepath.Join(dir, "rc"), filepath.Join(dir, "other")
	got := config.Settings([]string{"x", "reports/export"})
	want := Settings{
		Tags:       []string{"slow", "nightly", "smoke"},
		Quarantine: &Quarantine{Issue: "https://example.org/issues/7", Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)},
		Budget:     30 * time.Second, Geometry: &Geometry{1024, 768, 24},
		Setup: Setup{
			Apps:        []string{"mousepad", "Numbers"},
			Files:       map[string]string{".config/app/rc": other, "data": rc},
			Environment: map[string]string{"MODE": "export", "N": "1"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	plain := config.Settings([]string{"calc"})
	if plain.Budget != 5*time.Minute || len(plain.Tags) != 0 || plain.Geometry != nil || !reflect.DeepEqual(plain.Setup.Apps, []string{"mousepad"}) {
		t.Errorf("a program without rules: %+v", plain)
	}
	if problems := config.Unmatched([][]string{{"reports/totals"}}); len(problems) != 1 || problems[0].Line != 11 || problems[0].Path != "programs.reports/export" {
		t.Errorf("unmatched %v", problems)
	}
	q := got.Quarantine
	if q.Expired(q.Until.Add(24*time.Hour-time.Second)) || !q.Expired(q.Until.Add(24*time.Hour)) || q.LastDay() != "2027-01-31" {
		t.Error("a quarantine counts to the end of its last day")
	}
}

func TestProblemsOfPrograms(t *testing.T) {
	for _, row := range []struct{ yaml, want string }{
		{"budget: 5m", "1:9: budget must hold keys and values, not a text"},
		{"budget: {program: 5}", "1:19: budget.program must be a text, not a number"},
		{"budget: {program: soon}", `1:19: budget.program "soon" is no time: write it as 90s, 5m or 1h30m`},
		{"budget: {run: -1s}", `1:15: budget.run "-1s" is no time budget: it must be above 0 and at most 720h0m0s`},
		{"setup: {app: [x]}", `1:9: setup.app is unknown (did you mean "apps"?)`},
		{"setup: {apps: x}", "1:15: setup.apps must be a list such as [mousepad], not a text"},
		{"setup: {apps: ['']}", "1:16: setup.apps[0] names no application"},
		{"setup: {files: {../x: rc}}", "1:17: setup.files.../x is no place inside of the home: use a relative path such as .config/app/settings.ini"},
		{"setup: {files: {x: missing}}", "1:20: setup.files.x /p/missing cannot be copied: no such file or directory (relative paths are relative to the project)"},
		{"setup: {environment: {DISPLAY: x}}", "1:23: setup.environment.DISPLAY is set by the session itself: remove it"},
		{"programs: {'[': {}}", "1:12: programs.[ is no glob of programs: use a name such as reports/export, or a pattern such as reports/**"},
		{"programs: {p: {tag: [x]}}", `1:16: programs.p.tag is unknown (did you mean "tags"?)`},
		{"programs: {p: {tags: x}}", "1:22: programs.p.tags must be a list such as [smoke], not a text"},
		{"programs: {p: {tags: [a b]}}", `1:23: programs.p.tags[0] "a b" is no tag: use letters, digits, _, - and .`},
		{"programs: {p: {tags: [a, a]}}", `1:26: programs.p.tags[1] "a" stands twice`},
		{"programs: {p: {quarantine: {issue: later, until: 2027-01-31}}}", `1:36: programs.p.quarantine.issue "later" is no link: use the issue's address, https://…`},
		{"programs: {p: {quarantine: {issue: 'https://x/1', until: soon}}}", `1:58: programs.p.quarantine.until "soon" is no day: write it as 2027-01-31`},
		{"programs: {p: {quarantine: {issue: 'https://x/1'}}}", "1:28: programs.p.quarantine lacks until: the last day on which it counts, such as 2027-01-31"},
		{"programs: {p: {quarantine: {until: 2027-01-31}}}", "1:28: programs.p.quarantine lacks issue: the link to what is known about the failure"},
		{"programs: {p: {display: {geometry: 1x1}}}", `1:36: programs.p.display.geometry "1x1" is no screen size: width and height are from 100 to 16384`},
	} {
		_, problems := parseConfig("eval.yaml", "/p", []byte(row.yaml))
		var lines []string
		for _, p := range problems {
			lines = append(lines, strings.TrimPrefix(p.String(), "eval.yaml:"))
		}
		if got := strings.Join(lines, "\n"); got != row.want {
			t.Errorf("%s\ngot  %s\nwant %s", row.yaml, got, row.want)
		}
	}
}
