package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/opendesk/opendesk/results"
	"github.com/spf13/cobra"
)

// Version and commit are set when a release is built (-ldflags -X).
var (
	version = "dev"
	commit  = ""
)

// tool identifies this build in results.
func tool() results.Tool {
	t := results.Tool{Name: "opendesk", Version: version, Commit: commit}
	if t.Commit != "" {
		return t
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				t.Commit = s.Value
			}
		}
	}
	return t
}

func newVersion(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this build and what it can do",
		Args:  cobra.NoArgs,
		Run:   func(*cobra.Command, []string) { fmt.Fprint(st.Stdout, versionText()) },
	}
}

// versionText is what this build is and can do, in lines.
func versionText() string {
	t := tool()
	text := "opendesk " + t.Version
	if t.Commit != "" {
		text += fmt.Sprintf(" (%.12s)", t.Commit)
	}
	text += fmt.Sprintf(" %s/%s %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
	if lacks := buildLacks(); lacks != "" {
		text += fmt.Sprintf("this build cannot run programs: %s\n", lacks)
	}
	return text
}
