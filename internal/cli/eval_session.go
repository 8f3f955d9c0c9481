package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/project"
)

// sessionTimeout is how long a session may take to start, before scaling.
const sessionTimeout = 20 * time.Second

// sessionOptions says what session a program needs.
func (e *evaluation) sessionOptions(executable string) func(harness.Item) session.Options {
	common := e.commonSession(executable)
	return func(item harness.Item) session.Options {
		o := common
		if g := item.Settings.Geometry; g != nil && !e.options.geometryGiven {
			o.Geometry = g.String()
		}
		setup := item.Settings.Setup
		o.HomeFiles = setup.Files
		o.Environment = slices.Clone(o.Environment)
		for _, name := range sortedKeys(setup.Environment) {
			o.Environment = append(o.Environment, name+"="+setup.Environment[name])
		}
		return o
	}
}

func (e *evaluation) commonSession(executable string) session.Options {
	if e.options.real != nil {
		return e.realSession(executable)
	}
	config := e.project.Config
	o := session.Options{
		Geometry: e.options.geometry, Isolation: session.Isolation(e.options.isolation),
		Locale: config.Locale, Timezone: config.Timezone, HomeSkeleton: e.project.HomeSkeleton(),
		StartTimeout: time.Duration(e.options.timeoutScale * float64(sessionTimeout)),
		Executable:   executable, HostArgs: []string{"session-host"},
		Readable: readable(e.project, executable), Network: session.Network(config.Network),
		Limits: session.Limits(config.Limits),
	}
	for _, key := range sortedKeys(config.Environment) {
		o.Environment = append(o.Environment, key+"="+config.Environment[key])
	}
	if e.options.verbose {
		o.Log = e.st.Stderr
	}
	return o
}

// readable is what must stay readable in a session also where it lies in a
// part of the file system that isolation makes private: the project with its
// repository, this program, and the files that the app map names.
func readable(p *project.Project, executable string) []string {
	paths := []string{p.Dir, executable}
	if root := project.GitRoot(p.Dir); root != "" {
		paths = append(paths, root)
	}
	for _, name := range sortedKeys(p.Config.Apps) {
		for _, word := range p.Config.Apps[name] {
			if !filepath.IsAbs(word) {
				continue
			}
			if _, err := os.Stat(word); err == nil {
				paths = append(paths, filepath.Dir(word))
			}
		}
	}
	return paths
}

// procedure reads the natural-language procedure next to a program.
func procedure(projectDir string) func(*program.Program) json.RawMessage {
	return func(p *program.Program) json.RawMessage {
		data := program.Procedure(filepath.Join(projectDir, filepath.FromSlash(p.Path)))
		if !json.Valid(data) {
			return nil
		}
		return data
	}
}
