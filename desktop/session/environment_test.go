package session

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguage(t *testing.T) {
	for locale, want := range map[string]string{
		"C.UTF-8": "en", "POSIX": "en", "": "en",
		"de_DE.UTF-8": "de_DE:de", "sr_RS.UTF-8@latin": "sr_RS:sr", "eo": "eo",
	} {
		if got := language(locale); got != want {
			t.Errorf("language(%q) = %q, want %q", locale, got, want)
		}
	}
}

func TestMergeEnvironment(t *testing.T) {
	got := mergeEnvironment([]string{"B=1", "A=1", "broken", "=x"}, []string{"B=2=3", "C="})
	if want := []string{"A=1", "B=2=3", "C="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBaseEnvironment(t *testing.T) {
	o := Options{ID: "me", Locale: "C.UTF-8", Timezone: "UTC", Environment: []string{
		"HOME=/elsewhere", "http_proxy=http://proxy", MarkerDir + "=/elsewhere",
	}}
	env := baseEnvironment(o, "/tmp/s", "/bin", "joe")
	for _, want := range []string{
		"HOME=/elsewhere", "http_proxy=http://proxy", "PATH=/bin", "USER=joe", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"XDG_RUNTIME_DIR=/tmp/s/run", "XDG_CONFIG_HOME=/tmp/s/home/.config", "TMPDIR=/tmp/s/tmp", "TZ=UTC",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/tmp/s/bus", "GSETTINGS_BACKEND=keyfile", "GTK_USE_PORTAL=0",
		MarkerDir + "=/tmp/s", MarkerID + "=me",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in %q", want, env)
		}
	}
	if !slices.IsSorted(env) {
		t.Error("not sorted")
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var passed strings.Builder
	out := newTail(10, &passed)
	var all strings.Builder
	for i := range 100 {
		text := strings.Repeat(string(rune('a'+i%26)), i%7)
		all.WriteString(text)
		if n, err := out.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
		want := all.String()[max(0, all.Len()-10):]
		if got := out.String(); got != want {
			t.Fatalf("after %d writes: %q, want %q", i+1, got, want)
		}
	}
	if passed.String() != all.String() {
		t.Error("not everything was passed on")
	}
}

func TestStartErrorReadsWell(t *testing.T) {
	err := &StartError{Part: PartXvfb, Reason: "Xvfb is not installed", Hint: installHints[PartXvfb]}
	if want := "Xvfb: Xvfb is not installed (Debian/Ubuntu: apt-get install xvfb)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
