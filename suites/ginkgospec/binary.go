package ginkgospec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const (
	command  = "opendesk"
	variable = "OPENDESK_BINARY"
	tool     = "github.com/opendesk/opendesk/cmd/opendesk"
)

// found remembers the binaries: asking for the tool builds it.
var found = struct {
	sync.Mutex
	byOption map[string]string
}{byOption: map[string]string{}}

// findBinary gives the opendesk to run. The error says what to do.
func findBinary(ctx context.Context, option string) (string, error) {
	found.Lock()
	defer found.Unlock()
	if binary, ok := found.byOption[option]; ok {
		return binary, nil
	}
	binary, err := lookUp(ctx, option)
	if err == nil {
		found.byOption[option] = binary
	}
	return binary, err
}

func lookUp(ctx context.Context, option string) (string, error) {
	if option != "" {
		return named(option, "the option Binary")
	}
	if path := os.Getenv(variable); path != "" {
		return named(path, variable)
	}
	binary, err := goTool(ctx)
	if binary != "" || err != nil {
		return binary, err
	}
	if binary, err = exec.LookPath(command); err == nil {
		return filepath.Abs(binary)
	}
	return "", fmt.Errorf("the command %s was not found: run `go get -tool %s` in your module, or put it into the PATH, or set %s to its path",
		command, tool, variable)
}

// named finds the binary that somebody asked for.
func named(path, by string) (string, error) {
	binary, err := exec.LookPath(path)
	if errors.Is(err, exec.ErrDot) {
		err = nil // it was asked for
	}
	if err != nil {
		return "", fmt.Errorf("%s names no command: %w (the working folder is that of the package under test)", by, err)
	}
	return filepath.Abs(binary)
}

// goTool builds the opendesk that the module in use has for a tool; "" where
// it has none.
func goTool(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", command)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = grace
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound), err != nil && strings.Contains(stderr.String(), "no such tool"):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("`go tool -n %s`, which builds the opendesk of your module: %w\n%s", command, err, indented(stderr.String()))
	}
	binary := strings.TrimSpace(stdout.String())
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("`go tool -n %s` gave no file to run: %w", command, err)
	}
	return binary, nil
}
