package desktop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Record is a snapshot as files have it: each application's elements are a
// list in document order, every one with its depth. Tests find targets in
// records of real applications, and `learn inspect` shows them.
type Record struct {
	Apps   []AppRecord   `json:"apps"`
	Faults []FaultRecord `json:"faults,omitempty"`
}

// AppRecord is one application object.
type AppRecord struct {
	App AppInfo `json:"app"`
	// Elements begin with the application object itself, of depth 0.
	Elements []ElementRecord `json:"elements"`
}

// ElementRecord is an element. What is empty is left out.
type ElementRecord struct {
	// Depth is the number of elements above it.
	Depth int `json:"depth"`
	// Role is the toolkit's own name of the role; see CanonicalRole.
	Role        string `json:"role"`
	Name        string `json:"name,omitempty"`
	Identifier  string `json:"identifier,omitempty"`
	Value       string `json:"value,omitempty"`
	Text        string `json:"text,omitempty"`
	Description string `json:"description,omitempty"`
	// States are names, separated by spaces.
	States  string   `json:"states,omitempty"`
	Actions []string `json:"actions,omitempty"`
	// Bounds is absent where the place is unknown.
	Bounds *Rect `json:"bounds,omitempty"`
	NoRoom bool  `json:"no_room,omitempty"`
	// Ref may be absent where it is what counting siblings gives.
	Ref       string `json:"ref,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// FaultRecord is an application that could not be read.
type FaultRecord struct {
	App AppInfo `json:"app"`
	// Kind is "hung", "gone", "no tree", or "" for another error.
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message"`
	// AfterMS is how long a hung application was waited for, in milliseconds.
	AfterMS int64 `json:"after_ms,omitempty"`
}

// Record brings the snapshot into the form of files. The order of elements is
// that in which Element.Walk visits them.
func (s *Snapshot) Record() *Record {
	r := &Record{Apps: []AppRecord{}}
	for _, app := range s.Apps {
		a := AppRecord{App: app.Info}
		recordBelow(&a, app.Root, 0)
		r.Apps = append(r.Apps, a)
	}
	for _, fault := range s.Faults {
		r.Faults = append(r.Faults, recordFault(fault))
	}
	return r
}

func recordBelow(a *AppRecord, e *Element, depth int) {
	if e == nil {
		return
	}
	record := ElementRecord{
		Depth: depth, Role: e.RawRole, Name: e.Name, Identifier: e.Identifier, Value: e.Value, Text: e.Text,
		Description: e.Description, States: e.States.String(), Actions: e.Actions, NoRoom: e.NoRoom, Ref: e.Ref, Truncated: e.Truncated,
	}
	if e.BoundsKnown {
		record.Bounds = &e.Bounds
	}
	a.Elements = append(a.Elements, record)
	for _, c := range e.Children {
		recordBelow(a, c, depth+1)
	}
}

func recordFault(f AppFault) FaultRecord {
	r := FaultRecord{App: f.Info, Message: f.Err.Error()}
	var (
		hung   *HungError
		gone   *GoneError
		noTree *NoTreeError
	)
	switch {
	case errors.As(f.Err, &hung):
		r.Kind, r.AfterMS = "hung", hung.After.Milliseconds()
	case errors.As(f.Err, &gone):
		r.Kind = "gone"
	case errors.As(f.Err, &noTree):
		r.Kind = "no tree"
	}
	return r
}

// Snapshot gives the snapshot that was recorded, with everything filled.
func (r *Record) Snapshot() (*Snapshot, error) {
	s := &Snapshot{}
	for i := range r.Apps {
		root, err := r.Apps[i].tree()
		if err != nil {
			return nil, fmt.Errorf("app '%s': %w", r.Apps[i].App.Display(), err)
		}
		s.Apps = append(s.Apps, &AppTree{Info: r.Apps[i].App, Root: root})
	}
	for _, f := range r.Faults {
		s.Faults = append(s.Faults, AppFault{Info: f.App, Err: f.fault()})
	}
	return s, nil
}

func (f FaultRecord) fault() error {
	name := f.App.Display()
	switch f.Kind {
	case "hung":
		return &HungError{Name: name, After: time.Duration(f.AfterMS) * time.Millisecond}
	case "gone":
		return &GoneError{What: "app '" + name + "'"}
	case "no tree":
		return &NoTreeError{Name: name}
	}
	return errors.New(f.Message)
}

