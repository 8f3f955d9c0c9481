package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// splice is the one place of the file that an edit changes.
type splice struct {
	*steps
	mode EditMode
	at   int // the step that the edit is about, -1 where there is none
	// The bytes from start to end give way to text.
	start, end int
	text       string
	// index is the place of the new step in the list, -1 where there is none.
	index int
	id    string
}

// run plans the edit and gives the id of the step that it is about.
func (s *splice) run(step *value) (string, error) {
	if s.mode == Delete {
		s.delete()
		return s.id, nil
	}
	if err := s.identify(step); err != nil {
		return "", err
	}
	if s.at < 0 {
		s.index, s.start, s.end = 0, s.list.start+1, s.list.start+1
		s.text = oneLine.step(step)
		return s.id, nil
	}
	anchor := s.list.items[s.at]
	text := layoutOf(anchor, s.data).step(step)
	switch s.mode {
	case Replace:
		s.index, s.start, s.end, s.text = s.at, anchor.start, anchor.end, text
	case InsertBefore:
		s.index, s.start, s.end, s.text = s.at, anchor.start, anchor.start, text+s.gap(s.at-1)
	default:
		s.index, s.start, s.end, s.text = s.at+1, anchor.end, anchor.end, s.gap(s.at)+text
	}
	return s.id, nil
}

// delete takes a step out together with the comma beside it.
func (s *splice) delete() {
	items := s.list.items
	s.index, s.id = -1, idOf(items[s.at])
	s.start, s.end = items[s.at].start, items[s.at].end
	switch {
	case s.at > 0:
		s.start = items[s.at-1].end
	case len(items) > 1:
		s.end = items[1].start
	}
}

// identify sees to the id of the new step.
func (s *splice) identify(step *value) error {
	given := step.get("id")
	switch {
	case given != nil && given.kind != jsontext.KindString:
		return nil // the validation of the result says so
	case given != nil && s.mode == Replace && given.text() != idOf(s.list.items[s.at]):
		return fmt.Errorf("the new step has the id %s, but ids are never changed: leave it out, or give %s",
			quote(given.text()), quote(idOf(s.list.items[s.at])))
	case given != nil && s.mode != Replace && slices.Contains(s.ids(), given.text()):
		return fmt.Errorf("there is a step %s already: leave the id out to get the next free one, %s", quote(given.text()), nextID(s.ids()))
	case given != nil:
		s.id = given.text()
	case s.mode == Replace:
		old := s.list.items[s.at]
		s.id = idOf(old)
		step.setFirst("id", valueOf(old.get("id"), s.data))
	default:
		s.id = nextID(s.ids())
		step.setFirst("id", textValue(s.id))
	}
	return nil
}

// gap is what parts step i from the one behind it: as in the file, or as the
// steps beside it are parted.
func (s *splice) gap(i int) string {
	items := s.list.items
	between := func(i int) string { return string(s.data[items[i].end:items[i+1].start]) }
	switch {
	case i >= 0 && i+1 < len(items):
		return between(i)
	case i > 0:
		return between(i - 1)
	case len(items) > 1:
		return between(0)
	}
	before := string(s.data[s.list.start+1 : items[0].start])
	if strings.Contains(before, "\n") {
		return "," + before
	}
	return layoutOf(items[0], s.data).comma
}

// place puts problems of the result where people can look: those of the new
// step are told apart and located in it, those of the rest are located in the
// file as it is.
func (s *splice) place(problems []Problem, path string, out []byte) (own, others []Problem) {
	after := newSource(path, out)
	prefix := joinIndex("steps", s.index)
	for _, p := range problems {
		rest, isOwn := strings.CutPrefix(p.JSONPath, prefix)
		if isOwn && s.index >= 0 {
			p.File, p.Line, p.Column = strings.TrimSpace("step "+s.id), 0, 0
			p.JSONPath = strings.TrimPrefix(rest, ".")
			own = append(own, p)
			continue
		}
		if p.Line > 0 {
			offset := after.offset(p.Line, p.Column)
			if offset >= s.start+len(s.text) {
				offset += s.end - s.start - len(s.text)
			}
			p.Line, p.Column = s.src.position(offset)
		}
		p.JSONPath = s.pathBefore(p.JSONPath)
		others = append(others, p)
	}
	return own, others
}

// pathBefore is the path before the edit of what has this path after it.
func (s *splice) pathBefore(path string) string {
	rest, ok := strings.CutPrefix(path, "steps[")
	number, rest, closed := strings.Cut(rest, "]")
	i, err := strconv.Atoi(number)
	if !ok || !closed || err != nil {
		return path
	}
	switch {
	case s.mode == Delete && i >= s.at:
		i++
	case s.mode != Delete && s.mode != Replace && i > s.index:
		i--
	}
	return joinIndex("steps", i) + rest
}
