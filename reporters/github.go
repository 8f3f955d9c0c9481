package reporters

import (
	"errors"

	"github.com/opendesk/opendesk/reporters/github"
	"github.com/opendesk/opendesk/results"
)

// gitHub annotates on standard output and appends to a file of summaries.
type gitHub struct {
	env     Env
	summary string // "" for none
}

func newGitHub(t target, env Env) Reporter {
	g := &gitHub{env: env, summary: t.path}
	if g.summary == "" {
		g.summary = env.Summary
	}
	return g
}

// Event does nothing: the results have everything.
func (g *gitHub) Event(results.Event) {}

// Finish writes annotations and summary.
func (g *gitHub) Finish(run *results.Run) error {
	err := github.WriteAnnotations(g.env.Stdout, run)
	if g.summary != "" {
		err = errors.Join(err, github.AppendSummary(g.summary, run))
	}
	return err
}
