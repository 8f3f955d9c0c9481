package project

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for text, want := range map[string]Limits{
		"limits: {memory: 2GiB, processes: 500, home: 64MiB}": {Memory: 2 << 30, Processes: 500, Home: 64 << 20},
		"limits: {memory: 1.5 GiB}":                           {Memory: 3 << 29},
		"limits: {home: \"2048KiB\"}":                         {Home: 2 << 20},
		"retries: 1":                                          {},
	} {
		config, problems := parseConfig("eval.yaml", "/p", []byte(text))
		if len(problems) > 0 || config.Limits != want {
			t.Errorf("%s: %+v, %v", text, config.Limits, problems)
		}
	}
	for text, want := range map[string]string{
		"limits: {memory: 2GB}":        `limits.memory "2GB" is no size: use a number with KiB, MiB or GiB, such as 512MiB`,
		"limits: {memory: 2147483648}": `limits.memory "2147483648" is no size`,
		"limits: {memory: 64MiB}":      "limits.memory 64MiB is too small or too large: use at least 128 MiB",
		"limits: {home: 999999GiB}":    "limits.home 999999GiB is too small or too large",
		"limits: {memory: [1GiB]}":     "limits.memory must be a text, not a list",
		"limits: {processes: 10}":      "limits.processes must be a whole number from 64 to 1048576, not 10",
		"limits: {processes: 99.5}":    "limits.processes must be a whole number",
		"limits: {processes: many}":    "limits.processes must be a number, not a text",
		"limits: {disk: 1GiB}":         "limits.disk is unknown",
	} {
		_, problems := parseConfig("eval.yaml", "/p", []byte(text))
		if len(problems) != 1 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
}
