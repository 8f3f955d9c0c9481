package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/runner/script"
)

// usernsRestriction is 1 where AppArmor keeps unprivileged users from making
// the namespaces that bwrap needs.
const usernsRestriction = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

// checkIsolation says how sessions are isolated here, and what to do where that
// is not by bwrap.
func checkIsolation(context.Context) (string, error) {
	err := session.Possible(session.Options{Isolation: session.Bwrap, Executable: "/proc/self/exe"})
	if err == nil {
		return "bwrap", nil
	}
	restricted, _ := os.ReadFile(usernsRestriction) // not there without AppArmor
	return "", errors.New(isolationAdvice(err, strings.TrimSpace(string(restricted)) == "1"))
}

// isolationAdvice is the reason why bwrap does not work, with the way out.
func isolationAdvice(err error, restricted bool) string {
	reason := err.Error()
	var start *session.StartError
	if errors.As(err, &start) {
		reason = start.Reason
		if !restricted && start.Hint != "" {
			reason += " (" + start.Hint + ")"
		}
	}
	text := "none: " + reason + "; --isolation auto does without"
	if restricted {
		text += "\n\t\tAppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1); with opendesk's sources:" +
			"\n\t\tsudo install -m 644 ci/apparmor/opendesk-bwrap /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/opendesk-bwrap"
	}
	return text
}

// checkScripts says whether scripts can run here, which they do in a sandbox
// or not at all.
func checkScripts(ctx context.Context) (string, error) {
	err := script.Possible(ctx)
	var none *script.UnavailableError
	switch {
	case err == nil:
		return "run in a sandbox of bwrap", nil
	case errors.As(err, &none) && none.Fix != "":
		return "", errors.New("cannot run: " + none.Reason + "\n\t\t" + none.Fix)
	}
	return "", fmt.Errorf("cannot run: %w", err)
}

// checkLimits says which limits sessions can have here, and by what.
func checkLimits(context.Context) (string, error) {
	isolation := session.None
	if session.Possible(session.Options{Isolation: session.Bwrap, Executable: "/proc/self/exe"}) == nil {
		isolation = session.Bwrap
	}
	return limitSupport(session.LimitSupport(isolation))
}

// limitSupport is one line of all limits; an error where one is unavailable.
func limitSupport(limits []session.Limit) (string, error) {
	var texts []string
	missing := false
	for _, l := range limits {
		how := l.By
		if l.Unavailable != "" {
			how, missing = "unavailable ("+l.Unavailable+")", true
		}
		texts = append(texts, l.Name+": "+how)
	}
	text := strings.Join(texts, ", ")
	if missing {
		return "", errors.New(text)
	}
	return text, nil
}
