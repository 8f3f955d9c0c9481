package project_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestAppsOfTheDocs keeps the examples of eval.yaml from arguments that name a
// file of the project: apps start in the private home, where it is not.
func TestAppsOfTheDocs(t *testing.T) {
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	for _, file := range []string{"../README.md", "../docs/running.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		apps := 0
		for _, found := range block.FindAllSubmatch(text, -1) {
			var example struct{ Apps map[string]any }
			if err := yaml.Unmarshal(found[1], &example); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for app, command := range example.Apps {
				apps++
				words, _ := command.([]any)
				for i, word := range words {
					if arg, _ := word.(string); i > 0 && strings.Contains(arg, "/") && !strings.HasPrefix(arg, "/") {
						t.Errorf("%s: apps.%s: the argument %q is not found from the private home", file, app, arg)
					}
				}
			}
		}
		if apps == 0 {
			t.Errorf("%s has no example with apps", file)
		}
	}
}
