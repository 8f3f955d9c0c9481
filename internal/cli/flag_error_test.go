package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// Errors about flags are in words for people, not in those of the libraries.
func TestFlagErrors(t *testing.T) {
	for args, want := range map[string]string{
		"--keep x":                    `--keep: "x" is no whole number`,
		"--keep=":                     `--keep: "" is no whole number`,
		"--keep 99999999999999999999": `--keep: 99999999999999999999 is too large a number`,
		"--scale x":                   `--scale: "x" is no number`,
		"--quiet=x":                   `--quiet: "x" is neither true nor false`,
		"-q=x":                        `--quiet: "x" is neither true nor false`,
		"--idle x":                    `--idle: "x" is no duration: write 90s, 30m or 2h`,
		"--idle 3":                    `--idle: "3" is no duration: write 90s, 30m or 2h`,
		"--quiet --verbose":           `give only one of --quiet, --verbose`,
		"--nothing":                   `unknown flag: --nothing`,
		"--keep":                      `flag needs an argument: --keep`,
	} {
		cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
		f := cmd.Flags()
		f.Int("keep", 0, "")
		f.Float64("scale", 1, "")
		f.BoolP("quiet", "q", false, "")
		f.Bool("verbose", false, "")
		f.Duration("idle", time.Minute, "")
		cmd.MarkFlagsMutuallyExclusive("quiet", "verbose")
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err == nil || flagError(err).Error() != want {
			t.Errorf("%s: %v, want %s", args, flagError(err), want)
		}
	}
}
