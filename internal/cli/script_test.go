package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/opendesk/opendesk/internal/cli"
	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is opendesk itself when it is called so: sessions and
// workers that scripts start are real processes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"opendesk": func() { os.Exit(cli.Main()) }})
}

// TestScripts runs the command line as users do.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("XDG_RUNTIME_DIR", "")
			apps, err := filepath.Abs("../../fixtures/apps")
			if err != nil {
				return err
			}
			env.Setenv("APPS", apps)
			// Sockets are made in it, and their paths are limited.
			short, err := os.MkdirTemp("", "t")
			if err != nil {
				return err
			}
			env.Setenv("TMPDIR", short)
			env.Defer(func() {
				if err := os.RemoveAll(short); err != nil {
					t.Error(err)
				}
			})
			env.Defer(func() { // what a script that failed has left
				stop := exec.Command("opendesk", "session", "stop", "--all")
				stop.Env, stop.Dir = env.Vars, env.Cd
				if out, err := stop.CombinedOutput(); err != nil {
					t.Errorf("stop the script's sessions: %v: %s", err, out)
				}
			})
			return nil
		},
	})
}

// exits runs a command and checks its exit code: exits 2 opendesk eval run …
// What it printed is checked by stdout and stderr as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d\n%s", code, want, fmt.Sprint(ts.ReadFile("stdout"), ts.ReadFile("stderr")))
	}
}
