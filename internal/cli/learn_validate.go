package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
	"github.com/spf13/cobra"
)

func newLearnValidate(st *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [FILE|NAME...]",
		Short: "Check program files and print every problem with its place",
		Long: `Checks the named program files, or every program of the project, and prints all
problems at once, each as file:line:column. Warnings do not make a file invalid.
Scripts must be there, be Python, and ask for no more than eval.yaml allows.

Exit codes: 0 all files are valid, 2 at least one is not, or there is none.`,
	}
	o := taskFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		return o.ends(st, o.validate(cmd.Context(), st, files))
	}
	return cmd
}

// validated is what --json prints of one file.
type validated struct {
	File     string            `json:"file"`
	Valid    bool              `json:"valid"`
	Problems []program.Problem `json:"problems"`
}

func (o *taskOptions) validate(ctx context.Context, st *State, names []string) error {
	found, err := o.toValidate(names)
	if err != nil {
		return err
	}
	scripts := newScriptChecks(ctx, o.config())
	files, invalid := make([]validated, 0, len(found)), 0
	for _, f := range found {
		_, problems := scripts.load(f.File, f.Path)
		if f.Problem != nil {
			problems = []program.Problem{*f.Problem}
		}
		file := validated{File: f.Path, Valid: !program.HasErrors(problems), Problems: problems}
		if problems == nil {
			file.Problems = []program.Problem{}
		}
		if !file.Valid {
			invalid++
		}
		files = append(files, file)
	}
	scripts.warn(st)
	if o.json {
		err = printJSON(st, struct {
			Files   []validated `json:"files"`
			Invalid int         `json:"invalid"`
		}{files, invalid})
	} else {
		for _, file := range files {
			printProblems(st, file.Problems)
		}
		fmt.Fprintf(st.Stdout, "%d checked, %d invalid\n", len(found), invalid)
	}
	if err == nil && invalid > 0 {
		return errAlreadySaid
	}
	return err
}

// config is the project's, or that of a project without one where it cannot be
// read: eval run says what is wrong with it.
func (o *taskOptions) config() project.Config {
	if p, _ := project.Open(o.project); p != nil {
		return p.Config
	}
	return project.DefaultConfig()
}

// errAlreadySaid ends a command whose output says what is wrong.
var errAlreadySaid = &exit{code: exitUsage}

// toValidate finds the files that are named, or else all of the project.
func (o *taskOptions) toValidate(names []string) ([]program.Found, error) {
	if len(names) > 0 {
		found := make([]program.Found, 0, len(names))
		for _, name := range names {
			file, err := o.fileToValidate(name)
			if err != nil {
				return nil, err
			}
			found = append(found, program.Found{Path: file, File: file})
		}
		return found, nil
	}
	p, err := openProject(o.project)
	if err != nil {
		return nil, err
	}
	found, err := program.Discover(p.Dir)
	if err != nil {
		return nil, usage("%w", err)
	}
	for i := range found {
		found[i].Path = fromHere(found[i].File)
	}
	if len(found) == 0 {
		return nil, usage("no programs in %s", filepath.Join(o.project, filepath.FromSlash(program.LearnedDir)))
	}
	return found, nil
}

// fileToValidate is the file of that path, or the program of the task that the
// name means. A path that leads nowhere is a finding of the loader.
func (o *taskOptions) fileToValidate(name string) (string, error) {
	if _, err := os.Lstat(name); err == nil || strings.HasSuffix(name, program.ProcedureSuffix) {
		return name, nil
	}
	task, err := o.find(name)
	if err != nil {
		return "", err
	}
	if !task.HasProgram {
		return "", noProgram(task)
	}
	return fromHere(task.ProgramFile()), nil
}

// fromHere is the path from the working directory, where that is shorter to
// read than the path itself.
func fromHere(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(here, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return rel
}
