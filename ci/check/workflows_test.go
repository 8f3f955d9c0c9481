package check

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// actionlint finds nothing in the workflows, nor in how they use the action.
func TestWorkflows(t *testing.T) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: filepath.Join("..", "..")})
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range glob(t, ".github/workflows/*.yml", "ci/github/*.yml") {
		problems, err := linter.LintFile(path, project)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			t.Error(p)
		}
	}
	if problems, err := linter.Lint("bad.yml", []byte("on: push\njobs: {a: {runs-on: ubuntu-24.04, steps: [{uses: ./ci, with: {command: run, shards: 3}}]}}\n"), project); err != nil || len(problems) == 0 {
		t.Errorf("an input that the action does not have is not found: %v", err)
	}
}

var used = regexp.MustCompile(`uses: ([^ \n]+)`)

// Actions of others are pinned by commit.
func TestPinned(t *testing.T) {
	pinned := regexp.MustCompile(`^actions/[a-z/-]+@[0-9a-f]{40}$`)
	for _, path := range glob(t, ".github/workflows/*.yml", "ci/github/*.yml", "ci/action.yml") {
		for _, match := range used.FindAllStringSubmatch(read(t, path), -1) {
			if name := match[1]; !pinned.MatchString(name) && name != "./ci" && !strings.HasPrefix(name, "opendesk/opendesk/ci@") {
				t.Errorf("%s uses %s", path, name)
			}
		}
	}
}

// The repository's own workflows are those for users, but for the project and
// where the action is.
func TestOwnWorkflows(t *testing.T) {
	own := strings.NewReplacer("opendesk/opendesk/ci@main", "./ci", "\n  PROJECT: .\n", "\n  PROJECT: fixtures/projects/office\n")
	for _, path := range glob(t, "ci/github/*.yml") {
		mine := filepath.Join("..", "..", ".github", "workflows", filepath.Base(path))
		if read(t, mine) != own.Replace(read(t, path)) {
			t.Errorf("%s is not %s with ./ci and PROJECT: fixtures/projects/office", mine, path)
		}
	}
}
