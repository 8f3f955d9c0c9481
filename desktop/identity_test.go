package desktop

import "testing"

func TestMatches(t *testing.T) {
	calculator := AppInfo{
		Name: "gnome-calculator", Class: "gnome-calculator", Instance: "gnome-calculator", Process: "gnome-calculato",
		DesktopID: "org.gnome.Calculator", DesktopName: "Calculator",
	}
	mateCalculator := AppInfo{Name: "mate-calc", Process: "mate-calc", DesktopID: "org.mate.Calculator", DesktopName: "MATE Calculator"}
	textEditor := AppInfo{
		Name: "gnome-text-editor", Class: "org.gnome.TextEditor", Process: "gnome-text-edit",
		DesktopID: "org.gnome.TextEditor", DesktopName: "Text Editor",
	}
	mousepad := AppInfo{Name: "Mousepad", Class: "Mousepad", Instance: "mousepad", Process: "mousepad", DesktopID: "org.xfce.mousepad", DesktopName: "Mousepad"}
	script := AppInfo{Name: "numbers.py", Class: "Numbers.py", Instance: "numbers.py", Process: "python3"}
	bare := AppInfo{Process: "python3"}
	cut := AppInfo{Process: "xdg-desktop-por"}
	cutButNamed := AppInfo{Name: "xdg-desktop-portal", Process: "xdg-desktop-por"}
	xterm := AppInfo{Class: "XTerm", Instance: "xterm", Process: "xterm", DesktopID: "debian-xterm", DesktopName: "XTerm"}
	mapped := AppInfo{Name: "Mousepad", Process: "mousepad", OpenedAs: "Notes"}
	byPath := AppInfo{Name: "editor", Process: "python3", OpenedAs: "/opt/a/Write It.py"}

	tests := []struct {
		app  AppInfo
		name string
		want bool
	}{
		{calculator, "gnome-calculator", true},
		{calculator, "GNOME Calculator", true},
		{calculator, "gnome_calculator", true},
		{calculator, "Calculator", true},
		{calculator, " calculator ", true},
		{calculator, "org.gnome.Calculator", true},
		{calculator, "org.gnome.Calculator.desktop", true},
		{calculator, "/usr/bin/gnome-calculator", true},
		{calculator, "gnome-calculato", true}, // the process
		{calculator, "calc", false},
		{calculator, "gnome", false},
		{calculator, "Calculator 2", false},
		{calculator, "gnome-calculator-plus", false},
		{calculator, "org.mate.Calculator", false},
		{mateCalculator, "org.gnome.Calculator", false},
		{mateCalculator, "org.mate.Calculator", true},
		{mateCalculator, "Calculator", true}, // its id says so
		{textEditor, "Text Editor", true},
		{textEditor, "TextEditor", true},
		{textEditor, "gnome-text-editor", true},
		{textEditor, "Text", false},
		{textEditor, "Editor", false},
		{textEditor, "Text Editor Settings", false},
		{mousepad, "mousepad", true},
		{mousepad, "MOUSEPAD", true},
		{mousepad, "xfce mousepad", true},
		{mousepad, "mousepad-settings", false},
		{mousepad, "org.xfce.mousepad-settings", false},
		{mousepad, "pad", false},
		{script, "Numbers", true},
		{script, "numbers.py", true},
		{script, "/opt/apps/numbers.py", true},
		{script, "python3", false},
		{script, "/usr/bin/python3", false},
		{bare, "python3", true},
		{bare, "python", false},
		{cut, "xdg-desktop-portal", true},
		{cut, "xdg-desktop", false},
		{cutButNamed, "xdg-desktop-portal", true},
		{cutButNamed, "xdg-desktop-portal-gtk", false},
		{xterm, "XTerm", true},
		{xterm, "debian-xterm", true},
		{xterm, "uxterm", false},
		{xterm, "term", false},
		{mapped, "notes", true},
		{mapped, "mousepad", true},
		{mapped, "note", false},
		{byPath, "/opt/a/Write It.py", true},
		{byPath, "Write It.py", true},
		{AppInfo{Name: "Calculator"}, "org.gnome.Calculator", true},
		{AppInfo{DesktopName: "Fichier\u00a0système"}, "fichier SYSTÈME", true},
		{AppInfo{Process: "my.app.sh"}, "sh", false},
		{AppInfo{Name: "my.app.sh"}, "sh", false},
		{AppInfo{}, "", false},
		{AppInfo{}, "x", false},
		{mousepad, "", false},
		{mousepad, "/", false},
		{mousepad, ".desktop", false},
	}
	for _, tc := range tests {
		if got := tc.app.Matches(tc.name); got != tc.want {
			t.Errorf("%+v.Matches(%q) = %v, want %v", tc.app, tc.name, got, tc.want)
		}
	}
}

func TestDisplay(t *testing.T) {
	tests := []struct {
		app  AppInfo
		want string
	}{
		{AppInfo{Name: "gnome-calculator", DesktopName: "Calculator"}, "Calculator"},
		{AppInfo{Name: "python3", Class: "Numbers.py", Process: "python3"}, "Numbers.py"},
		{AppInfo{Name: "Mousepad", OpenedAs: "Notes"}, "Notes"},
		{AppInfo{Process: "python3.11", PID: 7}, "python3.11"},
		{AppInfo{PID: 7}, "pid 7"},
		{AppInfo{}, ""},
	}
	for _, tc := range tests {
		if got := tc.app.Display(); got != tc.want {
			t.Errorf("%+v.Display() = %q, want %q", tc.app, got, tc.want)
		}
	}
}

func TestIsInterpreter(t *testing.T) {
	for name, want := range map[string]bool{
		"python3": true, "python3.11": true, "/usr/bin/python3": true, "java": true, "bash": true, "Ruby2.7": true, "gjs-console": true,
		"pythonista": false, "mousepad": false, "": false, "shotwell": false, "node-red": false,
	} {
		if got := IsInterpreter(name); got != want {
			t.Errorf("IsInterpreter(%q) = %v, want %v", name, got, want)
		}
	}
}

func FuzzMatches(f *testing.F) {
	f.Add("gnome-calculator", "org.gnome.Calculator")
	f.Add("xdg-desktop-por", "xdg-desktop-portal")
	f.Add("a.b.c", "/x/y.py")
	f.Fuzz(func(t *testing.T, own, name string) {
		a := AppInfo{Name: own}
		a.Matches(name)
		(AppInfo{Process: own}).Matches(name)
		if a.Matches("") {
			t.Error("the empty name matches")
		}
	})
}
