package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/resultstest"
)

// A night that was interrupted, twice even, still says what is new; it tells
// nobody, and removes nothing.
func TestInterruptedNight(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".opendesk", "eval"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, problems := project.Open(dir)
	if p == nil {
		t.Fatal(problems)
	}
	one := resultstest.Program("one")
	good := resultstest.NewStream(one).Begin(one).Attempt().EndAttempt(results.Passed, "", nil).End(results.Passed, "").Finish(false).Run()
	good.ID, good.StartedAt = "earlier", good.StartedAt.Add(-time.Hour)
	h, err := openHistory(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Record(context.Background(), good, nil), h.Close()); err != nil {
		t.Fatal(err)
	}
	bad := resultstest.NewStream(one).Begin(one).Attempt().EndAttempt(results.Failed, "no", nil).End(results.Failed, "no").Finish(true).Run()
	var out, errs bytes.Buffer
	st := &State{Stdout: &out, Stderr: &errs, Getenv: os.Getenv, Now: time.Now}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	told := filepath.Join(dir, "told")
	o := nightlyOptions{notify: "touch " + told, keep: 1}
	if err := o.after(ctx, st, p, dir, bad); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "newly failing (1)") || isThere(told) || !isThere(filepath.Join(dir, "comparison.html")) {
		t.Errorf("%s%s", &out, &errs)
	}
	if want := "opendesk: interrupted: nobody is told, and old runs stay\n"; errs.String() != want {
		t.Errorf("%q, want %q", errs.String(), want)
	}
	if err := o.after(context.Background(), st, p, dir, bad); err != nil || !isThere(told) {
		t.Errorf("uninterrupted: %v %s", err, &errs)
	}
}
