package program

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of the JSON document, against files made to exhaust the reader.
const (
	maxDepth  = 100
	maxValues = 1_000_000
)

// node is one value of a JSON document with its place in the file.
type node struct {
	kind       jsontext.Kind // one of n f t " 0 { [
	start, end int           // byte offsets
	text       string        // of a string, decoded
	number     float64       // ±Inf beyond the range of a float64
	members    []member      // of an object, without duplicates
	items      []*node       // of a list
}

type member struct {
	name       string
	start, end int // byte offsets of the name with its quotes
	value      *node
}

// kindName says what a value is, for messages.
func (n *node) kindName() string {
	switch n.kind {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "a boolean"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	default:
		return "a list"
	}
}

// get finds a member; null counts as absent.
func (n *node) get(name string) *node {
	for i := range n.members {
		if n.members[i].name == name {
			if n.members[i].value.kind == jsontext.KindNull {
				return nil
			}
			return n.members[i].value
		}
	}
	return nil
}

// treeReader builds the tree of one document.
type treeReader struct {
	*collector
	data   []byte
	base   int // where data begins in the file
	dec    *jsontext.Decoder
	values int
	way    []hop // the names and indexes that lead to the value being read
}

// hop is one part of the way from the root to a value.
type hop struct {
	name  string
	index int // -1 for a name
}

// errStop ends the reading after a problem that was noted already.
var errStop = errors.New("stop")

// readDocument reads the tree of a document of bearable size in UTF-8, nil
// where it is none; the problems say why.
func readDocument(c *collector) *node {
	if len(c.src.data) > MaxFileBytes {
		c.add(CodeTooLarge, 0, "", "the %s has more than %d MiB", c.src.words.noun, MaxFileBytes>>20)
		return nil
	}
	if !utf8.Valid(c.src.data) {
		c.notUTF8()
		return nil
	}
	return readTree(c)
}

// notUTF8 locates the first byte that is no part of UTF-8.
func (c *collector) notUTF8() {
	data, at := c.src.data, 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	hint := "save it as UTF-8"
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		hint = "it looks like UTF-16; " + hint
	}
	c.add(CodeNotUTF8, at, "", "the %s is not UTF-8 (byte 0x%02X at offset %d): %s", c.src.words.noun, data[at], at, hint)
}

// readTree reads the one JSON value in the file. It gives nil where the
// document cannot be read to its end; the problems say why.
func readTree(c *collector) *node {
	base := bomLength(c.src.data)
	data := c.src.data[base:]
	if len(bytes.TrimLeft(data, whiteSpace)) == 0 {
		c.add(CodeEmptyFile, len(c.src.data), "", "the %s is empty: %s", c.src.words.noun, c.src.words.hint)
		return nil
	}
	r := &treeReader{collector: c, data: data, base: base,
		dec: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))}
	root, err := r.value()
	if err != nil {
		if !errors.Is(err, errStop) {
			r.syntax(err)
		}
		return nil
	}
	rest := bytes.TrimLeft(c.src.data[root.end:], whiteSpace)
	if len(rest) > 0 {
		c.add(CodeTrailingData, len(c.src.data)-len(rest), "", "something follows the %s: %s", c.src.words.thing, c.src.words.alone)
	}
	return root
}

// whiteSpace is what JSON allows between values.
const whiteSpace = " \t\r\n"

// token reads a token and says where it begins and ends in the file.
func (r *treeReader) token() (tok jsontext.Token, start, end int, err error) {
	start = int(r.dec.InputOffset())
	if tok, err = r.dec.ReadToken(); err != nil {
		return tok, 0, 0, err
	}
	for start < len(r.data) && strings.IndexByte(whiteSpace+",:", r.data[start]) >= 0 {
		start++
	}
	return tok, r.base + start, r.base + int(r.dec.InputOffset()), nil
}

