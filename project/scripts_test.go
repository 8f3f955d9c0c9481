package project

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestScripts(t *testing.T) {
	config, problems := parseConfig("eval.yaml", t.TempDir(), []byte(
		"scripts: {cpu: 90s, memory: 1GiB, processes: 128, disk: 500MiB, hidden: [keys, ./a/../b/c]}"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := config.Scripts
	if s.CPU != 90*time.Second || s.Memory != 1<<30 || s.Processes != 128 || s.Disk != 500<<20 || !slices.Equal(s.Hidden, []string{"keys", "b/c"}) {
		t.Errorf("%+v", s)
	}
	want := map[string]int{"cpu_seconds": 90, "memory_mib": 1024, "processes": 128, "disk_mib": 500}
	if caps := s.Caps(); !maps.Equal(caps, want) {
		t.Errorf("caps %v, want %v", caps, want)
	}
	if caps := (Scripts{Processes: 7}).Caps(); !maps.Equal(caps, map[string]int{"processes": 7}) {
		t.Errorf("caps %v", caps)
	}
}

func TestScriptsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"scripts: {cpu: 10ms}":         "scripts.cpu 10ms is too short or too long",
		"scripts: {cpu: 2h}":           "scripts.cpu 2h0m0s is too short or too long",
		"scripts: {cpu: soon}":         `scripts.cpu "soon" is no time`,
		"scripts: {memory: 1MiB}":      "scripts.memory 1MiB is too small or too large",
		"scripts: {memory: 65GiB}":     "scripts.memory is too large: use at most 64 GiB",
		"scripts: {disk: 12}":          `scripts.disk "12" is no size`,
		"scripts: {processes: 0}":      "scripts.processes must be a whole number from 1 to 4096, not 0",
		"scripts: {processes: 1.5}":    "scripts.processes must be a whole number",
		"scripts: {hidden: keys}":      "scripts.hidden must be a list such as [keys]",
		"scripts: {hidden: [../a]}":    `scripts.hidden[0] "../a" is no place inside of the project`,
		"scripts: {hidden: [a, /etc]}": `scripts.hidden[1] "/etc" is no place inside of the project`,
		"scripts: {timeout: 5s}":       "scripts.timeout",
	} {
		_, problems := parseConfig("eval.yaml", t.TempDir(), []byte(text))
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
}
