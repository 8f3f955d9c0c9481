package program

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// layout says how a step is spread over lines: as the step of the file that it
// was learnt from.
type layout struct {
	newline string
	// indent is the white space that the step's own line begins with.
	indent string
	// colon and comma part what stands on one line; pad stands inside of braces.
	colon, comma, pad string
	// first and last tell whether lines end after the opening brace and before
	// the closing one.
	first, last *string
	// breaks are the names of members that begin a line, with its indentation;
	// every member does where all is set.
	breaks map[string]string
	all    bool
	// deep spreads the objects and lists inside over lines as well, each level
	// by unit.
	deep bool
	unit string
}

// oneLine is the layout of a step on a line of its own.
var oneLine = layout{newline: "\n", colon: ": ", comma: ", "}

// layoutOf learns the layout from a step of the document.
func layoutOf(n *node, data []byte) layout {
	l := oneLine
	if at := bytes.IndexByte(data, '\n'); at > 0 && data[at-1] == '\r' {
		l.newline = "\r\n"
	}
	line := data[bytes.LastIndexByte(data[:n.start], '\n')+1 : n.start]
	line = line[bomLength(line):]
	l.indent = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	if n.kind != jsontext.KindBeginObject {
		return l
	}
	l.breaks = map[string]string{}
	l.all = len(n.members) > 0
	inner := "" // the indentation of the first member that begins a line
	end := n.start + 1
	for i, m := range n.members {
		gap := string(data[end:m.start])
		end = m.value.end
		if strings.Trim(gap, whiteSpace+",") != "" { // a duplicate of a name
			gap = l.comma
		}
		_, indent, broken := cutLast(gap, "\n")
		switch {
		case broken && i == 0:
			l.first = &indent
		case broken:
			l.breaks[m.name] = indent
		case i == 0:
			l.pad = gap
		default:
			l.comma = gap
		}
		if broken && inner == "" {
			inner = indent
		}
		l.all = l.all && broken
		if colon := string(data[m.end:m.value.start]); !strings.Contains(colon, "\n") {
			l.colon = colon
		}
	}
	if _, indent, broken := cutLast(string(data[end:n.end-1]), "\n"); broken {
		l.last = &indent
	}
	if l.all {
		l.deep = spread(n, data)
		l.unit = "  "
		if unit, ok := strings.CutPrefix(inner, l.indent); ok && unit != "" {
			l.unit = unit
		}
	}
	return l
}

// spread reports whether the objects and lists inside of a step have lines of
// their own, and says yes where it has none.
func spread(n *node, data []byte) bool {
	for _, m := range n.members {
		if len(m.value.members)+len(m.value.items) > 0 {
			return bytes.IndexByte(data[m.value.start:m.value.end], '\n') >= 0
		}
	}
	return true
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// step writes a step in this layout.
func (l layout) step(v *value) string {
	var b strings.Builder
	if v.kind != jsontext.KindBeginObject || len(v.members) == 0 {
		l.inline(&b, v)
		return b.String()
	}
	b.WriteByte('{')
	for i, m := range v.members {
		indent, broken := l.breaks[m.name]
		if l.all && !broken {
			indent, broken = l.indent+l.unit, true
		}
		switch {
		case i == 0 && l.first != nil:
			b.WriteString(l.newline + *l.first)
		case i == 0:
			b.WriteString(l.pad)
		case broken:
			b.WriteString("," + l.newline + indent)
		default:
			b.WriteString(l.comma)
		}
		b.WriteString(m.raw + l.colon)
		if l.deep {
			l.block(&b, m.value, l.indent+l.unit)
		} else {
			l.inline(&b, m.value)
		}
	}
	if l.last != nil {
		b.WriteString(l.newline + *l.last)
	} else {
		b.WriteString(l.pad)
	}
	b.WriteByte('}')
	return b.String()
}

// inline writes a value on one line.
func (l layout) inline(b *strings.Builder, v *value) {
	switch v.kind {
	case jsontext.KindBeginObject:
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(l.comma)
			}
			b.WriteString(m.raw + l.colon)
			l.inline(b, m.value)
		}
		b.WriteByte('}')
	case jsontext.KindBeginArray:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(l.comma)
			}
			l.inline(b, item)
		}
		b.WriteByte(']')
	default:
		b.WriteString(v.raw)
	}
}

// block writes a value with a line for each member and item.
func (l layout) block(b *strings.Builder, v *value, indent string) {
	if len(v.members)+len(v.items) == 0 {
		l.inline(b, v)
		return
	}
	deeper := l.newline + indent + l.unit
	if v.kind == jsontext.KindBeginArray {
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(deeper)
			l.block(b, item, indent+l.unit)
		}
		b.WriteString(l.newline + indent + "]")
		return
	}
	b.WriteByte('{')
	for i, m := range v.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(deeper + m.raw + l.colon)
		l.block(b, m.value, indent+l.unit)
	}
	b.WriteString(l.newline + indent + "}")
}