func (a *AppRecord) tree() (*Element, error) {
	var chain []*Element // from the root down to the last element
	siblings := counts{}
	for i, record := range a.Elements {
		if record.Depth < 0 || record.Depth > len(chain) || record.Depth == 0 && i > 0 {
			return nil, fmt.Errorf("element %d: nothing of depth %d is above it", i, record.Depth-1)
		}
		e, err := record.element()
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		e.App = &a.App
		chain = chain[:record.Depth]
		if record.Depth > 0 {
			e.Parent = chain[record.Depth-1]
			e.Parent.Children = append(e.Parent.Children, e)
			if e.Ref == "" {
				e.Ref = siblings.ref(e)
			}
		}
		switch {
		case record.Depth == 1:
			e.Window = e
		case record.Depth > 1:
			e.Window = e.Parent.Window
		}
		chain = append(chain, e)
	}
	if len(chain) == 0 {
		return nil, errors.New("no elements")
	}
	return chain[0], nil
}

// sibling is what children of one element are counted by.
type sibling struct {
	parent  *Element
	rawRole string
}

type counts map[sibling]int

// ref is the element's structural path, for elements in document order.
func (c counts) ref(e *Element) string {
	s := sibling{e.Parent, e.RawRole}
	step := fmt.Sprintf("%s[%d]", e.RawRole, c[s])
	c[s]++
	if e.Parent.Ref == "" {
		return step
	}
	return e.Parent.Ref + "/" + step
}

// DropRefs leaves out every ref that is what counting siblings gives.
func (r *Record) DropRefs() error {
	snap, err := r.Snapshot()
	if err != nil {
		return err
	}
	for i, app := range snap.Apps {
		elements, siblings, at := r.Apps[i].Elements, counts{}, 0
		app.Root.Walk(func(e *Element) bool {
			if e.Parent != nil && siblings.ref(e) == e.Ref {
				elements[at].Ref = ""
			}
			at++
			return true
		})
	}
	return nil
}

func (r ElementRecord) element() (*Element, error) {
	states, err := parseStates(r.States)
	if err != nil {
		return nil, err
	}
	e := &Element{
		Role: CanonicalRole(r.Role), RawRole: r.Role, Name: r.Name, Identifier: r.Identifier, Value: r.Value, Text: r.Text,
		Description: r.Description, States: states, Actions: r.Actions, NoRoom: r.NoRoom, Ref: r.Ref, Truncated: r.Truncated,
	}
	if r.Bounds != nil {
		e.Bounds, e.BoundsKnown = *r.Bounds, true
	}
	return e, nil
}

// Write writes the record, one element a line.
func (r *Record) Write(w io.Writer) error {
	return r.WriteEach(w, func(app, element int) any { return &r.Apps[app].Elements[element] })
}

// WriteEach writes the record with what line gives for each element in its
// place; nil leaves it out.
func (r *Record) WriteEach(w io.Writer, line func(app, element int) any) error {
	out := bufio.NewWriter(w)
	encode := func(v any) error {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			return err
		}
		_, err := out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
		return err
	}
	separate := func(i int) {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, `{"apps": [`)
	for i := range r.Apps {
		separate(i)
		fmt.Fprint(out, `{"app": `)
		if err := encode(r.Apps[i].App); err != nil {
			return err
		}
		fmt.Fprint(out, `, "elements": [`)
		written := 0
		for j := range r.Apps[i].Elements {
			v := line(i, j)
			if v == nil {
				continue
			}
			separate(written)
			written++
			if err := encode(v); err != nil {
				return err
			}
		}
		fmt.Fprint(out, "\n]}")
	}
	fmt.Fprint(out, "\n]")
	if len(r.Faults) > 0 {
		fmt.Fprint(out, ",\n", `"faults": `)
		if err := encode(r.Faults); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

// ReadRecord reads what Write wrote.
func ReadRecord(r io.Reader) (*Record, error) {
	var record Record
	if err := json.NewDecoder(r).Decode(&record); err != nil {
		return nil, err
	}
	return &record, nil
}

// stateNames are the states' names in files, by bit.
var stateNames = [...]string{
	"showing", "visible", "enabled", "sensitive", "focused", "focusable", "active", "checked", "selected", "editable",
	"expanded", "expandable", "modal", "defunct", "pressed", "has-popup", "password",
}

// String lists the states' names, separated by spaces.
func (s States) String() string {
	var names []string
	for i, name := range stateNames {
		if s.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func parseStates(s string) (States, error) {
	var states States
names:
	for _, word := range strings.Fields(s) {
		for i, name := range stateNames {
			if word == name {
				states |= 1 << i
				continue names
			}
		}
		return 0, fmt.Errorf("there is no state %q", word)
	}
	return states, nil
}
