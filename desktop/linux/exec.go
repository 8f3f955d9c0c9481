package linux

import (
	"errors"
	"strings"
)

var (
	errOpenQuote = errors.New("a quote is not closed")
	errFieldCode = errors.New("a field code is cut off (% at the end)")
	errNUL       = errors.New("an argument holds a NUL")
)

// splitExec splits the value of an Exec key into arguments, as the Desktop
// Entry Specification has it: double quotes, in which a backslash keeps ", `,
// $ and \ from their meaning; and field codes, all of which are dropped, since
// no file is opened and no icon shown (%% is a percent sign). An argument that
// was only a field code goes with it. No shell is involved.
func splitExec(s string) ([]string, error) {
	if strings.ContainsRune(s, 0) {
		return nil, errNUL
	}
	var (
		args            []string
		arg             strings.Builder
		started, quoted bool
	)
	end := func() {
		if started {
			args = append(args, arg.String())
		}
		arg.Reset()
		started = false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			quoted = !quoted
			started = true // "" is an argument
		case quoted && c == '\\' && i+1 < len(s) && strings.IndexByte("\"`$\\", s[i+1]) >= 0:
			i++
			arg.WriteByte(s[i])
		case !quoted && (c == ' ' || c == '\t' || c == '\n'):
			end()
		case !quoted && c == '\\' && i+1 < len(s): // not in the specification, but in files
			i++
			arg.WriteByte(s[i])
			started = true
		case c == '%':
			if i+1 == len(s) {
				return nil, errFieldCode
			}
			i++
			if s[i] == '%' {
				arg.WriteByte('%')
				started = true
			}
		default:
			arg.WriteByte(c)
			started = true
		}
	}
	if quoted {
		return nil, errOpenQuote
	}
	end()
	return args, nil
}
