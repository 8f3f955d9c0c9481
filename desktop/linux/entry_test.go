package linux

import (
	"reflect"
	"strings"
	"testing"
)

func TestSplitExec(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		err  error
	}{
		{"mousepad %U", []string{"mousepad"}, nil},
		{"mousepad --preferences", []string{"mousepad", "--preferences"}, nil},
		{`"/opt/My App/run" --title "a b" %f`, []string{"/opt/My App/run", "--title", "a b"}, nil},
		{`app "say \"hi\"" "\$HOME" "\\" "\` + "`" + `"`, []string{"app", `say "hi"`, "$HOME", `\`, "`"}, nil},
		{`app "\n"`, []string{"app", `\n`}, nil},
		{`app ""`, []string{"app", ""}, nil},
		{"app %i --caption %c -k %k", []string{"app", "--caption", "-k"}, nil},
		{"app --name=%c 100%%", []string{"app", "--name=", "100%"}, nil},
		{"app   a\tb", []string{"app", "a", "b"}, nil},
		{`app a\ b`, []string{"app", "a b"}, nil},
		{"app; rm -rf $HOME | x", []string{"app;", "rm", "-rf", "$HOME", "|", "x"}, nil},
		{`env A=1 "b"c`, []string{"env", "A=1", "bc"}, nil},
		{"", nil, nil},
		{"  ", nil, nil},
		{`app "open`, nil, errOpenQuote},
		{"app %", nil, errFieldCode},
		{"a\x00b", nil, errNUL},
	}
	for _, tc := range tests {
		got, err := splitExec(tc.in)
		if err != tc.err || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("splitExec(%q) = %q, %v; want %q, %v", tc.in, got, err, tc.want, tc.err)
		}
	}
}

func TestParseEntry(t *testing.T) {
	tests := []struct {
		what, in string
		want     *entry
		err      string
	}{
		{
			what: "the usual, with locales and actions",
			in: "#!/usr/bin/env xdg-open\n\n[Desktop Entry]\nType=Application\nName[de]=Taschenrechner\nName = Calculator \r\n" +
				"Exec=gnome-calculator\nTryExec=gnome-calculator\nStartupWMClass=gnome-calculator\nDBusActivatable=true\n" +
				"[Desktop Action x]\nName=Other\nExec=other\n",
			want: &entry{name: "Calculator", exec: []string{"gnome-calculator"}, tryExec: "gnome-calculator", startupWMClass: "gnome-calculator"},
		},
		{what: "a byte-order mark and comments", in: "\ufeff# x\n[Desktop Entry]\n#Name=No\nName=A\nExec=a", want: &entry{name: "A", exec: []string{"a"}}},
		{what: "escapes", in: "[Desktop Entry]\nName=a\\sb\nExec=x \"c:\\\\\\\\d\"", want: &entry{name: "a b", exec: []string{"x", `c:\d`}}},
		{what: "the first value counts", in: "[Desktop Entry]\nName=A\nName=B\nExec=a\n[Desktop Entry]\nName=C", want: &entry{name: "A", exec: []string{"a"}}},
		{what: "hidden needs no Exec", in: "[Desktop Entry]\nHidden=true", want: &entry{hidden: true}},
		{what: "not displayed", in: "[Desktop Entry]\nName=A\nExec=a\nNoDisplay=true", want: &entry{name: "A", exec: []string{"a"}, noDisplay: true}},
		{what: "a link", in: "[Desktop Entry]\nType=Link\nURL=x", err: "type Application"},
		{what: "another group only", in: "[Other]\nExec=a", err: "no [Desktop Entry] group"},
		{what: "no Exec", in: "[Desktop Entry]\nName=A\nDBusActivatable=true", err: "no Exec"},
		{what: "an open quote", in: "[Desktop Entry]\nExec=\"a", err: "quote"},
		{what: "binary", in: "\xff\xfe[", err: "UTF-8"},
		{what: "empty", in: "", err: "group"},
	}
	for _, tc := range tests {
		got, err := parseEntry(tc.in)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: error %v, want one with %q", tc.what, err, tc.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v; want %+v", tc.what, got, err, tc.want)
		}
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add("[Desktop Entry]\nName=A\nExec=a \"b c\" %U --x=%c 5%%\n")
	f.Add("[Desktop Entry]\nHidden=true\nExec=\"\\\\\\\\\"")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseEntry(text)
		if err != nil {
			return
		}
		if len(e.exec) == 0 && !e.hidden {
			t.Error("an entry without a command")
		}
		for _, a := range e.exec {
			if strings.ContainsRune(a, 0) {
				t.Errorf("NUL in argument %q", a)
			}
		}
	})
}
