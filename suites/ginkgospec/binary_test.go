//go:build unix

package ginkgospec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLookUp: the option goes before the variable, that before the module's
// tools, and those before the PATH; every failure says what to do.
func TestLookUp(t *testing.T) {
	const noTool = `echo 'go: no such tool "opendesk"' >&2; exit 2`
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"byoption", "byvariable", "bytool", "bin/opendesk"} {
		script(t, path(name), "exit 0")
	}
	for name, test := range map[string]struct {
		option, variable, goCommand string
		want, err                   string
	}{
		"option":          {path("byoption"), path("byvariable"), "echo " + path("bytool"), path("byoption"), ""},
		"variable":        {"", path("byvariable"), "echo " + path("bytool"), path("byvariable"), ""},
		"tool":            {"", "", "echo " + path("bytool"), path("bytool"), ""},
		"path":            {"", "", noTool, path("bin/opendesk"), ""},
		"no go":           {"", "", "", path("bin/opendesk"), ""},
		"option missing":  {path("gone"), path("byvariable"), noTool, "", "the option Binary names no command: "},
		"variable a dir":  {"", dir, noTool, "", "OPENDESK_BINARY names no command: "},
		"tool not built":  {"", "", "echo 'x.go:1: syntax error' >&2; exit 1", "", "x.go:1: syntax error"},
		"tool is no file": {"", "", "echo " + path("gone"), "", "gave no file to run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OPENDESK_BINARY", test.variable)
			bin := t.TempDir()
			if test.goCommand != "" {
				script(t, filepath.Join(bin, "go"), test.goCommand)
			}
			t.Setenv("PATH", bin+":"+path("bin"))
			got, err := lookUp(t.Context(), test.option)
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("found %q, %v", got, err)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Setenv("OPENDESK_BINARY", "")
		t.Setenv("PATH", t.TempDir())
		_, err := lookUp(t.Context(), "")
		if err == nil || !strings.Contains(err.Error(), "go get -tool github.com/opendesk/opendesk/cmd/opendesk") {
			t.Errorf("the error is %v", err)
		}
	})
}

func script(t *testing.T, file, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}
