package linux

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// entry is what matters here of one .desktop file.
type entry struct {
	id             string // relative path with "-" for "/", without ".desktop"
	file           string
	name           string   // Name, without locale
	exec           []string // Exec, split, field codes removed
	tryExec        string
	startupWMClass string
	noDisplay      bool
	hidden         bool
}

const mainGroup = "[Desktop Entry]"

var (
	errNoGroup        = errors.New("no [Desktop Entry] group")
	errNotApplication = errors.New("not of type Application")
)

// parseEntry reads a .desktop file by the Desktop Entry Specification.
// Localised keys, other groups (actions) and unknown keys are passed over. A
// key that stands twice has its first value.
func parseEntry(text string) (*entry, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("not UTF-8")
	}
	values, err := mainKeys(text)
	if err != nil {
		return nil, err
	}
	if t, ok := values["Type"]; ok && t != "Application" {
		return nil, errNotApplication
	}
	e := &entry{
		name:           unescape(values["Name"]),
		tryExec:        unescape(values["TryExec"]),
		startupWMClass: unescape(values["StartupWMClass"]),
		noDisplay:      values["NoDisplay"] == "true",
		hidden:         values["Hidden"] == "true",
	}
	if command := values["Exec"]; command != "" {
		if e.exec, err = splitExec(unescape(command)); err != nil {
			return nil, fmt.Errorf("in the Exec line: %w", err)
		}
	}
	if len(e.exec) == 0 && !e.hidden {
		return nil, errors.New("no Exec")
	}
	return e, nil
}

// mainKeys are the unlocalised keys of the main group, with their raw values.
func mainKeys(text string) (map[string]string, error) {
	values := map[string]string{}
	inMain, seen := false, false
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			inMain = line == mainGroup && !seen
			seen = seen || inMain
		case inMain:
			k, v, ok := strings.Cut(line, "=")
			k = strings.TrimSpace(k)
			if _, twice := values[k]; ok && !twice && !strings.Contains(k, "[") {
				values[k] = strings.TrimLeft(v, " \t")
			}
		}
	}
	if !seen {
		return nil, errNoGroup
	}
	return values, nil
}

// unescape resolves the escapes that values of type string have. An unknown
// escape stays as it is: Exec has more of them, inside quotes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 's':
			b.WriteByte(' ')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '\\':
			b.WriteByte('\\')
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
