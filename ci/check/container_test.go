package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// BuildKit reads the container's file, and what it copies is there.
func TestContainerfile(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // read only
	parsed, err := parser.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range parsed.Warnings {
		t.Error(w.Short)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 2 {
		t.Fatalf("%d stages", len(stages))
	}
	for _, stage := range stages {
		for _, command := range stage.Commands {
			c, ok := command.(*instructions.CopyCommand)
			if !ok || c.From != "" {
				continue
			}
			for _, path := range c.SourcePaths {
				if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if text := read(t, filepath.Join("..", "Containerfile")); !strings.Contains(text, "FROM golang:"+goVersion(t)) {
		t.Errorf("the build stage has another Go than go.mod (%s)", goVersion(t))
	}
}

// goVersion is the version of Go in go.mod, without its patch.
func goVersion(t *testing.T) string {
	for line := range strings.Lines(read(t, filepath.Join("..", "..", "go.mod"))) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "go "); ok {
			parts := strings.Split(version, ".")
			return parts[0] + "." + parts[1]
		}
	}
	t.Fatal("go.mod names no version of Go")
	return ""
}
