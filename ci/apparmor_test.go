//go:build linux

package ci

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestAppArmorProfile has the parser read the profile. The kernel need not have
// AppArmor for that. A parser before version 4 does not know what the profile
// is about: it reads the rest.
func TestAppArmorProfile(t *testing.T) {
	data, err := os.ReadFile("apparmor/opendesk-bwrap")
	if err != nil {
		t.Fatal(err)
	}
	profile := string(data)
	for _, rule := range []string{"profile opendesk_bwrap /usr/bin/bwrap ", "  allow userns,\n", "  audit deny capability,\n"} {
		if !strings.Contains(profile, rule) {
			t.Errorf("the profile has no %q", rule)
		}
	}
	parser := "/usr/sbin/apparmor_parser"
	if _, err := os.Stat(parser); err != nil {
		t.Fatal("apparmor_parser is not installed (ci/install-deps.sh test installs it)")
	}
	if _, err := os.Stat("/etc/apparmor.d/abi/4.0"); err != nil {
		profile = strings.ReplaceAll(profile, "abi <abi/4.0>,", "")
		profile = regexp.MustCompile(`(?m)^  allow (userns|mqueue|io_uring),$`).ReplaceAllString(profile, "")
		profile = strings.ReplaceAll(profile, "  allow ", "  ")
	}
	parse := exec.Command(parser, "--skip-kernel-load", "--skip-cache")
	parse.Stdin = strings.NewReader(profile)
	if out, err := parse.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	parse = exec.Command(parser, "--skip-kernel-load", "--skip-cache")
	parse.Stdin = strings.NewReader(strings.Replace(profile, "capability,", "capabilities,", 1))
	if parse.Run() == nil {
		t.Error("the parser takes a rule that does not exist: this test shows nothing")
	}
}
