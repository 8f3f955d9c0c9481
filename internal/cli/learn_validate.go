package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/program"
	"github.com/spf13/cobra"
)

func newLearnValidate(st *State) *cobra.Command {
	var projectDir string
	cmd := &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Check program files and print every problem with its place",
		Long: `Checks the named program files, or every program of the project, and prints all
problems at once, each as file:line:column. Warnings do not make a file invalid.

Exit codes: 0 all files are valid, 2 at least one is not, or there is none.`,
		RunE: func(_ *cobra.Command, files []string) error {
			return validate(st, projectDir, files)
		},
	}
	cmd.Flags().StringVar(&projectDir, "project", ".", "the project's folder")
	return cmd
}

func validate(st *State, projectDir string, files []string) error {
	found := make([]program.Found, 0, len(files))
	for _, file := range files {
		found = append(found, program.Found{Path: file, File: file})
	}
	if len(files) == 0 {
		p, err := openProject(projectDir)
		if err != nil {
			return err
		}
		if found, err = program.Discover(p.Dir); err != nil {
			return usage("%w", err)
		}
		for i := range found {
			found[i].Path = fromHere(found[i].File)
		}
	}
	if len(found) == 0 {
		return usage("no programs in %s", filepath.Join(projectDir, filepath.FromSlash(program.LearnedDir)))
	}
	invalid := 0
	for _, f := range found {
		_, problems := program.Load(f.File, f.Path)
		if f.Problem != nil {
			problems = []program.Problem{*f.Problem}
		}
		for _, p := range problems {
			fmt.Fprintln(st.Stdout, p.String())
		}
		if program.HasErrors(problems) {
			invalid++
		}
	}
	fmt.Fprintf(st.Stdout, "%d checked, %d invalid\n", len(found), invalid)
	if invalid > 0 {
		return &exit{code: exitUsage}
	}
	return nil
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
