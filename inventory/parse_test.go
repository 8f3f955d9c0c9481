package inventory

import (
	"slices"
	"strings"
	"testing"
)

func TestParseDpkg(t *testing.T) {
	got := parseDpkg("installed\tmousepad\t0.5.10-2\tdconf-gsettings-backend | gsettings-backend, libc6 (>= 2.34), python3:any\n" +
		"config-files\tgone\t1\t\nnot-installed\tnever\t\t\n" + "installed\tbase\t1\t\n" + "torn")
	if len(got) != 2 || got[0].Version != "0.5.10-2" || got[1].Name != "base" || got[1].Depends != nil ||
		!slices.Equal(got[0].Depends, []string{"dconf-gsettings-backend", "gsettings-backend", "libc6", "python3"}) {
		t.Errorf("%+v", got)
	}
}

func TestParseOwners(t *testing.T) {
	got := parseOwners("libc6:amd64, libc6:i386: /lib/x\ndiversion by dash from: /bin/sh\nmousepad: /usr/bin/mousepad\nnonsense\n")
	if !slices.Equal(got, []string{"libc6", "libc6", "mousepad"}) {
		t.Errorf("%q", got)
	}
}

func TestPrettyName(t *testing.T) {
	for text, want := range map[string]string{
		"NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n": "Debian GNU/Linux 12 (bookworm)",
		"PRETTY_NAME=Arch": "Arch",
		"":                 "",
	} {
		if got := prettyName(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

// The patterns are well-formed, and lists of other people's packages stay out.
func TestPlatform(t *testing.T) {
	for _, name := range []string{"libgtk-3-0", "libgtk-3-0t64", "tesseract-ocr-deu", "fonts-dejavu-core", "libqt6core6t64", "xvfb", "openbox"} {
		if !isPlatform(name) {
			t.Errorf("%s is not of the platform", name)
		}
	}
	for _, name := range []string{"vim", "libgtk-3-dev", "libgtk-3-doc", "libtesseract-dev", "openssl", "[", ""} {
		if isPlatform(name) {
			t.Errorf("%s is of the platform", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("installed\ta\t1\tb (>= 1), c | d\n")
	f.Add("# branch.oid (initial)\n1 .M N...\n")
	f.Add("a:amd64, b: /x\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range parseDpkg(text) {
			if slices.Contains(p.Depends, "") {
				t.Errorf("a dependency without a name in %+v", p)
			}
		}
		parseOwners(text)
		if commit, _ := parseStatus(text); strings.Contains(commit, "\n") {
			t.Errorf("commit %q", commit)
		}
		prettyName(text)
	})
}
