package schedule

import (
	"fmt"
	"strings"
)

// Unit is a systemd user unit that runs the daemon of a project.
func Unit(executable, projectDir, path string) string {
	return fmt.Sprintf(`[Unit]
Description=opendesk schedules of %s

[Service]
ExecStart=%s schedule start --project %s
Environment=%s
# What is under way gets the time to end in good order; nobody else is told.
KillMode=mixed
TimeoutStopSec=120
Restart=on-failure
RestartSec=30
# Refused, wrong usage, a store that is broken: the same would happen again.
RestartPreventExitStatus=1 2 3

[Install]
WantedBy=default.target
`, strings.ReplaceAll(oneLine(projectDir), "%", "%%"), unitWord(executable), unitQuote(projectDir), unitWord("PATH="+path))
}

// unitWord quotes a word for systemd.
func unitWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(s) + `"`
}

// unitQuote quotes an argument of a command, in which $ is special as well.
func unitQuote(s string) string { return strings.ReplaceAll(unitWord(s), "$", "$$") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
