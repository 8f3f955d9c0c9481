package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
	"github.com/spf13/cobra"
)

func newAudit(st *State) *cobra.Command {
	var name string
	var summary, full, asJSON bool
	cmd := &cobra.Command{
		Use:   "audit [RUN]",
		Short: "Show what was done in a session, or by a run",
		Long: `Shows the audit log of a session (by default of the only one), of a run (RUN is
its folder or its id), or of a file: one line for each action.

Exit codes: 0 shown, 2 wrong usage, no such session, run or file, 3 the log
cannot be read.
`,
		Example: `  opendesk audit
  opendesk audit --session desk --summary
  opendesk audit .opendesk/eval/runs/20310102-030405-abcd --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run := ""
			if len(args) > 0 {
				run = args[0]
			}
			log, err := openLog(cmd.Context(), st, name, run)
			if err != nil {
				return err
			}
			log.warn(st)
			switch {
			case asJSON:
				return log.printJSON(st)
			case summary:
				log.printSummary(st)
			default:
				log.printFull(st)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "session", "", "the session (default the only one)")
	f.BoolVar(&summary, "summary", false, "print how often what was done, in one line")
	f.BoolVar(&full, "full", false, "print every action (the default)")
	f.BoolVar(&asJSON, "json", false, "print the entries as one JSON list")
	cmd.MarkFlagsMutuallyExclusive("summary", "full", "json")
	return cmd
}

// sessionActions are the entries of one audit log.
type sessionActions struct {
	of      string // whose they are, in words
	entries []results.AuditEntry
	notes   []string
}

// openLog reads the log of a run or a file where one is named, else of a session.
func openLog(ctx context.Context, st *State, name, run string) (*sessionActions, error) {
	if run != "" && name != "" {
		return nil, usage("give a session or a run, not both")
	}
	log := &sessionActions{of: run}
	var file string
	if run != "" {
		var err error
		if file, err = runLog(run); err != nil {
			return nil, err
		}
	} else {
		var err error
		if log.of, file, err = logOfSession(ctx, st, name); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && run == "": // nothing was done in it yet
	case err != nil:
		return nil, usage("%w", err)
	default:
		if log.entries, log.notes, err = audit.Read(bytes.NewReader(data)); err != nil {
			return nil, &exit{exitInternal, fmt.Errorf("%s: %w", file, err)}
		}
		if file == run && len(log.entries) == 0 && len(log.notes) > 0 {
			return nil, usage("%s is no audit log: %s", file, log.notes[0])
		}
	}
	return log, nil
}

// logOfSession finds the log of a session, also of one that has ended where that
// is named.
func logOfSession(ctx context.Context, st *State, name string) (of, file string, err error) {
	if name, err = theSession(ctx, st, name); err != nil {
		return "", "", err
	}
	s, n, err := session.Attach(ctx, name)
	var unknown *session.UnknownNameError
	if errors.As(err, &unknown) {
		if file := session.EndedLog(name); file != "" {
			return "session " + name + ", which has ended", file, nil
		}
	}
	if err != nil {
		return "", "", sessionEnds(st, false, err)
	}
	if err := s.Close(ctx); err != nil {
		return "", "", &exit{exitInternal, err}
	}
	return "session " + name, filepath.Join(n.Folder(), session.AuditLog), nil
}

// runLog finds the log of a run, by its folder, its id, or its own name.
func runLog(run string) (string, error) {
	for _, dir := range []string{run, filepath.Join(".opendesk", "eval", "runs", run)} {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return dir, nil
		}
		if file := filepath.Join(dir, session.AuditLog); err == nil {
			if _, err := os.Stat(file); err == nil {
				return file, nil
			}
			return "", usage("%s has no %s", dir, session.AuditLog)
		}
	}
	return "", usage("there is no run or file %s", run)
}

func (l *sessionActions) warn(st *State) {
	for _, note := range l.notes {
		fmt.Fprintf(st.Stderr, "opendesk: %s\n", said(note))
	}
}

func (l *sessionActions) printJSON(st *State) error {
	entries := l.entries
	if entries == nil {
		entries = []results.AuditEntry{}
	}
	return printJSON(st, entries)
}

// printSummary prints how often what was done, in the order of the names.
func (l *sessionActions) printSummary(st *State) {
	counts := map[string]int{}
	failed := 0
	for _, e := range l.entries {
		counts[e.Action]++
		if e.Error != "" {
			failed++
		}
	}
	var parts []string
	for _, action := range sortedKeys(counts) {
		parts = append(parts, fmt.Sprintf("%s: %d", said(action), counts[action]))
	}
	line := fmt.Sprintf("%s: %s", said(l.of), count(len(l.entries), "action"))
	if failed > 0 {
		line += fmt.Sprintf(", %d failed", failed)
	}
	if len(parts) > 0 {
		line += " (" + strings.Join(parts, ", ") + ")"
	}
	fmt.Fprintln(st.Stdout, line)
}

func (l *sessionActions) printFull(st *State) {
	fmt.Fprintf(st.Stdout, "Audit log of %s (%s)\n", said(l.of), count(len(l.entries), "action"))
	for _, e := range l.entries {
		at := time.UnixMicro(int64(e.Timestamp * 1e6)).UTC().Format(time.DateTime)
		line := fmt.Sprintf("[%s] %-16s %s", at, said(e.Action), said(compact(e.Params)))
		if where := strings.Trim(e.Program+" "+e.Step, " "); where != "" {
			line += "  " + said(where)
		}
		if e.Result != "" {
			line += "  → " + said(brief(e.Result))
		}
		if e.Error != "" {
			line += "  ERROR: " + said(e.Error)
		}
		fmt.Fprintln(st.Stdout, line)
	}
}

func compact(params map[string]any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(params) != nil {
		return ""
	}
	return cmp.Or(strings.TrimSpace(out.String()), "{}")
}

// brief shortens what was read.
func brief(text string) string {
	const most = 80
	runes := []rune(said(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}
