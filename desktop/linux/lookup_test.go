package linux

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop"
)

// place makes a small system: executables in bin and .desktop files in the
// user's and the system's data folders.
func place(t *testing.T) (environ, string) {
	t.Helper()
	root := t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		p := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"gnome-calculator", "mousepad", "python3", "text", "writer", "numbers.py", "lower"} {
		write("bin/"+name, "#!/bin/sh\n", 0o755)
	}
	write("bin/plain", "", 0o644)
	write("home/tool", "", 0o755)
	apps := "system/applications/"
	write(apps+"org.gnome.Calculator.desktop", "[Desktop Entry]\nType=Application\nName=Calculator\nExec=gnome-calculator %U\n", 0o644)
	write(apps+"org.xfce.mousepad.desktop", "[Desktop Entry]\nName=Mousepad\nExec=mousepad %U\n", 0o644)
	write(apps+"org.xfce.mousepad-settings.desktop", "[Desktop Entry]\nName=Text Editor Settings\nExec=mousepad --preferences\n", 0o644)
	write(apps+"python3.desktop", "[Desktop Entry]\nName=Python\nExec=python3\n", 0o644)
	write(apps+"org.x.Numbers.desktop", "[Desktop Entry]\nName=Number Cruncher\nExec=env A=1 python3 -u "+root+"/bin/numbers.py %f\n", 0o644)
	write(apps+"a.hidden-nodisplay.desktop", "[Desktop Entry]\nName=Writer Pro\nExec=writer --no-display\nNoDisplay=true\n", 0o644)
	write(apps+"z.shown.desktop", "[Desktop Entry]\nName=Writer Pro\nExec=writer --shown\n", 0o644)
	write(apps+"absent.desktop", "[Desktop Entry]\nName=Absent\nTryExec=nowhere\nExec=mousepad\n", 0o644)
	write(apps+"removed.desktop", "[Desktop Entry]\nName=Removed\nExec=mousepad\n", 0o644)
	write(apps+"kde/sub.desktop", "[Desktop Entry]\nName=Sub\nExec=mousepad\nStartupWMClass=SubClass\n", 0o644)
	write(apps+"broken.desktop", "[Desktop Entry]\nName=Broken\nExec=\"mousepad\n", 0o644)
	write("user/applications/removed.desktop", "[Desktop Entry]\nHidden=true\n", 0o644)
	write("user/applications/org.xfce.mousepad.desktop", "[Desktop Entry]\nName=Mousepad\nExec=mousepad --mine\n", 0o644)
	return environ{
		"PATH=relative:" + filepath.Join(root, "bin"), "HOME=" + filepath.Join(root, "home"),
		"XDG_DATA_HOME=" + filepath.Join(root, "user"), "XDG_DATA_DIRS=" + filepath.Join(root, "system"),
	}, root
}

func TestFindCommand(t *testing.T) {
	env, root := place(t)
	bin := func(name string, args ...string) []string {
		return append([]string{filepath.Join(root, "bin", name)}, args...)
	}
	tests := []struct {
		launch desktop.Launch
		how    string
		want   []string
	}{
		{desktop.Launch{Name: "mousepad"}, howPATH, bin("mousepad")},
		{desktop.Launch{Name: "mousepad", Command: []string{"writer", "a b"}}, howMap, bin("writer", "a b")},
		{desktop.Launch{Name: "Tool", Command: []string{"./tool"}}, howMap, []string{filepath.Join(root, "home", "tool")}},
		{desktop.Launch{Name: "Tool", Command: []string{"./text"}, Dir: filepath.Join(root, "bin")}, howMap, bin("text")},
		{desktop.Launch{Name: filepath.Join(root, "bin/writer")}, howPath, bin("writer")},
		{desktop.Launch{Name: "Calculator"}, howDesktop, bin("gnome-calculator")},
		{desktop.Launch{Name: "calculator"}, howDesktop, bin("gnome-calculator")},
		{desktop.Launch{Name: "org.gnome.Calculator"}, howDesktop, bin("gnome-calculator")},
		{desktop.Launch{Name: "org.gnome.calculator.desktop"}, howDesktop, bin("gnome-calculator")},
		{desktop.Launch{Name: "GNOME Calculator"}, howDesktop, bin("gnome-calculator")},
		{desktop.Launch{Name: "org.xfce.mousepad"}, howDesktop, bin("mousepad", "--mine")},
		{desktop.Launch{Name: "Text Editor Settings"}, howDesktop, bin("mousepad", "--preferences")},
		{desktop.Launch{Name: "Number Cruncher"}, howDesktop, nil}, // env is not on this PATH
		{desktop.Launch{Name: "writer pro"}, howDesktop, bin("writer", "--shown")},
		{desktop.Launch{Name: "a.hidden-nodisplay"}, howDesktop, bin("writer", "--no-display")},
		{desktop.Launch{Name: "Sub"}, howDesktop, bin("mousepad")},
		{desktop.Launch{Name: "kde-sub"}, howDesktop, bin("mousepad")},
		{desktop.Launch{Name: "LOWER"}, howPATH, bin("lower")},
		{desktop.Launch{Name: "Text"}, howPATH, bin("text")},
		{desktop.Launch{Name: "Editor"}, "", nil},
		{desktop.Launch{Name: "Absent"}, "", nil},
		{desktop.Launch{Name: "Removed"}, "", nil},
		{desktop.Launch{Name: "Broken"}, "", nil},
		{desktop.Launch{Name: "plain"}, "", nil},
		{desktop.Launch{Name: "mousepad; id"}, "", nil},
		{desktop.Launch{Name: "../bin/nothing"}, "", nil},
	}
	cat := readCatalog(env)
	for _, tc := range tests {
		got, err := findCommand(tc.launch, env, cat)
		if tc.want == nil {
			var missing *desktop.AppNotFoundError
			if !errors.As(err, &missing) || len(missing.Tried) == 0 {
				t.Errorf("%q: %+v, %v; want not found", tc.launch.Name, got, err)
			}
			continue
		}
		if err != nil || got.how != tc.how || !reflect.DeepEqual(got.args, tc.want) {
			t.Errorf("%q: %+v, %v; want %s %q", tc.launch.Name, got, err, tc.how, tc.want)
		}
	}
}

