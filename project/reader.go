package project

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// reader walks the tree of a YAML file and gathers what is wrong with it.
type reader struct {
	file     string
	problems []Problem
}

// fields are what a mapping may hold, by key.
type fields map[string]func(n ast.Node, path string)

func (r *reader) add(n ast.Node, path, format string, args ...any) {
	p := Problem{File: r.file, Path: path, Message: fmt.Sprintf(format, args...)}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		p.Line, p.Column = tk.Position.Line, tk.Position.Column
	}
	// The token of a mapping is the colon of its first entry.
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			p.Line, p.Column = place(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		p.Line, p.Column = place(m.Key)
	}
	r.problems = append(r.problems, p)
}

func place(n ast.Node) (line, column int) {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line, tk.Position.Column
	}
	return 0, 0
}

// sorted gives the problems in the order of the file.
func (r *reader) sorted() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.problems
}

// mapping reads a mapping of known keys.
func (r *reader) mapping(n ast.Node, path string, known fields) {
	names := slices.Sorted(maps.Keys(known))
	r.entries(n, path, func(key ast.Node, name string, value ast.Node, at string) {
		read, ok := known[name]
		if !ok {
			hint := meant(name, names)
			if hint == "" {
				hint = ": use " + strings.Join(names, ", ")
			}
			r.add(key, at, "is unknown%s", hint)
			return
		}
		read(value, at)
	})
}

// entries reads a mapping of any keys, each once. An entry without a value
// counts as absent, as does a mapping without entries.
func (r *reader) entries(n ast.Node, path string, each func(key ast.Node, name string, value ast.Node, path string)) {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	case *ast.NullNode, *ast.CommentGroupNode:
		return
	default:
		r.add(n, path, "must hold keys and values, not %s", kindName(n))
		return
	}
	first := map[string]ast.Node{}
	for _, v := range values {
		name, ok := keyName(v.Key)
		at := joinPath(path, name)
		if !ok {
			r.add(v.Key, path, "has a key that is no text: %s", v.Key.String())
			continue
		}
		if before, twice := first[name]; twice {
			line, column := place(before)
			r.add(v.Key, at, "stands twice (first at %d:%d): keep one", line, column)
			continue
		}
		first[name] = v.Key
		if v.Value == nil || v.Value.Type() == ast.NullType {
			continue
		}
		if kind := v.Value.Type(); kind == ast.AnchorType || kind == ast.AliasType || kind == ast.TagType {
			r.add(v.Value, at, "has an anchor, an alias or a tag: write the value itself")
			continue
		}
		each(v.Key, name, v.Value, at)
	}
}

func keyName(key ast.Node) (string, bool) {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return k.GetToken().Value, true
	default:
		return "", false
	}
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func joinIndex(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// text reads a string.
func (r *reader) text(n ast.Node, path string) (string, bool) {
	s, ok := stringOf(n)
	if !ok {
		r.add(n, path, "must be a text, not %s", kindName(n))
		return "", false
	}
	if strings.ContainsRune(s, 0) {
		r.add(n, path, "holds a NUL character")
		return "", false
	}
	return s, true
}

func stringOf(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	default:
		return "", false
	}
}

// texts reads a list of strings; ok is false where an entry is none.
func (r *reader) texts(n *ast.SequenceNode, path string) (texts []string, ok bool) {
	ok = true
	for i, v := range n.Values {
		s, isText := r.text(v, joinIndex(path, i))
		texts, ok = append(texts, s), ok && isText
	}
	return texts, ok
}

// scalar reads a string, number or boolean as the file spells it.
func (r *reader) scalar(n ast.Node, path string) (string, bool) {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	default:
		return r.text(n, path)
	}
}

// integer reads a whole number from 0 to limit.
func (r *reader) integer(n ast.Node, path string, limit int, to *int) {
	f, ok := r.number(n, path)
	if !ok {
		return
	}
	if _, isInteger := n.(*ast.IntegerNode); !isInteger || f < 0 || f > float64(limit) {
		r.add(n, path, "must be a whole number from 0 to %d, not %v", limit, f)
		return
	}
	*to = int(f)
}

// number reads a number.
func (r *reader) number(n ast.Node, path string) (float64, bool) {
	switch v := n.(type) {
	case *ast.IntegerNode:
		switch i := v.Value.(type) {
		case int64:
			return float64(i), true
		case uint64:
			return float64(i), true
		}
	case *ast.FloatNode:
		return v.Value, true
	}
	r.add(n, path, "must be a number, not %s", kindName(n))
	return 0, false
}

// kindName says what a value is, for messages.
func kindName(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode, *ast.FloatNode:
		return "a number"
	case *ast.InfinityNode, *ast.NanNode:
		return "infinity or NaN"
	case *ast.BoolNode:
		return "true or false"
	case *ast.NullNode:
		return "nothing"
	default:
		return "something else"
	}
}
