package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop/session"
)

func TestDoctorNamesTheWayToIsolation(t *testing.T) {
	fails := &session.StartError{Part: session.PartIsolation, Reason: "bwrap does not work here: setting up uid map: Permission denied", Hint: "apt-get install bubblewrap"}
	got := isolationAdvice(fails, true)
	for _, want := range []string{"none: bwrap does not work here: setting up uid map", "kernel.apparmor_restrict_unprivileged_userns is 1",
		"sudo install -m 644 ci/apparmor/opendesk-bwrap /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/opendesk-bwrap"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if got := isolationAdvice(fails, false); strings.Contains(got, "AppArmor") || !strings.Contains(got, "(apt-get install bubblewrap)") {
		t.Errorf("without AppArmor: %q", got)
	}
	if got := isolationAdvice(errors.New("no Linux"), false); got != "none: no Linux; --isolation auto does without" {
		t.Errorf("got %q", got)
	}
}

func TestDoctorShowsLimits(t *testing.T) {
	limits := []session.Limit{{Name: "memory", By: "cgroup v2"}, {Name: "home", By: "tmpfs"}}
	if got, err := limitSupport(limits); err != nil || got != "memory: cgroup v2, home: tmpfs" {
		t.Errorf("got %q, %v", got, err)
	}
	limits[0] = session.Limit{Name: "memory", Unavailable: "cgroup v1 is not writable"}
	if _, err := limitSupport(limits); err == nil || err.Error() != "memory: unavailable (cgroup v1 is not writable), home: tmpfs" {
		t.Errorf("error %v", err)
	}
}
