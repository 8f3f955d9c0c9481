package cli

import (
	"errors"
	"fmt"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
)

// exitDiffers is the exit code of a comparison that found differences.
const exitDiffers = 1

// comparedStep is what --json prints of a step on both sides.
type comparedStep struct {
	// Change is same, changed, only_recorded or only_program.
	Change string `json:"change"`
	// Step and RecordedStep are the ids of the two.
	Step         string                  `json:"step,omitempty"`
	RecordedStep string                  `json:"recorded_step,omitempty"`
	Summary      string                  `json:"summary"`
	Fields       []learn.FieldDifference `json:"fields,omitempty"`
}

// showDiff tells how the task's program differs from what its recording compiles
// to.
func (o *taskOptions) showDiff(st *State, name string) error {
	task, err := o.find(name)
	switch {
	case err != nil:
		return err
	case !task.HasProgram:
		return noProgram(task)
	case !task.HasTrajectory:
		return noRecording(task, "there is nothing to compare its program with")
	}
	prog, problems := program.Load(task.ProgramFile(), fromHere(task.ProgramFile()))
	if prog == nil {
		return &program.InvalidError{What: "the program", Problems: problems}
	}
	recorded, err := learn.Retrace(task)
	if err != nil {
		return err
	}
	differences := learn.Diff(recorded.Program, prog)
	changed := 0
	steps := make([]comparedStep, len(differences))
	for i, d := range differences {
		steps[i] = compared(d)
		if !d.Same() {
			changed++
		}
	}
	if o.json {
		err = printJSON(st, struct {
			Task          string         `json:"task"`
			ProgramFile   string         `json:"program_file"`
			RecordingFile string         `json:"recording_file"`
			Same          bool           `json:"same"`
			Steps         []comparedStep `json:"steps"`
		}{task.Name, fromHere(task.ProgramFile()), fromHere(task.TrajectoryFile()), changed == 0, steps})
	} else {
		printDiff(st, task, steps, changed)
	}
	if changed > 0 {
		return errors.Join(err, &exit{code: exitDiffers})
	}
	return err
}

func compared(d learn.StepDifference) comparedStep {
	c := comparedStep{Fields: d.Fields, Change: "changed"}
	if d.Recorded != nil {
		c.RecordedStep, c.Summary = d.Recorded.ID, d.Recorded.Summary()
	}
	if d.Program != nil {
		c.Step, c.Summary = d.Program.ID, d.Program.Summary()
	}
	switch {
	case d.Same():
		c.Change = "same"
	case d.Side == learn.OnlyInRecorded:
		c.Change = "only_recorded"
	case d.Side == learn.OnlyInProgram:
		c.Change = "only_program"
	}
	return c
}

func printDiff(st *State, task learn.Task, steps []comparedStep, changed int) {
	if changed == 0 {
		fmt.Fprintf(st.Stdout, "%s: the program is what its recording compiles to (%s)\n", said(task.Name), count(len(steps), "step"))
		return
	}
	fmt.Fprintf(st.Stdout, "%s: %d of %s differ from what the recording compiles to\n", said(task.Name), changed, count(len(steps), "step"))
	fmt.Fprintf(st.Stdout, "--- %s\n+++ %s\n", fromHere(task.TrajectoryFile()), fromHere(task.ProgramFile()))
	for _, s := range steps {
		mark, id := " ", s.Step
		switch s.Change {
		case "changed":
			mark = "~"
		case "only_recorded":
			mark, id = "-", s.RecordedStep
		case "only_program":
			mark = "+"
		}
		fmt.Fprintf(st.Stdout, "%s %s %s\n", mark, said(id), said(s.Summary))
		for _, f := range s.Fields {
			if f.Recorded != "" {
				fmt.Fprintf(st.Stdout, "    - %s %s\n", said(f.Field), said(f.Recorded))
			}
			if f.Program != "" {
				fmt.Fprintf(st.Stdout, "    + %s %s\n", said(f.Field), said(f.Program))
			}
		}
	}
}
