package linux

import "github.com/opendesk/opendesk/desktop"

// Commands gives for each launch the command that it would start in an
// environment of KEY=VALUE, the executable as an absolute path; nil where there
// is none. Nothing is started, and no display is needed.
func Commands(launches []desktop.Launch, environment []string) [][]string {
	env := environ(environment)
	cat := readCatalog(env)
	commands := make([][]string, len(launches))
	for i, launch := range launches {
		if found, err := findCommand(launch, env, cat); err == nil {
			commands[i] = found.args
		}
	}
	return commands
}
