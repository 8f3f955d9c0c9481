package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/project"
)

// possible says what of the project's session this machine cannot give, before
// anything is run in one that is different.
func (e *evaluation) possible(ctx context.Context, o session.Options) error {
	if o.Adopt != nil {
		return nil // it is as it is
	}
	if err := localeInstalled(ctx, e.project.Config, e.st.Getenv("PATH")); err != nil {
		return &exit{exitInternal, err}
	}
	if o.Network != session.NetworkNone {
		return nil // what is missing otherwise is told of each program
	}
	if err := session.Possible(o); err != nil {
		return &exit{exitInternal, fmt.Errorf("network: none in eval.yaml cannot be kept here: %w", err)}
	}
	return nil
}

// localeInstalled says how to install the project's locale where the C library
// does not have it. Where it cannot be asked, it is taken to be there.
func localeInstalled(ctx context.Context, config project.Config, searchPath string) error {
	if config.Locale == "C" || config.Locale == "POSIX" || inLocpath(config.Environment["LOCPATH"], config.Locale) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	list := exec.CommandContext(ctx, "locale", "-a")
	list.Env = []string{"PATH=" + searchPath}
	out, err := list.Output()
	if err != nil {
		return nil
	}
	for known := range bytes.Lines(out) {
		if sameLocale(strings.TrimSpace(string(known)), config.Locale) {
			return nil
		}
	}
	language, _, _ := strings.Cut(config.Locale, "_")
	return fmt.Errorf("the locale %s of eval.yaml is not installed (Debian: apt-get install locales-all; "+
		"Ubuntu: apt-get install language-pack-%s; 'locale -a' lists what there is)", config.Locale, language)
}

// inLocpath looks for the locale in the folders of its own that a project can
// bring: the C library has each of them as a folder.
func inLocpath(folders, locale string) bool {
	for _, folder := range filepath.SplitList(folders) {
		entries, _ := os.ReadDir(folder) // one that is not there has none
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return sameLocale(e.Name(), locale) }) {
			return true
		}
	}
	return false
}

// sameLocale compares names of locales: de_DE.UTF-8 is de_DE.utf8.
func sameLocale(a, b string) bool { return plainLocale(a) == plainLocale(b) }

func plainLocale(name string) string {
	name, modifier, _ := strings.Cut(name, "@")
	name, codeset, _ := strings.Cut(name, ".")
	codeset = strings.ToLower(strings.ReplaceAll(codeset, "-", ""))
	return name + "." + codeset + "@" + modifier
}