func (r *treeReader) value() (*node, error) {
	tok, start, end, err := r.token()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > maxValues {
		r.add(CodeTooManyValues, start, "", "the %s holds more than %d values", r.src.words.noun, maxValues)
		return nil, errStop
	}
	n := &node{kind: tok.Kind(), start: start, end: end}
	switch n.kind {
	case jsontext.KindString:
		n.text = tok.String()
	case jsontext.KindNumber:
		// Beyond the range of float64 the value is ±Inf, which no bound admits.
		n.number, _ = strconv.ParseFloat(string(r.src.data[start:end]), 64)
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		if len(r.way) >= maxDepth {
			r.add(CodeTooDeep, start, "", "objects and lists are nested deeper than %d levels", maxDepth)
			return nil, errStop
		}
		if n.kind == jsontext.KindBeginObject {
			err = r.object(n)
		} else {
			err = r.list(n)
		}
	}
	return n, err
}

func (r *treeReader) object(n *node) error {
	seen := map[string]int{}
	for r.dec.PeekKind() != jsontext.KindEndObject {
		tok, start, end, err := r.token()
		if err != nil {
			return err
		}
		name := tok.String()
		r.way = append(r.way, hop{name: name, index: -1})
		value, err := r.value()
		if err != nil {
			return err
		}
		if first, twice := seen[name]; twice {
			line, column := r.src.position(first)
			r.add(CodeDuplicateKey, start, r.path(), "stands twice in this object (first at %d:%d): keep one", line, column)
		} else {
			seen[name] = start
			n.members = append(n.members, member{name: name, start: start, end: end, value: value})
		}
		r.way = r.way[:len(r.way)-1]
	}
	return r.closing(n)
}

func (r *treeReader) list(n *node) error {
	for r.dec.PeekKind() != jsontext.KindEndArray {
		r.way = append(r.way, hop{index: len(n.items)})
		item, err := r.value()
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
		r.way = r.way[:len(r.way)-1]
	}
	return r.closing(n)
}

// path is the JSON path of the value being read.
func (r *treeReader) path() string {
	path := ""
	for _, h := range r.way {
		if h.index >= 0 {
			path = joinIndex(path, h.index)
		} else {
			path = joinPath(path, h.name)
		}
	}
	return path
}

func (r *treeReader) closing(n *node) error {
	_, _, end, err := r.token()
	n.end = end
	return err
}

// syntax notes what is wrong with the JSON, in words where the mistake is a
// usual one.
func (r *treeReader) syntax(err error) {
	offset, reason := len(r.data), err.Error()
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset = min(int(syntactic.ByteOffset), len(r.data))
		reason = syntactic.Err.Error()
	}
	rest := r.data[offset:]
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		reason = "it ends in the middle of the " + r.src.words.thing
		offset = len(r.data)
	case bytes.HasPrefix(rest, []byte(",")) && bytes.IndexAny(bytes.TrimLeft(rest[1:], whiteSpace), "}]") == 0:
		reason = "a comma stands before the closing bracket: remove it"
	case bytes.HasPrefix(rest, []byte("/")) || bytes.HasPrefix(rest, []byte("#")):
		reason = "JSON has no comments: remove it, or use the field note"
	case bytes.HasPrefix(rest, []byte("NaN")), bytes.HasPrefix(rest, []byte("Infinity")), bytes.HasPrefix(rest, []byte("-Infinity")):
		reason = "NaN and Infinity are no JSON numbers"
	case bytes.HasPrefix(rest, []byte("'")):
		reason = "strings stand in double quotes"
	case len(rest) > 0 && rest[0] < ' ' && strings.Contains(reason, "in string"):
		reason = `a string goes on beyond its line or holds a control character: close it, or write \n for a line break`
	case strings.HasPrefix(reason, "invalid surrogate pair"):
		reason = `a \u escape is half of a character: characters beyond \uFFFF need two`
	}
	r.add(CodeSyntax, r.base+offset, "", "the %s is not JSON: %s", r.src.words.noun, reason)
}
