package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/desktop/record"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/spf13/cobra"
)

// recorderJob is what a recorder needs to know.
type recorderJob struct {
	// Desktop says where it records, and how the project calls its apps.
	Desktop  worker.Job `json:"desktop"`
	Password string     `json:"password"`
	Own      []int      `json:"own,omitempty"`
}

// newRecorder is the hidden command that records in a session. It writes
// messages to its file descriptor 3, and ends when that says that there is
// nothing more to read.
func newRecorder() *cobra.Command {
	var jobFile string
	cmd := &cobra.Command{
		Use:    "recorder",
		Short:  "Record what is done on a display (started by a session host)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := os.ReadFile(jobFile)
			if err != nil {
				return &exit{exitInternal, err}
			}
			var job recorderJob
			if err := json.Unmarshal(data, &job); err != nil {
				return &exit{exitInternal, fmt.Errorf("job %s: %w", jobFile, err)}
			}
			if err := closeOnExec(eventsFD); err != nil {
				return &exit{exitInternal, fmt.Errorf("file descriptor %d: %w (a recorder is started by a session host)", eventsFD, err)}
			}
			return runRecorder(cmd.Context(), job, os.NewFile(eventsFD, "events"))
		},
	}
	cmd.Flags().StringVar(&jobFile, "job", "", "the job's file")
	return cmd
}

func runRecorder(ctx context.Context, job recorderJob, keeper *os.File) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // its end says when to stop, whoever ended it
		_, _ = io.Copy(io.Discard, keeper)
		stop()
	}()
	messages := json.NewEncoder(keeper)
	err := recordIn(ctx, job, func(m record.Message) error { return messages.Encode(m) })
	if err != nil {
		_ = messages.Encode(record.Message{Failed: err.Error()})
		return &exit{exitInternal, err}
	}
	return nil
}

func recordIn(ctx context.Context, job recorderJob, tell func(record.Message) error) (err error) {
	d, err := linux.Open(ctx, linux.Options{
		Display: job.Desktop.Display, SessionBus: job.Desktop.SessionBus, A11yBus: job.Desktop.A11yBus,
		SessionID: job.Desktop.SessionID, Env: os.Environ(), NoInput: true, KeepStatus: !job.Desktop.Virtual,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return record.Run(ctx, record.Options{
		Display: job.Desktop.Display, Locale: locale(), Desktop: d, Title: titleOf,
		App:      func(a desktop.AppInfo) string { return openedBy(a, job.Desktop.Apps) },
		Password: program.Reference(job.Password), Own: job.Own, Tell: tell,
	})
}

// locale is that of applications.
func locale() string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return "C"
}

// openedBy is the name by which programs open an application: the project's own
// where it has one.
func openedBy(a desktop.AppInfo, apps map[string][]string) string {
	if _, ours := apps[a.OpenedAs]; ours {
		return a.OpenedAs
	}
	argv := strings.Split(strings.TrimSuffix(commandLine(a.PID), "\x00"), "\x00")
	for _, name := range sortedKeys(apps) {
		if runs(argv, apps[name]) {
			return name
		}
	}
	return a.Display()
}

// className matches what GTK 4 calls widgets that have no name.
var className = regexp.MustCompile(`^(?:Gtk|Adw)[A-Z][A-Za-z]*$`)

// titleOf is what people call an element: "5" where GTK 4 says "5 5", nothing
// where it says "GtkBox".
func titleOf(e *desktop.Element) string {
	title := resolve.Title(e)
	if className.MatchString(title) {
		return ""
	}
	words := strings.Fields(title)
	first, second := strings.Join(words[:len(words)/2], " "), strings.Join(words[len(words)/2:], " ")
	if e.App != nil && e.App.Toolkit == desktop.GTK4 && desktop.Clickable(e.Role) && strings.TrimPrefix(first, "_") == second {
		return second
	}
	return title
}

func commandLine(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(data)
}

// runs reports whether a process with these arguments is the command's, itself
// or through an interpreter.
func runs(argv, command []string) bool {
	at := len(argv) - len(command)
	return len(command) > 0 && at >= 0 && path.Base(argv[at]) == path.Base(filepath.ToSlash(command[0])) &&
		slices.Equal(argv[at+1:], command[1:])
}

// passwordName is the variable that stands for the passwords of a task.
func passwordName(task string) string {
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToUpper(r)
		}
		return '_'
	}, path.Base(task))
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name + "_PASSWORD"
}
