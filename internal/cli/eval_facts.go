package cli

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/inventory"
	"github.com/opendesk/opendesk/project"
	"github.com/opendesk/opendesk/results"
)

// factsTimeout bounds finding out about packages and the repository. It takes
// about a tenth of a second of one core; where it takes longer than all of the
// programs do, the run waits for it.
const factsTimeout = 20 * time.Second

// facts finds out about the environment what takes longer, while programs run.
// What cannot be found out is a note on the run.
func (e *evaluation) facts(ctx context.Context) <-chan results.Event {
	events := make(chan results.Event)
	go func() {
		defer close(events)
		bounded, cancel := context.WithTimeout(ctx, factsTimeout)
		defer cancel()
		environment, problems := e.environment(bounded)
		events <- results.Event{Type: results.EventEnvironment, Environment: &environment}
		if ctx.Err() != nil {
			return // an interrupted run says that it was
		}
		for _, problem := range problems {
			events <- results.Event{Type: results.EventWarning, Warning: &results.Warning{
				Kind: results.WarnNote, Message: problem.Error(),
			}}
		}
	}()
	return events
}

// environment is the run's with packages and commit.
func (e *evaluation) environment(ctx context.Context) (results.Environment, []error) {
	environment := e.start.Environment
	type state struct {
		commit string
		dirty  bool
		err    error
	}
	repository := make(chan state, 1)
	go func() {
		var s state
		if project.GitRoot(e.project.Dir) != "" {
			s.commit, s.dirty, s.err = inventory.Git(ctx, e.project.Dir)
		}
		repository <- s
	}()
	var problems []error
	source, err := inventory.System()
	if err == nil {
		environment.Packages, err = inventory.Packages(ctx, source, e.appFiles())
	}
	if err != nil {
		problems = append(problems, fmt.Errorf("the versions of packages are not known: %w", err))
	}
	s := <-repository
	environment.Commit, environment.Dirty = s.commit, s.dirty
	if s.err != nil {
		problems = append(problems, s.err)
	}
	return environment, problems
}

// appFiles are the files whose packages say what the plan's programs start.
func (e *evaluation) appFiles() []string {
	path := e.st.Getenv("PATH")
	if own := e.project.Config.Environment["PATH"]; own != "" {
		path = own
	}
	environment := []string{
		"PATH=" + path, "HOME=" + e.st.Getenv("HOME"), "XDG_DATA_DIRS=/usr/local/share:/usr/share",
	}
	commands := linux.Commands(e.apps, environment)
	return inventory.Files(commands, func(name string) string {
		for _, found := range linux.Commands([]desktop.Launch{{Name: name}}, environment[:1]) {
			if len(found) > 0 {
				return found[0]
			}
		}
		found, _ := exec.LookPath(name)
		return found
	})
}

// appsOf are the applications that programs of the plan open, each once.
func appsOf(plan harness.Plan, config project.Config) []desktop.Launch {
	var names []string
	add := func(name string) {
		if name != "" && !strings.Contains(name, "${") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, item := range plan.Items {
		for _, app := range item.Settings.Setup.Apps {
			add(app)
		}
		if item.Program == nil {
			continue
		}
		for _, step := range item.Program.Steps {
			if step.Tool == "app" && (step.Action == "open" || step.Action == "focus") {
				add(step.Text("name"))
			}
		}
	}
	apps := make([]desktop.Launch, len(names))
	for i, name := range names {
		apps[i] = desktop.Launch{Name: name}
		for mapped, command := range config.Apps {
			if strings.EqualFold(mapped, name) {
				apps[i].Command = command
			}
		}
	}
	return apps
}
