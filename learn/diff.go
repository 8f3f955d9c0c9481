package learn

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opendesk/opendesk/program"
)

// Side says in which of two programs a step stands.
type Side string

// The sides of a step.
const (
	InBoth         Side = "both"
	OnlyInRecorded Side = "recorded"
	OnlyInProgram  Side = "program"
)

// StepDifference is a step of a program beside the step that the recording
// compiles to.
type StepDifference struct {
	Side Side
	// Recorded and Program are the two steps, nil on the side that has none.
	Recorded, Program *program.Step
	// Fields are what differs between the two.
	Fields []FieldDifference
}

// Same reports whether both programs have the step, and have it alike.
func (d StepDifference) Same() bool { return d.Side == InBoth && len(d.Fields) == 0 }

// FieldDifference is a field of a step as JSON, "" on the side that has none.
type FieldDifference struct {
	// Field is its path in the step (target.title).
	Field    string `json:"field"`
	Recorded string `json:"recorded,omitempty"`
	Program  string `json:"program,omitempty"`
}

// Diff compares a program with the one that its recording compiles to, step by
// step in their order. Ids do not count: what does the same thing to the same
// element is the same step, and in between those are the same that have the same
// id.
func Diff(recorded, own *program.Program) []StepDifference {
	a, b := recorded.Steps, own.Steps
	keysA, keysB := keysOf(a), keysOf(b)
	var out []StepDifference
	i, j := 0, 0
	for _, pair := range append(commonSteps(keysA, keysB), [2]int{len(a), len(b)}) {
		out = append(out, between(a[i:pair[0]], b[j:pair[1]])...)
		if pair[0] < len(a) {
			out = append(out, both(&a[pair[0]], &b[pair[1]]))
		}
		i, j = pair[0]+1, pair[1]+1
	}
	return out
}

// keysOf says of each step what it does to what.
func keysOf(steps []program.Step) []string {
	keys := make([]string, len(steps))
	for i, s := range steps {
		var key strings.Builder
		fields := fieldsOf(s)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if name == "tool" || strings.HasPrefix(name, "params.") || strings.HasPrefix(name, "target.") {
				key.WriteString(name + "=" + fields[name] + "\n")
			}
		}
		keys[i] = key.String()
	}
	return keys
}

// maxCompared bounds the product of the numbers of steps that are compared with
// each other: beyond it steps are the same if they have the same id.
const maxCompared = 4 << 20

// commonSteps is the longest sequence of pairs of equal keys, in their order.
func commonSteps(a, b []string) (pairs [][2]int) {
	if len(a)*len(b) > maxCompared {
		return nil
	}
	// length[i][j] is that of a[i:] and b[j:].
	length := make([][]int, len(a)+1)
	length[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		length[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// between pairs the steps of two stretches by their ids, in their order.
func between(a, b []program.Step) (out []StepDifference) {
	j := 0
	for i := range a {
		at := slices.IndexFunc(b[j:], func(s program.Step) bool { return s.ID == a[i].ID })
		if at < 0 {
			out = append(out, StepDifference{Side: OnlyInRecorded, Recorded: &a[i]})
			continue
		}
		for ; at > 0; at-- {
			out = append(out, StepDifference{Side: OnlyInProgram, Program: &b[j]})
			j++
		}
		out = append(out, both(&a[i], &b[j]))
		j++
	}
	for ; j < len(b); j++ {
		out = append(out, StepDifference{Side: OnlyInProgram, Program: &b[j]})
	}
	return out
}

// both compares two steps.
func both(a, b *program.Step) StepDifference {
	d := StepDifference{Side: InBoth, Recorded: a, Program: b}
	fa, fb := fieldsOf(*a), fieldsOf(*b)
	names := maps.Clone(fa)
	maps.Copy(names, fb)
	for _, name := range slices.SortedFunc(maps.Keys(names), byPlace) {
		if fa[name] != fb[name] {
			d.Fields = append(d.Fields, FieldDifference{name, fa[name], fb[name]})
		}
	}
	return d
}

// byPlace orders fields as steps have them.
func byPlace(a, b string) int {
	place := func(name string) int {
		top, _, _ := strings.Cut(name, ".")
		return slices.Index([]string{"tool", "params", "target", "postcondition", "resolve_timeout_ms", "wait_ms", "note"}, top)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// fieldsOf is what a step says, by the paths of its fields. What is as it would
// be without being said is left out.
func fieldsOf(s program.Step) map[string]string {
	fields := map[string]string{"tool": inJSON(s.Tool)}
	if s.Action != "" {
		fields["params.action"] = inJSON(s.Action)
	}
	for name, value := range s.Params {
		fields["params."+name] = inJSON(value)
	}
	if s.Target != nil {
		for name, value := range map[string]string{"app": s.Target.App, "role": s.Target.Role, "title": s.Target.Title,
			"identifier": s.Target.Identifier, "ref": s.Target.Ref} {
			if value != "" {
				fields["target."+name] = inJSON(value)
			}
		}
	}
	if p := s.Postcondition; p != nil {
		fields["postcondition.kind"] = inJSON(string(p.Kind))
		fields["postcondition.value"] = inJSON(p.Value)
		if p.Value == "" && p.Element != nil {
			fields["postcondition.value"] = inJSON(*p.Element)
		}
		if p.Timeout != program.DefaultCheckTimeout {
			fields["postcondition.timeout_ms"] = strconv.FormatInt(p.Timeout.Milliseconds(), 10)
		}
	}
	if s.ResolveTimeout != program.DefaultResolveTimeout {
		fields["resolve_timeout_ms"] = strconv.FormatInt(s.ResolveTimeout.Milliseconds(), 10)
	}
	if s.Wait != 0 {
		fields["wait_ms"] = strconv.FormatInt(s.Wait.Milliseconds(), 10)
	}
	if s.Note != "" {
		fields["note"] = inJSON(s.Note)
	}
	return fields
}

// inJSON is a value as JSON.
func inJSON(v any) string {
	text, err := marshal(v)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}
