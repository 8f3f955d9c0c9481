package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/results"
)

// progress prints each step as it ends.
func (r *learnRun) progress(ev results.Event) {
	if r.options.json || ev.Type != results.EventStepFinished || ev.Step.Status == results.StepBlocked {
		return
	}
	fmt.Fprintf(r.st.Stdout, "%s %s: %s (%s)\n", said(ev.Step.ID), said(ev.Step.Summary), ev.Step.Status, inSeconds(ev.Step.Timing.TotalMS))
}

func inSeconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// learnRunResult is what --json prints.
type learnRunResult struct {
	Task   string         `json:"task"`
	Status results.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
	// FailedStep is the id of the step that ended the run, "" for none.
	FailedStep string `json:"failed_step,omitempty"`
	// SelfHeal is what a repair needs; its screenshot is a path.
	SelfHeal *results.SelfHeal `json:"self_heal,omitempty"`
	// RunDir is the run's folder, Results the file of results in it.
	RunDir  string           `json:"run_dir"`
	Results string           `json:"results"`
	Program *results.Program `json:"program"`
}

// report says what came of the run.
func (r *learnRun) report(run *results.Run) error {
	p := &run.Programs[0]
	step := endedAt(p)
	dir := fromHere(r.dir)
	file := filepath.Join(dir, "results.json")
	if r.options.json {
		out := learnRunResult{Task: r.task.Name, Status: p.Status, Reason: p.Reason, RunDir: dir, Results: file, Program: p}
		if step != nil {
			out.FailedStep = step.ID
			out.SelfHeal = healing(step, dir)
		}
		return printJSON(r.st, out)
	}
	w := r.st.Stdout
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "%s %s: %s\n", said(warning.Step), warning.Kind, said(warning.Message))
	}
	switch {
	case p.Status == results.Passed:
		met, all := postconditions(p)
		fmt.Fprintf(w, "%s passed: %s, %d of %d postconditions met, %s\n",
			said(r.task.Name), count(len(p.Final().Steps), "step"), met, all, inSeconds(p.DurationMS))
	case step == nil:
		fmt.Fprintf(w, "%s %s: %s\n", said(r.task.Name), p.Status, said(p.Reason))
		if final := p.Final(); final != nil && final.Fault != nil {
			for _, line := range final.Fault.Explain() {
				fmt.Fprintf(w, "  %s: %s\n", line.Label, said(line.Text))
			}
		}
	default:
		r.selfHeal(w, p, step, dir)
	}
	fmt.Fprintf(w, "results: %s\n", file)
	return nil
}

// endedAt is the step that ended the run, nil for none.
func endedAt(p *results.Program) *results.Step {
	final := p.Final()
	if final == nil {
		return nil
	}
	for i := range final.Steps {
		if final.Steps[i].Failure != nil {
			return &final.Steps[i]
		}
	}
	return nil
}

func postconditions(p *results.Program) (met, all int) {
	for _, s := range p.Final().Steps {
		if s.Postcondition != nil {
			all++
			if s.Postcondition.Met {
				met++
			}
		}
	}
	return met, all
}

// healing is the context for a repair, with paths as they are from here.
func healing(s *results.Step, dir string) *results.SelfHeal {
	if s.Failure.SelfHeal == nil {
		return nil
	}
	heal := *s.Failure.SelfHeal
	if heal.Screenshot != "" {
		heal.Screenshot = filepath.Join(dir, filepath.FromSlash(heal.Screenshot))
	}
	return &heal
}

// selfHeal prints what somebody needs who finishes the task and mends the
// program.
func (r *learnRun) selfHeal(w io.Writer, p *results.Program, s *results.Step, dir string) {
	fmt.Fprintf(w, "\n%s %s at step %s: %s\n", said(r.task.Name), p.Status, said(s.ID), said(s.Failure.Reason))
	heal := healing(s, dir)
	if heal == nil {
		return
	}
	fmt.Fprintf(w, "\nFailed step:\n%s\n", indented(heal.FailedStep))
	fmt.Fprintf(w, "\nReason: %s\n", said(heal.Reason))
	for _, line := range s.Explain() {
		if line.Label != "repair" {
			fmt.Fprintf(w, "  %s: %s\n", line.Label, said(line.Text))
		}
	}
	if heal.Screenshot != "" {
		fmt.Fprintf(w, "\nScreenshot: %s\n", heal.Screenshot)
	}
	fmt.Fprintf(w, "\nRemaining steps: %d\n", len(heal.RemainingSteps))
	for _, step := range heal.RemainingSteps {
		fmt.Fprintln(w, indented(step))
	}
	if procedure, err := learn.LoadProcedure(r.task); err == nil {
		showProcedure(r.st, r.task, procedure)
	} else if len(heal.Procedure) > 0 {
		fmt.Fprintf(w, "\nProcedure:\n%s\n", indented(heal.Procedure))
	} else {
		fmt.Fprintln(w, "\nNo procedure.")
	}
	fmt.Fprintf(w, "\nFinish the task with your own tools, from step %s on. Then mend the program", said(s.ID))
	if s.Script != nil {
		file := ""
		if s.Script.File != defaultScript {
			file = " --file " + said(s.Script.File)
		}
		fmt.Fprintf(w, "'s code\n(or the step, by --step-id %s STEP):\n  opendesk learn patch %s --code FILE%s\n\n", said(s.ID), said(r.task.Name), file)
		return
	}
	if heal.Patch == "" {
		fmt.Fprintf(w, ":\n  opendesk learn patch %s --step-id %s STEP\n\n", said(r.task.Name), said(s.ID))
		return
	}
	fmt.Fprintf(w, "; this makes\nthe step look for the closest element:\n  %s\n\n", heal.Patch)
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	b.WriteString("  ")
	if json.Indent(&b, raw, "  ", "  ") != nil {
		return "  " + said(string(raw))
	}
	return b.String()
}
