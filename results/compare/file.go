package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// fileChange is what differs between two contents of a program's file.
func (c *comparer) fileChange(before, after string) (*FileChange, error) {
	var contents [2][]byte
	for i, sha := range []string{before, after} {
		var err error
		if contents[i], err = c.past.Content(sha); err != nil {
			return nil, err
		}
	}
	change := &FileChange{Before: before, After: after}
	if contents[0] == nil || contents[1] == nil {
		change.ContentUnknown = true
		return change, nil
	}
	old, errOld := readFile(contents[0])
	now, errNow := readFile(contents[1])
	if errOld != nil || errNow != nil {
		if change.TooLarge = max(len(contents[0]), len(contents[1])) > maxDiff; change.TooLarge {
			return change, nil
		}
		change.Lines, change.MoreLines = lineChanges(contents[0], contents[1])
		return change, nil
	}
	change.Fields = valueChanges(old.fields, now.fields)
	change.Steps = stepChanges(old.steps, now.steps)
	return change, nil
}

// file is a program's file as far as differences are concerned.
type file struct {
	steps  []fileStep
	fields map[string]string // what is not in the steps, by its place
}

// fileStep is a step of a file.
type fileStep struct {
	id     string
	text   string // compact JSON
	fields map[string]string
}

// readFile reads a program's file. It needs no more of the format than that
// there are steps with an id.
func readFile(content []byte) (file, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), &top); err != nil {
		return file{}, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(top["steps"], &raw); err != nil {
		return file{}, fmt.Errorf("steps: %w", err)
	}
	delete(top, "steps")
	f := file{fields: map[string]string{}}
	for name, value := range top {
		flatten(f.fields, name, value)
	}
	seen := map[string]int{}
	for _, text := range raw {
		s := fileStep{text: compact(text), fields: map[string]string{}}
		var head struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(text, &head) // a step without an id has the empty one
		s.id = head.ID
		if seen[s.id]++; seen[s.id] > 1 {
			s.id = fmt.Sprintf("%s (%d)", s.id, seen[s.id])
		}
		flatten(s.fields, "", text)
		delete(s.fields, "id")
		f.steps = append(f.steps, s)
	}
	return f, nil
}

// compact is JSON in one line.
func compact(text []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return string(text)
	}
	return b.String()
}

// flatten adds the values in a JSON text to a map by their places:
// "target.title". Lists are one value.
func flatten(into map[string]string, place string, text []byte) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err == nil && object != nil {
		for name, value := range object {
			at := name
			if place != "" {
				at = place + "." + name
			}
			flatten(into, at, value)
		}
		return
	}
	var s string
	if err := json.Unmarshal(text, &s); err == nil && string(bytes.TrimSpace(text)) != "null" {
		into[place] = "'" + s + "'"
		return
	}
	into[place] = compact(text)
}

// valueChanges lists what differs between two maps, by name.
func valueChanges(before, after map[string]string) []ValueChange {
	names := slices.Collect(maps.Keys(after))
	for name := range before {
		if _, both := after[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var list []ValueChange
	for _, name := range names {
		if before[name] != after[name] {
			list = append(list, ValueChange{Name: name, Before: before[name], After: after[name]})
		}
	}
	return list
}

// stepChanges lists the steps that differ, by id, in the order of the steps
// now; those that are gone stand where they were.
func stepChanges(before, after []fileStep) []StepChange {
	where := make(map[string]int, len(before))
	for i, s := range before {
		where[s.id] = i
	}
	stay := inOrder(after, where)
	here := make(map[string]bool, len(after))
	for _, s := range after {
		here[s.id] = true
	}
	var list []StepChange
	next := 0 // of the earlier steps, the first that was not passed yet
	gone := func(until int) {
		for ; next < until; next++ {
			s := before[next]
			if !here[s.id] {
				list = append(list, StepChange{How: StepRemoved, ID: s.id, Before: next, After: -1, Text: s.text})
			}
		}
	}
	for i, s := range after {
		at, known := where[s.id]
		if !known {
			list = append(list, StepChange{How: StepAdded, ID: s.id, Before: -1, After: i, Text: s.text})
			continue
		}
		if stay[s.id] {
			gone(at)
		}
		fields := valueChanges(before[at].fields, s.fields)
		switch {
		case len(fields) > 0:
			list = append(list, StepChange{How: StepChanged, ID: s.id, Before: at, After: i, Fields: fields})
		case !stay[s.id]:
			list = append(list, StepChange{How: StepMoved, ID: s.id, Before: at, After: i})
		}
	}
	gone(len(before))
	return list
}

// inOrder gives the longest list of steps that are in the same order as
// before: all others have moved.
func inOrder(after []fileStep, where map[string]int) map[string]bool {
	var places []int // of the steps that there were before, in the order of now
	var ids []string
	for _, s := range after {
		if at, known := where[s.id]; known {
			places, ids = append(places, at), append(ids, s.id)
		}
	}
	// Patience sorting: tails[n] is where the best list of n+1 steps ends.
	var tails []int
	prev := make([]int, len(places))
	for i, at := range places {
		n, _ := slices.BinarySearchFunc(tails, at, func(t, at int) int { return places[t] - at })
		prev[i] = -1
		if n > 0 {
			prev[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	stay := map[string]bool{}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
			stay[ids[i]] = true
		}
	}
	return stay
}
