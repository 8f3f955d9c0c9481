package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/opendesk/opendesk/results/history"
	"github.com/spf13/cobra"
)

func newEvalExport(st *State) *cobra.Command {
	var projectDir string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the project's history to one file, for a cache of CI",
		Long: `Writes everything that the project's history knows to one file, which takes the
place of an earlier one. Its folder must be there. 'eval import' adds it to a
history elsewhere.`,
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
			if err := writable(args[0]); err != nil {
				return usage("%w", err)
			}
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
			if err := history.CheckSource(args[0]); err != nil {
				return usage("%w", err)
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
			var source *history.SourceError
			switch {
			case errors.As(err, &source):
				return usage("%w", err)
			case err != nil:
				return &exit{exitInternal, err}
			}
			_, err = fmt.Fprintf(st.Stdout, "added %d of %d runs\n", added, all)
			return err
		},
	}
	cmd.Flags().StringVar(&projectDir, "project", ".", "the project's folder")
	return cmd
}

// writable says that a file cannot be there: it is a folder, or its folder is
// not there. Folders are not made, so that a mistyped name shows.
func writable(file string) error {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file in it", file)
	}
	dir := filepath.Dir(file)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the folder %s is not there: make it first", file, dir)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s: %s is no folder", file, dir)
	}
	return nil
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("which file? Give one")
	}
	return nil
}
