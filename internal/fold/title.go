package fold

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Title is Text for the titles of controls (buttons, menu items, …): what
// marks a letter as a mnemonic ("_File", "&File") and a column with the
// shortcut ("Save\tCtrl+S", "New      Ctrl+N") are dropped.
func Title(s string) string { return Text(Caption(s)) }

// Caption is the title of a control as it is shown: without the mark of a
// mnemonic and without the column of the shortcut.
func Caption(s string) string { return mnemonic(withoutShortcut(s)) }

// Signs makes of a folded text one in which signs that look alike are the
// same: minus and no-break hyphen, typographic quotation marks, the operators
// that stand for a star and a slash.
func Signs(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u2010', '\u2011', '\u2212': // hyphen, no-break hyphen, minus
			return '-'
		case '\u2018', '\u2019', '\u02bc': // single quotation marks, apostrophe
			return '\''
		case '\u201c', '\u201d':
			return '"'
		case '\u2217': // asterisk operator
			return '*'
		case '\u2215', '\u2044': // division slash, fraction slash
			return '/'
		}
		return r
	}, s)
}

// mnemonic drops what marks a letter: one "_" or "&" at the start of a word.
// "__" and "&&" stand for the sign itself.
func mnemonic(s string) string {
	for _, mark := range []string{"_", "&"} {
		s = unmark(s, mark)
	}
	return s
}

func unmark(s, mark string) string {
	i := strings.Index(s, mark)
	if i < 0 {
		return s
	}
	if strings.Contains(s, mark+mark) {
		return strings.ReplaceAll(s, mark+mark, mark)
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	startsWord := i == 0 || unicode.IsSpace(before) || unicode.IsPunct(before)
	if startsWord && (unicode.IsLetter(after) || unicode.IsDigit(after)) && strings.Count(s, mark) == 1 {
		return s[:i] + s[i+1:]
	}
	return s
}

// column is what may separate a title from its shortcut.
var column = regexp.MustCompile(`\t|[ \x{a0}]{2,}`)

// shortcut is a chord of modifiers and a key, in any language, or a key that is
// one by itself. It is compiled when it is first asked for: processes start
// often.
var shortcut = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` +
		`(?:\p{L}{2,}\+)+\S{1,12}(?: \S+)?|` + // Ctrl+Shift+S, Strg+Bild auf
		`(?:(?:Ctrl|Alt|Shift|Meta|Super)-)+\S{1,12}|` +
		`(?:<\p{L}+>)+\S+|` + // <Primary>s
		`[⌘⇧⌥⌃]+\S{1,12}|` +
		`F[0-9]{1,2}|Del(?:ete)?|Entf|Suppr|Ins(?:ert)?|Einfg|Esc(?:ape)?|Enter|Return|Tab|Backspace|Home|End|Pg ?(?:Up|Dn|Down)` +
		`)$`)
})

// withoutShortcut drops the column of the shortcut.
func withoutShortcut(s string) string {
	columns := column.FindAllStringIndex(s, -1)
	if len(columns) == 0 {
		return s
	}
	last := columns[len(columns)-1]
	title := s[:last[0]]
	if strings.TrimSpace(title) == "" || !shortcut().MatchString(strings.TrimSpace(s[last[1]:])) {
		return s
	}
	return title
}
