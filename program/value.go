package program

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a JSON value that is to be written. What comes from a document
// keeps its spelling: escapes, digits, the order of members.
type value struct {
	kind    jsontext.Kind
	raw     string // of everything but objects and lists
	members []valueMember
	items   []*value
}

type valueMember struct {
	name  string
	raw   string // the name with its quotes
	value *value
}

// valueOf copies a value out of the document that it stands in.
func valueOf(n *node, data []byte) *value {
	v := &value{kind: n.kind}
	switch n.kind {
	case jsontext.KindBeginObject:
		for _, m := range n.members {
			v.members = append(v.members, valueMember{name: m.name, raw: string(data[m.start:m.end]), value: valueOf(m.value, data)})
		}
	case jsontext.KindBeginArray:
		for _, item := range n.items {
			v.items = append(v.items, valueOf(item, data))
		}
	default:
		v.raw = string(data[n.start:n.end])
	}
	return v
}

func textValue(s string) *value { return &value{kind: jsontext.KindString, raw: quoteJSON(s)} }

// get finds a member; null counts as absent.
func (v *value) get(name string) *value {
	for _, m := range v.members {
		if m.name == name && m.value.kind != jsontext.KindNull {
			return m.value
		}
	}
	return nil
}

// set puts a member in the place of the one of its name, or last.
func (v *value) set(name string, to *value) {
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = to
			return
		}
	}
	v.members = append(v.members, valueMember{name: name, raw: quoteJSON(name), value: to})
}

// setFirst puts a member in the place of the one of its name, or first.
func (v *value) setFirst(name string, to *value) {
	for _, m := range v.members {
		if m.name == name {
			v.set(name, to)
			return
		}
	}
	v.members = append([]valueMember{{name: name, raw: quoteJSON(name), value: to}}, v.members...)
}

func (v *value) remove(name string) {
	for i, m := range v.members {
		if m.name == name {
			v.members = append(v.members[:i:i], v.members[i+1:]...)
			return
		}
	}
}

// quoteJSON spells a text as a JSON string. Characters that do not show are
// written as escapes, so that people see what is there.
func quoteJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		default:
			writeShown(&b, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escapeHidden writes the characters in the strings of a document on one line
// as escapes where they do not show.
func escapeHidden(s string) string {
	var b strings.Builder
	for _, r := range s {
		writeShown(&b, r)
	}
	return b.String()
}

func writeShown(b *strings.Builder, r rune) {
	switch {
	case unicode.IsPrint(r):
		b.WriteRune(r)
	case r > 0xFFFF:
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}
