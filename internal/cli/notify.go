package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
)

// Limits of a command that tells people: for its work, and for its output to end
// where something that left its process group holds that open.
const (
	notifyTimeout = 2 * time.Minute
	notifyWait    = 5 * time.Second
)

// notification is what there is to tell.
type notification struct {
	comparison *compare.Comparison
	run        *results.Run
	dir        string
}

// notify runs a command by the shell, with all that it starts in the background
// until the command itself has ended. What it prints goes to standard error.
func notify(ctx context.Context, st *State, command string, n notification) error {
	var stdin bytes.Buffer
	if err := writeComparisonJSON(&stdin, n.comparison); err != nil {
		return err
	}
	printed, output, err := os.Pipe()
	if err != nil {
		return err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(st.Stderr, printed)
	}()
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &stdin, output, output
	cmd.Env = append(os.Environ(), n.environment()...)
	cmd.WaitDelay = notifyWait
	endGroup := withGroup(cmd)
	err = cmd.Run()
	endGroup()
	_ = output.Close()
	select {
	case <-copied:
	case <-time.After(notifyWait):
	}
	_ = printed.Close()
	<-copied
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the command took longer than %v and was ended", notifyTimeout)
	case ctx.Err() != nil:
		return errors.New("the command was ended by the interrupt")
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // it need not read what it gets
		return fmt.Errorf("the command failed: %w", err)
	}
	return nil
}

// environment are the variables that the command gets.
func (n notification) environment() []string {
	c := n.comparison
	env := []string{
		"OPENDESK_HEADLINE=" + c.Headline(), "OPENDESK_RUN=" + n.run.ID, "OPENDESK_RUN_DIR=" + n.dir,
		"OPENDESK_SUITE=" + n.run.Suite, "OPENDESK_PROJECT=" + n.run.Project, "OPENDESK_STATUS=" + string(n.run.Status),
		"OPENDESK_EXIT_CODE=" + strconv.Itoa(n.run.ExitCode),
	}
	for kind, list := range map[compare.Kind][]compare.ProgramChange{
		compare.NewlyFailing: c.NewlyFailing, compare.StillFailing: c.StillFailing, compare.Broken: c.Broken,
		compare.Fixed: c.Fixed, compare.Flaky: c.Flaky, compare.Drifting: c.Drifting, compare.Slower: c.Slower,
		compare.Quarantined: c.Quarantined, compare.Added: c.Added, compare.Removed: c.Removed,
	} {
		env = append(env, fmt.Sprintf("OPENDESK_%s=%d", strings.ToUpper(string(kind)), len(list)))
	}
	return env
}