func TestNotFoundSaysWhyAndWhatIsNear(t *testing.T) {
	env, root := place(t)
	cat := readCatalog(env)
	tests := []struct {
		launch desktop.Launch
		want   string
	}{
		{desktop.Launch{Name: "mousepda"}, "app 'mousepda' not found (looked in PATH, .desktop files); did you mean 'Mousepad'?"},
		{desktop.Launch{Name: "Calculater"}, "did you mean 'Calculator'?"},
		{desktop.Launch{Name: root + "/bin/plain"}, "not executable"},
		{desktop.Launch{Name: root + "/bin/none"}, "no such file"},
		{desktop.Launch{Name: root + "/bin"}, "a folder"},
		{desktop.Launch{Name: "x", Command: []string{"nowhere"}}, "the app map (nowhere: not on PATH)"},
	}
	for _, tc := range tests {
		_, err := findCommand(tc.launch, env, cat)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, want %q", tc.launch.Name, err, tc.want)
		}
	}
	_, err := findCommand(desktop.Launch{Name: "qqqqqqqq"}, env, cat)
	var missing *desktop.AppNotFoundError
	if !errors.As(err, &missing) || len(missing.Near) != 0 {
		t.Errorf("near a name like no other: %v", err)
	}
}

func TestEntryOfRunningApplication(t *testing.T) {
	env, root := place(t)
	cat := readCatalog(env)
	tests := []struct {
		app     desktop.AppInfo
		program string
		want    string
	}{
		{desktop.AppInfo{Class: "gnome-calculator"}, "gnome-calculator", "org.gnome.Calculator"},
		{desktop.AppInfo{Class: "org.gnome.Calculator"}, "", "org.gnome.Calculator"},
		{desktop.AppInfo{Class: "Mousepad", Instance: "mousepad"}, "mousepad", "org.xfce.mousepad"},
		{desktop.AppInfo{Class: "SubClass"}, "mousepad", "kde-sub"},
		{desktop.AppInfo{Class: "subclass"}, "mousepad", "kde-sub"},
		{desktop.AppInfo{Name: "numbers.py"}, programOf([]string{"/usr/bin/python3", root + "/bin/numbers.py"}), "org.x.Numbers"},
		{desktop.AppInfo{Name: "python3", Process: "python3"}, programOf([]string{"/usr/bin/python3", "-c", "pass"}), ""},
		{desktop.AppInfo{Name: "other.py"}, programOf([]string{"python3", "other.py"}), ""},
		{desktop.AppInfo{}, "", ""},
	}
	for _, tc := range tests {
		got := ""
		if e := cat.of(tc.app, tc.program); e != nil {
			got = e.id
		}
		if got != tc.want {
			t.Errorf("%+v %q: entry %q, want %q", tc.app, tc.program, got, tc.want)
		}
	}
}

func TestProgramOf(t *testing.T) {
	for in, want := range map[string]string{
		"/usr/bin/mousepad a":                 "mousepad",
		"python3 -u /opt/x.py -v":             "x.py",
		"/usr/bin/env A=1 python3 /x/y.py":    "y.py",
		"bash -c sleep":                       "",
		"python3":                             "",
		"python3.11 -m http.server":           "",
		"/bin/sh /usr/bin/uxterm -geometry x": "uxterm",
	} {
		if got := programOf(strings.Fields(in)); got != want {
			t.Errorf("programOf(%q) = %q, want %q", in, got, want)
		}
	}
}
