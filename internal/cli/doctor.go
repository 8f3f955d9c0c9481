package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/ocr/tess"
	"github.com/spf13/cobra"
)

// part is one part of the system that programs need.
type part struct {
	name string
	// check gives the part's version or state. The error says what is missing.
	check func(context.Context) (string, error)
	// install is the Debian and Ubuntu package.
	install string
	// optional parts make runs better and are not needed.
	optional bool
}

func newDoctor(st *State) *cobra.Command {
	var languages []string
	var dir string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check every part of the system that running programs needs",
		Long: `Checks each part, prints its version, and says how to install what is missing.
At last it starts a session and ends it again.

Exit codes: 0 everything needed is there, 3 something is missing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir != "" && !cmd.Flags().Changed("ocr-languages") {
				p, err := openProject(dir)
				if err != nil {
					return err
				}
				languages = p.Config.OCR.Languages
				if prefix := p.Config.Environment[tess.PrefixVariable]; prefix != "" {
					if err := os.Setenv(tess.PrefixVariable, prefix); err != nil {
						return err
					}
				}
			}
			return doctor(cmd.Context(), st, languages)
		},
	}
	cmd.Flags().StringVar(&dir, "project", "", "check what the eval.yaml of the project `DIR` asks for")
	cmd.Flags().StringSliceVar(&languages, "ocr-languages", tess.DefaultLanguages, "the languages that OCR is to read")
	return cmd
}

func doctor(ctx context.Context, st *State, languages []string) error {
	table := tabwriter.NewWriter(st.Stdout, 0, 0, 2, ' ', 0)
	missing := 0
	for _, p := range systemParts(languages) {
		state, err := p.check(ctx)
		switch {
		case err == nil:
			fmt.Fprintf(table, "ok\t%s\t%s\n", p.name, state)
			continue
		case p.optional:
			fmt.Fprintf(table, "note\t%s\t%v\n", p.name, err)
		default:
			missing++
			fmt.Fprintf(table, "MISSING\t%s\t%v\n", p.name, err)
		}
		if p.install != "" {
			fmt.Fprintf(table, "\t\tDebian/Ubuntu: apt-get install %s\n", p.install)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if missing > 0 {
		return &exit{exitInternal, fmt.Errorf("%d needed parts are missing", missing)}
	}
	fmt.Fprintln(st.Stdout, "everything that running programs needs is there")
	return nil
}

func systemParts(languages []string) []part {
	return []part{
		{name: "this build", check: checkBuild},
		{name: "Xvfb", check: installed("xvfb", "Xvfb"), install: "xvfb"},
		{name: "dbus-daemon", check: versioned("dbus-daemon", "--version"), install: "dbus"},
		{name: "at-spi-bus-launcher", check: installed("at-spi2-core", session.LauncherPrograms...), install: "at-spi2-core"},
		{name: "at-spi2-registryd", check: installed("at-spi2-core", session.RegistryPrograms...), install: "at-spi2-core"},
		{name: "openbox", check: versioned("openbox", "--version"), install: "openbox"},
		{name: "Tesseract", check: func(context.Context) (string, error) {
			if err := tess.Check(languages); err != nil {
				return "", ocrProblem(err)
			}
			return tess.Version() + ", languages " + strings.Join(languages, ", "), nil
		}},
		{name: "bubblewrap", check: versioned("bwrap", "--version"), install: "bubblewrap", optional: true},
		{name: "ffmpeg", check: versioned(recorder, "-version"), install: "ffmpeg", optional: true}, // for eval run --video
		{name: "isolation", check: checkIsolation, optional: true},
		{name: "limits", check: checkLimits, optional: true},
		{name: "scripts", check: checkScripts, optional: true},
		{name: "pdftotext", check: versioned("pdftotext", "-v"), install: "poppler-utils", optional: true}, // for scripts that read PDFs
		{name: "a session", check: trySession},
	}
}

func ocrProblem(err error) error {
	var unavailable *ocr.UnavailableError
	if errors.As(err, &unavailable) {
		return unavailable
	}
	return err
}

func checkBuild(context.Context) (string, error) {
	if lacks := buildLacks(); lacks != "" {
		return "", errors.New(lacks)
	}
	return "opendesk " + version, nil
}

// versionNumber is what of a program's first line of output is its version.
var versionNumber = regexp.MustCompile(`\d+(\.\d+)+`)

// versioned checks a program by having it print its version.
func versioned(name string, args ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s is not on PATH", name)
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		home, err := os.MkdirTemp("", "opendesk-doctor-")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(home) //nolint:errcheck // a temporary folder
		command := exec.CommandContext(ctx, path, args...)
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home} // some write there even for this
		out, err := command.CombinedOutput()
		found := versionNumber.Find(out)
		if found == nil && err != nil {
			return "", fmt.Errorf("%s does not work: %v: %s", path, err, bytes.TrimSpace(out))
		}
		return strings.TrimSpace(string(found) + "  " + path), nil
	}
}

// installed checks a program that does not print its version: the first of the
// places that exists counts, and where there is dpkg, it knows the version.
func installed(deb string, places ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		for _, place := range places {
			path, err := exec.LookPath(place)
			if err != nil {
				continue
			}
			out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Version}", deb).Output()
			if found := versionNumber.Find(out); err == nil && found != nil {
				return string(found) + "  " + path, nil
			}
			return path, nil
		}
		return "", fmt.Errorf("not found (looked for %s)", strings.Join(places, ", "))
	}
}

// trySession starts a session and ends it.
func trySession(ctx context.Context) (string, error) {
	if buildLacks() != "" {
		return "", errors.New("this build has none")
	}
	executable, err := os.Executable()
	if err != nil {
		return "", err
	}
	s, err := session.Start(ctx, session.Options{Executable: executable, HostArgs: []string{"session-host"}})
	if err != nil {
		return "", err
	}
	info := s.Info()
	if err := s.Close(ctx); err != nil {
		return "", fmt.Errorf("it started, but did not end cleanly: %w", err)
	}
	state := fmt.Sprintf("started in %d ms on display %s, isolation %s", info.StartTook.Milliseconds(), info.Display, info.Isolation)
	if info.IsolationReason != "" {
		state += " (" + info.IsolationReason + ")"
	}
	return state, nil
}
