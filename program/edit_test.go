package program

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const seedFile = `{
  "name": "export-report",
  "//": "do not touch: \u00e9 \/ é",
  "version": 1.0,
  "steps": [
    {"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"},
     "target": {"app": "Numbers"},
     "postcondition": {"kind": "app_frontmost", "value": "Numbers"}, "wait_ms": 5e2},
    {"_note": "by hand",   "id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export To"},
     "target": {"app": "Numbers"}, "wait_ms": 300},

    {"id": "s3", "tool": "ui", "params": {"action": "click"},
     "target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf"},
     "postcondition": {"kind": "window_title_contains", "value": "Export", "timeout_ms": 5000},
     "wait_ms": 300}
  ],
  "extra": [1.50, 1E3, {"b": 1, "a": 2}]
}`

const pretty = `{
  "version": 1,
  "steps": [
    {
      "id": "s1",
      "tool": "ui",
      "params": {
        "action": "press_key",
        "key": "s",
        "modifiers": [
          "ctrl"
        ]
      }
    },
    {
      "id": "s2",
      "tool": "wait"
    }
  ]
}
`

// TestEditChangesOnlyTheStep holds the file after an edit against the file
// before it, byte by byte: what the edit says is gone is gone, what it says is
// new is there, and nothing else differs.
func TestEditChangesOnlyTheStep(t *testing.T) {
	exported := `{"tool":"ui","params":{"action":"click"},"target":{"app":"Numbers","role":"button","title":"Export…"}}`
	for name, c := range map[string]struct {
		file    string
		edit    Edit
		id      string
		was, is string
	}{
		"the seed's patch": {seedFile, Edit{StepID: "s3", Step: []byte(exported)}, "s3",
			`"target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf"},
     "postcondition": {"kind": "window_title_contains", "value": "Export", "timeout_ms": 5000},
     "wait_ms": 300}`,
			`"target": {"app": "Numbers", "role": "button", "title": "Export…"}}`},
		"the order, numbers and texts of the new step are its own": {seedFile,
			Edit{Mode: Replace, StepID: "s1", Step: []byte("{ \"wait_ms\" : 1e2,\n\n\"note\":\"\\u00e9\\/\",\"tool\":\"wait\" ,\"x\":[1.0 , {}]}")}, "s1",
			`{"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"},
     "target": {"app": "Numbers"},
     "postcondition": {"kind": "app_frontmost", "value": "Numbers"}, "wait_ms": 5e2}`,
			`{"id": "s1", "wait_ms": 1e2, "note": "\u00e9\/", "tool": "wait", "x": [1.0, {}]}`},
		"insert before the first": {seedFile, Edit{Mode: InsertBefore, StepID: "s1", Step: []byte(`{"tool":"wait"}`)}, "s4",
			`    {"id": "s1", `, `    {"id": "s4", "tool": "wait"},
    {"id": "s1", `},
		"insert before": {seedFile, Edit{Mode: InsertBefore, StepID: "s2", Step: []byte(`{"tool":"wait","target":{"app":"Numbers"}}`)}, "s4",
			`    {"_note": "by`, `    {"id": "s4", "tool": "wait",
     "target": {"app": "Numbers"}},
    {"_note": "by`},
		"insert after": {seedFile, Edit{Mode: InsertAfter, StepID: "s2", Step: []byte(`{"tool":"wait","id":"between"}`)}, "between",
			`"wait_ms": 300},

    {"id": "s3"`, `"wait_ms": 300},

    {"tool": "wait", "id": "between"},

    {"id": "s3"`},
		"append": {seedFile, Edit{Step: []byte(`{"tool":"wait"}`)}, "s4",
			"     \"wait_ms\": 300}\n  ]", "     \"wait_ms\": 300},\n\n    {\"id\": \"s4\", \"tool\": \"wait\"}\n  ]"},
		"delete the first": {seedFile, Edit{Mode: Delete, StepID: "s1"}, "s1",
			`    {"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"},
     "target": {"app": "Numbers"},
     "postcondition": {"kind": "app_frontmost", "value": "Numbers"}, "wait_ms": 5e2},
    {"_note"`, `    {"_note"`},
		"delete the last": {pretty, Edit{Mode: Delete, StepID: "s2"}, "s2", `    },
    {
      "id": "s2",
      "tool": "wait"
    }
`, "    }\n"},
		"expanded as the step beside it": {pretty, Edit{Mode: InsertAfter, StepID: "s1", Step: []byte(`{"tool":"keyboard","params":{"action":"hotkey","keys":["ctrl","s"]},"note":{}}`)}, "",
			"", ""}, // refused: note is no object
		"expanded": {pretty, Edit{Mode: InsertAfter, StepID: "s1", Step: []byte(`{"tool":"keyboard","params":{"action":"hotkey","keys":["ctrl","s"]},"x":{},"y":[]}`)}, "s3",
			`    },
    {
      "id": "s2"`, `    },
    {
      "id": "s3",
      "tool": "keyboard",
      "params": {
        "action": "hotkey",
        "keys": [
          "ctrl",
          "s"
        ]
      },
      "x": {},
      "y": []
    },
    {
      "id": "s2"`},
		"compact":           {`{"version":1,"steps":[{"id":"s1","tool":"wait"}]}`, Edit{Step: []byte(`{ "tool" : "wait" }`)}, "s2", `"wait"}]`, `"wait"},{"id":"s2","tool":"wait"}]`},
		"on one line":       {`{"version": 1, "steps": [{ "id": "s1", "tool": "wait" }]}`, Edit{Step: []byte(`{"tool":"wait"}`)}, "s2", `"wait" }]`, `"wait" }, { "id": "s2", "tool": "wait" }]`},
		"a list of none":    {`{"version": 1, "steps": [ ]}`, Edit{Step: []byte(`{"tool":"wait"}`)}, "s1", `[ ]`, `[{"id": "s1", "tool": "wait"} ]`},
		"no line break":     {`{"version": 1, "steps": [{"id": "a", "tool": "wait"}]}`, Edit{StepID: "a", Step: []byte(`{"tool":"wait","wait_ms":1}`)}, "a", `"wait"}`, `"wait", "wait_ms": 1}`},
		"byte-order mark":   {"\xEF\xBB\xBF" + oneStep, Edit{Step: []byte(`{"tool":"wait"}`)}, "s2", `}]`, `}, {"id": "s2", "tool": "wait"}]`},
		"an escaped id":     {`{"version": 1, "steps": [{"id": "\u0073\u0031", "tool": "wait"}]}`, Edit{StepID: "s1", Step: []byte(`{"id":null,"tool":"wait","wait_ms":1}`)}, "s1", `"wait"}`, `"wait", "wait_ms": 1}`},
		"a broken step":     {`{"version": 1, "steps": [{"id": "s1", "tool": "oops"}]}`, Edit{StepID: "s1", Step: []byte(`{"tool":"wait"}`)}, "s1", `oops`, `wait`},
		"numbers in ids":    {`{"version": 1, "steps": [{"id": "s007", "tool": "wait"}, {"id": "s8x", "tool": "wait"}, {"id": "s99999999999999999999", "tool": "wait"}]}`, Edit{Step: []byte(`{"tool":"wait"}`)}, "s8", `}]`, `}, {"id": "s8", "tool": "wait"}]`},
		"members on lines":  {"{\"version\": 1, \"steps\": [{\n\t\"id\": \"s1\", \"tool\": \"wait\"\n}]}", Edit{StepID: "s1", Step: []byte(`{"tool":"wait","wait_ms":1}`)}, "s1", `"wait"`, `"wait", "wait_ms": 1`},
		"params on one":     {"{\"version\": 1, \"steps\": [\n\t{\n\t\t\"id\": \"s1\",\n\t\t\"tool\": \"wait\",\n\t\t\"params\": {\"ms\": 1}\n\t}]}", Edit{StepID: "s1", Step: []byte(`{"tool":"wait","params":{"ms":2}}`)}, "s1", `1}`, `2}`},
		"a space or more":   {`{"version": 1, "steps": [{"id" :"s1" ,"tool" :"wait"}]}`, Edit{Step: []byte(`{"tool":"wait"}`)}, "s2", `"wait"}`, `"wait"} ,{"id" :"s2" ,"tool" :"wait"}`},
		"a step as a title": {`{"version": 1, "steps": [{"id": "steps", "tool": "wait", "note": "]}"}]}`, Edit{Mode: InsertAfter, StepID: "steps", Step: []byte(`{"tool":"wait"}`)}, "s1", `"]}"}`, `"]}"}, {"id": "s1", "tool": "wait"}`},
	} {
		for ending, file := range map[string]string{"LF": c.file, "CRLF": strings.ReplaceAll(c.file, "\n", "\r\n")} {
			was, is := c.was, c.is
			if ending == "CRLF" {
				was, is = strings.ReplaceAll(was, "\n", "\r\n"), strings.ReplaceAll(is, "\n", "\r\n")
			}
			edited, err := c.edit.Apply("x", []byte(file))
			if c.id == "" {
				if err == nil {
					t.Errorf("%s: was accepted", name)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if strings.Count(file, was) != 1 {
				t.Fatalf("%s: the test's own text stands %d times in the file", name, strings.Count(file, was))
			}
			want := strings.Replace(file, was, is, 1)
			if string(edited.Data) != want || edited.StepID != c.id {
				t.Errorf("%s (%s): id %s\n%s\nwant id %s\n%s", name, ending, edited.StepID, edited.Data, c.id, want)
			}
		}
	}
}

func TestEditRefuses(t *testing.T) {
	bad := `{"version": 1, "steps": [
  {"id": "s1", "tool": "wait"},
  {"id": "s2", "tool": "oops"},
  {"id": "s3", "tool": "wait", "locked": true}
]}`
	wait := []byte(`{"tool": "wait"}`)
	many := `{"steps": [` + strings.TrimSuffix(strings.Repeat(`{"id": "x", "tool": "wait"},`, 30), ",") + `]}`
	for i := range 30 {
		many = strings.Replace(many, `"x"`, fmt.Sprintf(`"s%d"`, i), 1)
	}
	for name, c := range map[string]struct {
		file string
		edit Edit
		want string
	}{
		"mode":           {bad, Edit{Mode: "insert", StepID: "s1", Step: wait}, `mode "insert" is unknown (did you mean "insert_before"?)`},
		"other mode":     {bad, Edit{Mode: "zzz", StepID: "s1", Step: wait}, `mode "zzz" is unknown: use one of replace, insert_before, insert_after, append, delete`},
		"append at":      {bad, Edit{Mode: Append, StepID: "s1", Step: wait}, `append takes no step id: the new step comes last (insert_after puts it behind "s1")`},
		"no id":          {bad, Edit{Mode: Delete}, `delete needs the id of a step`},
		"no step":        {bad, Edit{StepID: "s1"}, `replace needs a step`},
		"step to delete": {bad, Edit{Mode: Delete, StepID: "s1", Step: wait}, `delete takes no step`},
		"unknown step":   {bad, Edit{StepID: "s9", Step: wait}, `there is no step "s9" (did you mean "s1"?)`},
		"other step":     {bad, Edit{StepID: "last", Step: wait}, `there is no step "last" (there is s1, s2, s3)`},
		"one of many":    {many, Edit{StepID: "last", Step: wait}, `there is no step "last" (there are s0, s1, s2, s3, s4, s5, s6, s7, s8, …, s29)`},
		"two of one id":  {strings.Replace(bad, "s2", "s1", 1), Edit{StepID: "s1", Step: wait}, `two steps have the id "s1" (at 2:3 and 3:3): give one of them another in the file`},
		"locked step":    {bad, Edit{StepID: "s3", Step: wait}, `step "s3" is locked: --unlock changes it all the same`},
		"locked program": {`{"locked": true, "steps": [{"id": "s1", "tool": "wait"}]}`, Edit{Step: wait}, `the program is locked: --unlock changes it all the same`},
		"another id":     {bad, Edit{StepID: "s1", Step: []byte(`{"id": "s4", "tool": "wait"}`)}, `the new step has the id "s4", but ids are never changed: leave it out, or give "s1"`},
		"taken id":       {bad, Edit{Step: []byte(`{"id": "s2", "tool": "wait"}`)}, `there is a step "s2" already: leave the id out to get the next free one, s4`},
		"no object":      {bad, Edit{StepID: "s1", Step: []byte("[]")}, "the step is not valid:\n  step:1:1: must be an object with tool and params, not a list"},
		"empty":          {bad, Edit{StepID: "s1", Step: []byte{}}, "the step is not valid:\n  step:1:1: the step is empty: a step is an object with tool and params"},
		"no JSON":        {bad, Edit{StepID: "s1", Step: []byte("{'tool': 5}")}, "the step is not valid:\n  step:1:2: the step is not JSON: strings stand in double quotes"},
		"half a step":    {bad, Edit{StepID: "s1", Step: []byte(`{"tool": `)}, "the step is not valid:\n  step:1:10: the step is not JSON: it ends in the middle of the step"},
		"two steps":      {bad, Edit{StepID: "s1", Step: []byte("{}\n{}")}, "the step is not valid:\n  step:2:1: something follows the step: give one step and nothing else"},
		"a key twice":    {bad, Edit{StepID: "s1", Step: []byte(`{"tool": "wait", "tool": "wait"}`)}, "the step is not valid:\n  step:1:18: tool stands twice in this object (first at 1:2): keep one"},
		"every problem of the new step, and of the rest where it stands": {bad, Edit{StepID: "s1", Step: []byte("{\"tool\": \"ui\", \"params\": {\"action\": \"clik\"},\n\n\"note\": 5}")},
			"the result is not valid:\n" +
				"  step s1: params.action \"clik\" is unknown (did you mean \"click\"?)\n" +
				"  step s1: note must be a string, not a number\n" +
				"  x:3:24: steps[1].tool \"oops\" is unknown: use one of app, clipboard, keyboard, mouse, script, ui, wait"},
		"two other steps of one id": {`{"version": 1, "steps": [{"id": "a", "tool": "wait"}, {"id": "b", "tool": "wait"}, {"id": "b", "tool": "wait"}]}`,
			Edit{Mode: InsertBefore, StepID: "a", Step: wait}, "the result is not valid:\n  x:1:91: steps[2].id \"b\" is the id of another step already (before it)"},
		"an id that is a number": {bad, Edit{Mode: InsertAfter, StepID: "s2", Step: []byte(`{"id": 4, "tool": "wait"}`)},
			"the result is not valid:\n  step: id must be a string, not a number\n  x:3:24: steps[1].tool \"oops\" is unknown: use one of app, clipboard, keyboard, mouse, script, ui, wait"},
		"the last step":  {oneStep, Edit{Mode: Delete, StepID: "s1"}, "the result is not valid:\n  x:1:25: steps is empty: a program needs at least one step"},
		"no program":     {`[]`, Edit{Step: wait}, "the program is not valid:\n  x:1:1: a program is an object with steps, not a list"},
		"no steps":       {`{"version": 1}`, Edit{Step: wait}, "the program is not valid:\n  x:1:1: steps is missing: a program needs at least one step"},
		"steps a number": {`{"steps": 5}`, Edit{Step: wait}, "the program is not valid:\n  x:1:11: steps must be a list of steps, not a number"},
		"not JSON":       {`{"steps": [`, Edit{Step: wait}, "the program is not valid:\n  x:1:12: the file is not JSON: it ends in the middle of the program"},
	} {
		edited, err := c.edit.Apply("x", []byte(c.file))
		if err == nil {
			t.Errorf("%s: was accepted:\n%s", name, edited.Data)
		} else if err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

func TestEditWarnsOfTheNewStep(t *testing.T) {
	edited, err := Edit{StepID: "s2", Step: []byte(`{"tool":"wait","nte":"x"}`)}.Apply("x", []byte(seedFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(edited.Warnings) != 1 || edited.Warnings[0].String() != `step s2: warning: nte is no field of the format and is ignored (did you mean "note"?)` {
		t.Errorf("%v", edited.Warnings)
	}
}

// FuzzEdit edits valid programs at random: the result loads, what is around
// the edit stays as it is to the byte, and so does every other step.
func FuzzEdit(f *testing.F) {
	archive, err := txtar.ParseFile(tableFile)
	if err != nil {
		f.Fatal(err)
	}
	newSteps := []string{
		`{"tool": "wait"}`, `{"id": "new", "tool": "wait", "params": {"ms": 1e1}, "//": [1, {"a": "\u00e9"}, []]}`,
		`{"tool":"ui","params":{"action":"click"},"target":{"app":"Numbers","role":"button","title":"Export…"}}`,
	}
	n := 0
	for _, file := range archive.Files {
		if filepath.Ext(file.Name) == ".json" {
			for i := range EditModes {
				f.Add(file.Data, uint8(i), uint16(n), []byte(newSteps[n%len(newSteps)]))
				n++
			}
		}
	}
	for i := range EditModes {
		f.Add([]byte(seedFile), uint8(i), uint16(i), []byte(newSteps[2]))
		f.Add([]byte(pretty), uint8(i), uint16(i), []byte(newSteps[1]))
		f.Add([]byte(strings.ReplaceAll(pretty, "\n", "\r\n")), uint8(i), uint16(i), []byte(newSteps[1]))
	}
	f.Fuzz(func(t *testing.T, data []byte, mode uint8, at uint16, step []byte) {
		before, _ := Parse("x", data)
		e := Edit{Mode: EditModes[int(mode)%len(EditModes)], Step: step}
		if e.Mode == Delete {
			e.Step = nil
		}
		index := 0
		if before != nil {
			index = int(at) % len(before.Steps)
			if e.Mode != Append {
				e.StepID = before.Steps[index].ID
			}
		}
		kept := bytes.Clone(data)
		edited, err := e.Apply("x", data)
		if !bytes.Equal(data, kept) {
			t.Fatal("the caller's bytes were changed")
		}
		if err != nil {
			var invalid *InvalidError
			if errors.As(err, &invalid) && (len(invalid.Problems) == 0 || !HasErrors(invalid.Problems)) {
				t.Fatalf("invalid, but why? %v", err)
			}
			return
		}
		if before == nil {
			return // the edit has mended it
		}
		checkEdited(t, before, edited, index)
	})
}

// checkEdited holds an edit of the step at index against what it promises.
func checkEdited(t *testing.T, before *Program, edited *Edited, index int) {
	t.Helper()
	after, problems := Parse("x", edited.Data)
	if after == nil {
		t.Fatalf("the result does not load: %v\n%s", problems, edited.Data)
	}
	want := make([][]byte, 0, len(before.Steps)+1)
	for _, s := range before.Steps {
		want = append(want, s.Raw)
	}
	place := index
	switch edited.Mode {
	case Replace:
		want[place] = nil
	case Append:
		place = len(want)
		want = append(want, nil)
	case InsertBefore:
		want = slices.Insert(want, place, nil)
	case InsertAfter:
		place++
		want = slices.Insert(want, place, nil)
	case Delete:
		place = -1
		want = slices.Delete(want, index, index+1)
	}
	if len(after.Steps) != len(want) {
		t.Fatalf("%d steps, want %d:\n%s", len(after.Steps), len(want), edited.Data)
	}
	for i, s := range after.Steps {
		if i != place && !bytes.Equal(s.Raw, want[i]) {
			t.Fatalf("step %d was changed: %s\nwas %s", i, s.Raw, want[i])
		}
		if i == place && s.ID != edited.StepID {
			t.Fatalf("the new step is %q, not %q", s.ID, edited.StepID)
		}
	}
	first, last := before.Steps[0], before.Steps[len(before.Steps)-1]
	head := before.Raw[:bytes.Index(before.Raw, first.Raw)]
	tail := before.Raw[bytes.LastIndex(before.Raw, last.Raw)+len(last.Raw):]
	if !bytes.HasPrefix(edited.Data, head) || !bytes.HasSuffix(edited.Data, tail) {
		t.Fatalf("what is around the steps was changed:\n%s\nwas\n%s", edited.Data, before.Raw)
	}
}
