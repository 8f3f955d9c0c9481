// Package check holds what ci/ has for the engines of others against what those
// engines read: workflows, manifests, and the container's file.
package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// glob gives the files of the repository that match, at least one for each.
func glob(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		all = append(all, found...)
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
