package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newEvalExport(st *State) *cobra.Command {
	var projectDir string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the project's history to one file, for a cache of CI",
		Long: `Writes everything that the project's history knows to one file, which takes the
place of an earlier one. 'eval import' adds it to a history elsewhere.`,
		Example: `  opendesk eval export build/opendesk-history.db`,
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := openProject(projectDir)
			if err != nil {
				return err
			}
			h, err := readHistory(cmd.Context(), st, p)
			switch {
			case err != nil:
				return err
			case h == nil:
				return usage("there is no history in %s yet", p.HistoryFile())
			}
			defer func() { err = errors.Join(err, h.Close()) }()
			// It is made beside the file, so that a cache never gets a half.
			dir, err := os.MkdirTemp(filepath.Dir(args[0]), ".opendesk-export-")
			if err != nil {
				return &exit{exitInternal, err}
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			whole := filepath.Join(dir, "history.db")
			if err := h.Export(cmd.Context(), whole); err != nil {
				return &exit{exitInternal, err}
			}
			if err := os.Rename(whole, args[0]); err != nil {
				return &exit{exitInternal, err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&projectDir, "project", ".", "the project's folder")
	return cmd
}

func newEvalImport(st *State) *cobra.Command {
	var projectDir string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the runs of an exported history to the project's",
		Long: `Adds the runs of a file that 'eval export' wrote and that the project's history
does not know yet; importing it again adds nothing.`,
		Example: `  opendesk eval import build/opendesk-history.db`,
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := openProject(projectDir)
			if err != nil {
				return err
			}
			if !isThere(args[0]) {
				return usage("there is no file %s", args[0])
			}
			h, err := openHistory(cmd.Context(), p)
			if err != nil {
				return &exit{exitInternal, err}
			}
			defer func() { err = errors.Join(err, h.Close()) }()
			if note := h.Note(); note != "" {
				fmt.Fprintf(st.Stderr, "opendesk: %s\n", note)
			}
			added, all, err := h.Import(cmd.Context(), args[0])
			if err != nil {
				return &exit{exitInternal, err}
			}
			_, err = fmt.Fprintf(st.Stdout, "added %d of %d runs\n", added, all)
			return err
		},
	}
	cmd.Flags().StringVar(&projectDir, "project", ".", "the project's folder")
	return cmd
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("which file? Give one")
	}
	return nil
}
