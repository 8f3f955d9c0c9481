package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opendesk/opendesk/learn"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/suites"
)

// scheduledTask is what a schedule runs: programs of a suite.
type scheduledTask struct {
	suite string
	// program is the identity of the one program that is run, "" for all.
	program string
}

// parseTask reads a task. The error says why it cannot be run by a schedule.
func parseTask(p *project.Project, text string) (scheduledTask, error) {
	verb, name, _ := strings.Cut(strings.TrimSpace(text), " ")
	name = strings.TrimSpace(name)
	switch {
	case strings.EqualFold(verb, "eval") && name != "" && len(strings.Fields(name)) == 1:
		suite, err := findSuite(name)
		if err != nil {
			return scheduledTask{}, usage("task %q: %w", text, errors.Unwrap(err))
		}
		return scheduledTask{suite: suite.Name}, nil
	case strings.EqualFold(verb, "replay") && name != "":
		identity, err := replayed(p, name)
		if err != nil {
			return scheduledTask{}, usage("task %q: %w", text, err)
		}
		return scheduledTask{suite: suites.All[0].Name, program: identity}, nil
	}
	return scheduledTask{}, usage(`task %q is neither "replay PROGRAM" nor "eval SUITE": a sentence needs an agent, which a later version brings`, text)
}

// replayed is the identity of the program of that name.
func replayed(p *project.Project, name string) (string, error) {
	task, err := learn.Folder{Project: p.Dir}.Find(name)
	switch {
	case err != nil:
		return "", err
	case !task.HasProgram && !task.HasProcedure:
		return "", fmt.Errorf("%s has a recording, but no program: opendesk learn compile makes one", said(task.Name))
	case !task.HasProgram:
		return "", fmt.Errorf("%s has a procedure, but no program: a procedure needs an agent, and opendesk learn compile makes a program", said(task.Name))
	case !strings.HasPrefix(task.ProgramPath(), program.LearnedDir+"/"):
		return "", fmt.Errorf("%s is no program of this project: learned programs are in %s", said(name), program.LearnedDir)
	}
	prog, problems := program.Load(task.ProgramFile(), fromHere(task.ProgramFile()))
	if prog == nil {
		return "", &program.InvalidError{What: "the program", Problems: problems}
	}
	return task.ProgramPath(), nil
}

// literal is the glob that matches this path only.
func literal(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(path)
}
