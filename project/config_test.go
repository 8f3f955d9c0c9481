package project

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseConfig(t *testing.T) {
	config, problems := parseConfig("eval.yaml", "/p", []byte(`# how the programs run
display:
  geometry: 1024x768
locale: de_DE.UTF-8
timezone: UTC
network: none
apps:
  Numbers: ../../apps/numbers/numbers.py
  Terminal: [xterm, -bg, '#202020', -e, "sh -c 'sleep 5'"]
  gedit: gedit
  "Text: Editor": [./bin/edit, --new]
  3D: /usr/bin/three d
environment:
  ONE: 1
  VERSION: 1.10
  YES: true
  TEXT: "a b"
  BLOCK: |
    two
    lines
ocr:
  languages: [eng, chi_sim, script/Latin]
retries: 2
env_retries: 0
timeout_scale: 1.5
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := Config{
		Display: Display{Geometry: Geometry{1024, 768, 24}}, Locale: "de_DE.UTF-8", Timezone: "UTC", Network: NetworkNone,
		Apps: map[string][]string{
			"Numbers":      {"/apps/numbers/numbers.py"},
			"Terminal":     {"xterm", "-bg", "#202020", "-e", "sh -c 'sleep 5'"},
			"gedit":        {"gedit"},
			"Text: Editor": {"/p/bin/edit", "--new"},
			"3D":           {"/usr/bin/three d"},
		},
		Environment:  map[string]string{"ONE": "1", "VERSION": "1.10", "YES": "true", "TEXT": "a b", "BLOCK": "two\nlines\n"},
		OCR:          OCR{Languages: []string{"eng", "chi_sim", "script/Latin"}},
		Retries:      2,
		EnvRetries:   0,
		TimeoutScale: 1.5,
	}
	if !reflect.DeepEqual(config, want) {
		t.Errorf("got  %+v\nwant %+v", config, want)
	}
}

func TestSilentFilesGiveTheDefaults(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "{}\n", "\uFEFFlocale:\n", "display:\nocr:\n", "apps: {}\nenvironment:\n  # none\n", "retries: 0\r\n"} {
		config, problems := parseConfig("eval.yaml", "/p", []byte(text))
		if len(problems) > 0 || !reflect.DeepEqual(config, DefaultConfig()) {
			t.Errorf("%q: %+v, %v", text, config, problems)
		}
	}
}

func TestProblemsOfTheConfig(t *testing.T) {
	for text, want := range map[string]string{
		"geometry: 1x1\n":                                     `1:1: geometry is unknown: use apps, budget, display, env_retries, environment, limits, locale, network, ocr, programs, retries, scripts, setup, timeout_scale, timezone`,
		"retires: 1\nlocal: C\n":                              "1:1: retires is unknown (did you mean \"retries\"?)\n2:1: local is unknown (did you mean \"locale\"?)",
		"display:\n  geometri: 1280x800\n":                    `2:3: display.geometri is unknown (did you mean "geometry"?)`,
		"display:\n  geometry: 1280\n":                        `2:13: display.geometry must be a text, not a number`,
		"display:\n  geometry: 1280x800x16\n":                 `2:13: display.geometry "1280x800x16" asks for a depth of 16: only 24 is supported`,
		"display: 1280x800\n":                                 `1:10: display must hold keys and values, not a text`,
		"display: [a]\n":                                      `1:10: display must hold keys and values, not a list`,
		"- a\n":                                               `1:1: must hold keys and values, not a list`,
		"text\n":                                              `1:1: must hold keys and values, not a text`,
		"locale: 'de DE'\n":                                   `1:9: locale "de DE" is no locale: use a name such as C.UTF-8 or de_DE.UTF-8`,
		"timezone: Mars/Base\n":                               `1:11: timezone "Mars/Base" is no time zone of this machine: use a name such as UTC or Europe/Berlin (Debian/Ubuntu: apt-get install tzdata)`,
		"timezone: Local\n":                                   `1:11: timezone "Local" is no time zone of this machine: use a name such as UTC or Europe/Berlin (Debian/Ubuntu: apt-get install tzdata)`,
		"network: hots\n":                                     `1:10: network "hots" is unknown: use host or none`,
		"network: hosts\n":                                    `1:10: network "hosts" is unknown: use host or none (did you mean "host"?)`,
		"apps:\n  a: 5\n  b: []\n  c: ''\n":                   "2:6: apps.a must be a text, not a number\n3:6: apps.b names no command: give a command, a path, or a list of a command and its arguments\n4:6: apps.c names no command: give a command, a path, or a list of a command and its arguments",
		"apps:\n  a: [x, 5]\n":                                `2:10: apps.a[1] must be a text, not a number`,
		"apps:\n  a: x\n  A: y\n":                             `3:3: apps.A differs from "a" by case only: names of applications are the same in any case`,
		"apps:\n  a: x\n  a: y\n":                             `3:3: apps.a stands twice (first at 2:3): keep one`,
		"environment:\n  A-B: 1\n  DISPLAY: ':0'\n":           "2:3: environment.A-B is no name of a variable: use letters, digits and _\n3:3: environment.DISPLAY is set by the session itself: remove it",
		"environment:\n  A: [1]\n":                            `2:6: environment.A must be a text, not a list`,
		"environment:\n  A: \"a\\0b\"\n":                      `2:6: environment.A holds a NUL character`,
		"ocr:\n  languages: eng\n":                            `2:14: ocr.languages must be a list such as [eng], not a text`,
		"locale: 5\nocr:\n  languages: []\napps:\n  a: [5]\n": "1:9: locale must be a text, not a number\n3:14: ocr.languages is empty: name at least one language, such as eng\n5:7: apps.a[0] must be a text, not a number",
		"ocr:\n  languages: []\n":                             `2:14: ocr.languages is empty: name at least one language, such as eng`,
		"ocr:\n  languages: [eng, ../x, eng]\n":               "2:20: ocr.languages[1] \"../x\" is no language of Tesseract: use a name such as eng or chi_sim\n2:26: ocr.languages[2] \"eng\" stands twice",
		"retries: -1\nenv_retries: 1.5\n":                     "1:10: retries must be a whole number from 0 to 100, not -1\n2:14: env_retries must be a whole number from 0 to 100, not 1.5",
		"retries: many\n":                                     `1:10: retries must be a number, not a text`,
		"timeout_scale: 0\n":                                  `1:16: timeout_scale must be above 0 and at most 100, not 0`,
		"timeout_scale: .nan\n":                               `1:16: timeout_scale must be a number, not infinity or NaN`,
		"locale: C\nlocale: C\n":                              `2:1: locale stands twice (first at 1:1): keep one`,
		"locale: &a C\ntimezone: *a\n":                        "1:9: locale has an anchor, an alias or a tag: write the value itself\n2:11: timezone has an anchor, an alias or a tag: write the value itself",
		"locale: C\n---\nlocale: C\n":                         `3:1: eval.yaml holds one document, not 2`,
		"żółw: 1\n":                                           `1:1: żółw is unknown: use apps, budget, display, env_retries, environment, limits, locale, network, ocr, programs, retries, scripts, setup, timeout_scale, timezone`,
		"apps: {żółw: x, b: 5}\n":                             `1:20: apps.b must be a text, not a number`,
		"\xff\n":                                              `is not UTF-8: save it as UTF-8`,
	} {
		_, problems := parseConfig("eval.yaml", "/p", []byte(text))
		var got []string
		for _, p := range problems {
			got = append(got, strings.TrimSpace(strings.TrimPrefix(p.String(), "eval.yaml:")))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, strings.Join(got, "\n     "), want)
		}
	}
}

func TestSyntaxErrorsAreLocated(t *testing.T) {
	for _, text := range []string{"a: [1\n", "a: 'x\n", "a: b: c\n", "\ta: 1\n", "locale: C\n  x: 1\n", "{a: 1\n", "a: *b\n"} {
		_, problems := parseConfig("eval.yaml", "/p", []byte(text))
		if len(problems) == 0 || problems[0].Line == 0 {
			t.Errorf("%q: %v", text, problems)
		}
		for _, p := range problems {
			if strings.Contains(p.Message, "\n") {
				t.Errorf("%q: more than a line: %q", text, p.Message)
			}
		}
	}
}

func TestDeepNestingIsRefusedQuickly(t *testing.T) {
	for _, part := range []string{"[", "{a: ", "- ", "? ", "&a ", "!!a "} {
		began := time.Now()
		_, problems := parseConfig("eval.yaml", "/p", []byte(strings.Repeat(part, maxConfigBytes/len(part))))
		if len(problems) != 1 || problems[0].Message != "the file is nested too deep" || problems[0].Line != 1 {
			t.Errorf("%q: %v", part, problems)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%q took %v", part, took)
		}
	}
}

func TestApp(t *testing.T) {
	c := DefaultConfig()
	c.Apps["Numbers"] = []string{"n"}
	for name, want := range map[string]bool{"Numbers": true, "numbers": true, "Number": false} {
		if _, ok := c.App(name); ok != want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("display:\n  geometry: 1280x800\napps:\n  a: [x, y]\n"))
	f.Add([]byte("a: &x [*x]\n? b\n: c\n<<: {d: 1}\n"))
	f.Add([]byte("environment: {A: 1, B: !!str 2, C: |\n  x\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		config, problems := parseConfig("f", "/p", data)
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 1
		for _, p := range problems {
			if p.File != "f" || p.Message == "" || p.Line > lines || p.Line < 0 {
				t.Fatalf("%+v", p)
			}
		}
		if len(problems) == 0 && (config.Locale == "" || config.TimeoutScale <= 0 || len(config.OCR.Languages) == 0 || config.Display.Geometry.Depth != 24) {
			t.Fatalf("accepted: %+v", config)
		}
	})
}
