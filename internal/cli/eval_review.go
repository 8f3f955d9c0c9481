package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/results/compare"
	"github.com/opendesk/opendesk/results/history"
)

const historyHelp = `Each run is added to the project's history (.opendesk/eval/history.db) and held
against each program's own last good run. With --fail-on new-failures a program
that was failing in its last run already does not count. A program that breaks
is neither news nor good: it keeps the state that it had, and the exit code is 3
as ever. --fail-on drift and --fail-on slow are about the history as well.
`

// reviewTime bounds how long a run's end waits for the history.
const reviewTime = time.Minute

// review compares the run with the project's history and adds it to that; nil
// where none is wanted. The run's verdict never depends on whether it can.
func (e *evaluation) review(ctx context.Context, plan harness.Plan) func(*results.Run) harness.Review {
	if e.options.noHistory {
		return nil
	}
	return func(run *results.Run) harness.Review {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTime)
		defer cancel()
		return reviewRun(ctx, e.project, run, contentsOf(plan))
	}
}

// contentsOf are the programs' files as they are run.
func contentsOf(plan harness.Plan) compare.Contents {
	var contents [][]byte
	for _, item := range plan.Items {
		if content := item.Content(); content != nil && item.Repeat <= 1 {
			contents = append(contents, content)
		}
	}
	return compare.ContentsOf(contents...)
}

// reviewRun says what is new in a run that is not in the history yet, and adds
// it. What cannot be done is a note.
func reviewRun(ctx context.Context, p *project.Project, run *results.Run, contents compare.Contents) harness.Review {
	h, err := openHistory(ctx, p)
	if err != nil {
		return harness.Review{Notes: []string{notWritten(err)}}
	}
	review := compareWithHistory(ctx, h, run, contents)
	if err := errors.Join(h.Record(ctx, run, contents), h.Close()); err != nil {
		review.Notes = append(review.Notes, notWritten(err))
	}
	return review
}

// compareWithHistory says what is new in a run, and adds nothing.
func compareWithHistory(ctx context.Context, h *history.DB, run *results.Run, contents compare.Contents) (review harness.Review) {
	if note := h.Note(); note != "" {
		review.Notes = append(review.Notes, note)
	}
	c, err := compare.Compare(compare.Of(run), withContents{h.Before(ctx, compare.InfoOf(run)), contents}, compare.LastGood)
	if err != nil {
		review.Notes = append(review.Notes, fmt.Sprintf("the run was not compared with the history: %v", err))
	} else {
		review.Warnings, review.News = c.Warnings(), news(c)
	}
	return review
}

func notWritten(err error) string { return fmt.Sprintf("the history was not written: %v", err) }

// openHistory opens the project's history, which is made where there is none.
func openHistory(ctx context.Context, p *project.Project) (*history.DB, error) {
	if err := p.WriteGitignore(); err != nil && !isThere(p.HistoryFile()) {
		return nil, err
	}
	return history.Open(ctx, p.HistoryFile())
}

// news is one line on what is new, for the end of a run.
func news(c *compare.Comparison) string {
	if c.Earlier == nil {
		return "history: this is the first run in it"
	}
	return "against the last good runs: " + c.Headline()
}

// withContents is a past that knows some more programs' files.
type withContents struct {
	compare.Past
	contents compare.Contents
}

// Some is the same for a few programs.
func (w withContents) Some(paths []string) (compare.Past, error) {
	past, err := w.Past.Some(paths)
	return withContents{past, w.contents}, err
}

// Content looks among these files first.
func (w withContents) Content(sha256 string) ([]byte, error) {
	if content, err := w.contents(sha256); content != nil || err != nil {
		return content, err
	}
	return w.Past.Content(sha256)
}

// isThere says whether there is a file or folder of this name.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
