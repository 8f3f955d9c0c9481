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
		Run:   func(*cobra.Command, []string) { printVersion(st) },
	}
}

func printVersion(st *State) {
	t := tool()
	fmt.Fprintf(st.Stdout, "opendesk %s", t.Version)
	if t.Commit != "" {
		fmt.Fprintf(st.Stdout, " (%.12s)", t.Commit)
	}
	fmt.Fprintf(st.Stdout, " %s/%s %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
	if lacks := buildLacks(); lacks != "" {
		fmt.Fprintf(st.Stdout, "this build cannot run programs: %s\n", lacks)
	}
}
