package program

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Header is what a program is given where its text is silent.
type Header struct {
	Name   string
	Source string
	// Description wins over the text's own where it is not "".
	Description string
}

// Composed is a program that was put together.
type Composed struct {
	// Data is the file, Program what it holds.
	Data    []byte
	Program *Program
	// Warnings are the loader's. Their File is "program", they have no line.
	Warnings []Problem
}

// standard is the layout of steps in files that are written anew.
var standard = layout{newline: "\n", indent: "    ", colon: ": ", comma: ", ",
	breaks: map[string]string{"target": "     ", "postcondition": "     "}}

// Compose makes the file of a program out of its text: a whole program, or
// nothing but the list of its steps. Name, version and source are added where
// they are missing, and steps without an id get the next free one. The file
// has the standard layout; the order of members, unknown fields and the
// spelling of numbers and texts are the text's own. A program that would not
// load is refused with an *InvalidError.
func Compose(path string, h Header, text []byte) (*Composed, error) {
	c := &collector{src: newSource("program", text)}
	c.src.words = words{noun: "program", thing: "program", hint: "give a list of steps, or an object with steps", alone: "give one program and nothing else"}
	root := readDocument(c)
	var prog *value
	switch {
	case root == nil:
	case root.kind == jsontext.KindBeginArray:
		prog = &value{kind: jsontext.KindBeginObject}
		prog.set("steps", valueOf(root, text))
	case root.kind == jsontext.KindBeginObject:
		prog = valueOf(root, text)
	default:
		c.add(CodeNotAnObject, root.start, "", "must be a list of steps, or an object with steps, not %s", root.kindName())
	}
	if c.errors > 0 {
		return nil, &InvalidError{What: "the program", Problems: c.sorted()}
	}
	prog.complete(h)
	data := prog.file()
	parsed, problems := parseResult(path, data)
	for i := range problems {
		problems[i].File, problems[i].Line, problems[i].Column = "program", 0, 0
	}
	if parsed == nil {
		return nil, &InvalidError{What: "the program", Problems: onlyErrors(problems)}
	}
	return &Composed{Data: data, Program: parsed, Warnings: problems}, nil
}

// complete adds what is missing, in the order in which documents have it.
func (v *value) complete(h Header) {
	var first []valueMember
	add := func(name string, to *value) {
		if v.get(name) == nil {
			v.remove(name) // null
			first = append(first, valueMember{name: name, raw: quoteJSON(name), value: to})
		}
	}
	add("name", textValue(h.Name))
	add("version", &value{kind: jsontext.KindNumber, raw: strconv.Itoa(Version)})
	if h.Description != "" {
		if v.get("description") != nil {
			v.set("description", textValue(h.Description))
		} else {
			add("description", textValue(h.Description))
		}
	}
	add("source", textValue(h.Source))
	v.members = append(first, v.members...)
	list := v.get("steps")
	if list == nil {
		return
	}
	ids := make([]string, 0, len(list.items))
	for _, step := range list.items {
		if id := step.get("id"); id != nil {
			ids = append(ids, id.text())
		}
	}
	n := highestID(ids)
	for _, step := range list.items {
		if step.kind == jsontext.KindBeginObject && step.get("id") == nil {
			n++
			step.setFirst("id", textValue(numberedID(n)))
		}
	}
}

// file writes a program in the standard layout.
func (v *value) file() []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range v.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + m.raw + ": ")
		if m.name != "steps" || len(m.value.items) == 0 {
			standard.inline(&b, m.value)
			continue
		}
		b.WriteByte('[')
		for j, step := range m.value.items {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n    " + standard.step(step))
		}
		b.WriteString("\n  ]")
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}
