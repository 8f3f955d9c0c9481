package inventory

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Git is the commit that the work tree of dir is at, and whether files that git
// knows have changes that are in no commit. It changes nothing and asks nobody
// else. Before the first commit there is none, which is no error.
func Git(ctx context.Context, dir string) (commit string, dirty bool, err error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return "", false, errors.New("the project's commit is not known: git is not on PATH")
	}
	cmd := exec.CommandContext(ctx, git, "-C", dir, "-c", "core.fsmonitor=false",
		"status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=none")
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			first, _, _ := strings.Cut(strings.TrimSpace(string(ended.Stderr)), "\n")
			err = errors.New(first)
		}
		return "", false, fmt.Errorf("the project's commit is not known: git: %w", err)
	}
	commit, dirty = parseStatus(string(out))
	return commit, dirty, nil
}

// parseStatus reads git's status of version 2: headers begin with "#", any
// other line is a change.
func parseStatus(out string) (commit string, dirty bool) {
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "":
		case !strings.HasPrefix(line, "#"):
			dirty = true
		case strings.HasPrefix(line, "# branch.oid ") && !strings.HasSuffix(line, "(initial)"):
			commit = strings.TrimPrefix(line, "# branch.oid ")
		}
	}
	return commit, dirty
}
