package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Problem is a place in a script that Python cannot read.
type Problem struct {
	// Line and Column count from 1; 0 where that is not known.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Message is Python's, without the place.
	Message string `json:"message"`
}

// checker reads a source from stdin and prints the first problem, or nothing. It
// executes nothing of it.
const checker = `
import json, sys, warnings
warnings.simplefilter("ignore")
source = sys.stdin.buffer.read()
try:
    compile(source, sys.argv[1], "exec", dont_inherit=True)
except SyntaxError as e:
    print(json.dumps({"line": e.lineno or 0, "column": e.offset or 0, "message": e.msg or "invalid syntax"}))
except (ValueError, RecursionError, MemoryError, OverflowError) as e:
    print(json.dumps({"line": 0, "column": 0, "message": str(e) or type(e).__name__}))
`

// checkPatience bounds a check.
const checkPatience = 20 * time.Second

// Check says where Python cannot read a script, without running it. The name is
// for messages. Python tells the first problem only. The error is an
// *UnavailableError where there is no Python.
func Check(ctx context.Context, name string, source []byte) ([]Problem, error) {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, DefaultInterpreter, "-I", "-S", "-c", checker, name)
	cmd.Env = []string{"LANG=C.UTF-8", "PATH=/usr/bin:/bin"}
	cmd.Stdin = bytes.NewReader(source)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		// The parser of some versions overflows its stack on what nobody writes.
		return []Problem{{Message: "Python crashes on it: " + err.Error()}}, nil
	case errors.As(err, &exit):
		return nil, fmt.Errorf("check %s: %w: %s", name, err, bytes.TrimSpace(failed.Bytes()))
	case err != nil:
		return nil, &UnavailableError{Reason: "scripts need " + DefaultInterpreter + ", which cannot be started: " + err.Error(), Fix: fixPython}
	}
	if out.Len() == 0 {
		return nil, nil
	}
	var p Problem
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		return nil, fmt.Errorf("check %s: %w", name, err)
	}
	return []Problem{p}, nil
}

// fixPython is what to do where there is no Python.
const fixPython = "Debian/Ubuntu: apt-get install python3"
