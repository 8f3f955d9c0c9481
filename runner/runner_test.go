package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// exportReport is the format's own example.
const exportReport = `{
  "name": "export-report",
  "version": 1,
  "steps": [
    {"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"},
     "target": {"app": "Numbers"},
     "postcondition": {"kind": "app_frontmost", "value": "Numbers"}},
    {"id": "s2", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export To"},
     "target": {"app": "Numbers"}},
    {"id": "s3", "tool": "ui", "params": {"action": "click"}, "resolve_timeout_ms": 300,
     "target": {"app": "Numbers", "role": "AXButton", "title": "PDF", "identifier": "export-pdf"},
     "postcondition": {"kind": "window_title_contains", "value": "Export", "timeout_ms": 300}}
  ]
}`

// numbers is the application of the example, on a desktop where it can be
// opened. The PDF button appears when the menu's item is pressed.
type numbers struct {
	desktop *fake.Desktop
	app     *fake.App
	window  *fake.Window
	pdf     *fake.Node
	panel   []*fake.Node
}

func newNumbers() *numbers {
	n := &numbers{desktop: fake.New(1280, 800)}
	n.window = &fake.Window{Title: "Report.numbers", Bounds: desktop.Rect{X: 100, Y: 100, Width: 600, Height: 400}}
	n.pdf = &fake.Node{
		Role: "button", RawRole: "push button", Name: "PDF", Identifier: "export-pdf",
		Bounds: desktop.Rect{X: 150, Y: 200, Width: 80, Height: 30}, Actions: []string{"click"},
		OnPress: func() { n.window.Title = "Export" },
	}
	n.panel = []*fake.Node{n.pdf}
	exportTo := &fake.Node{
		Role: "menu item", Name: "Export To…", Without: desktop.Showing, Actions: []string{"click"},
		OnPress: func() { n.window.Nodes = append(n.window.Nodes, n.panel...) },
	}
	n.window.Nodes = []*fake.Node{{Role: "menu bar", Children: []*fake.Node{
		{Role: "menu", Name: "File", Actions: []string{"click"}, Children: []*fake.Node{exportTo}},
	}}}
	n.app = n.desktop.Install(&fake.App{Info: desktop.AppInfo{Name: "Numbers"}, Windows: []*fake.Window{n.window}})
	return n
}

// outcome is a run with what it told.
type outcome struct {
	results.Attempt
	warnings []string
	files    map[string][]byte
}

func (o outcome) step(id string) *results.Step {
	for i := range o.Steps {
		if o.Steps[i].ID == id {
			return &o.Steps[i]
		}
	}
	return &results.Step{}
}

func run(t *testing.T, d desktop.Desktop, source string, change ...func(*runner.Request)) outcome {
	t.Helper()
	p, problems := program.Parse("p.program.json", []byte(source))
	if p == nil {
		t.Fatalf("the test's program is invalid: %v", problems)
	}
	o := outcome{files: map[string][]byte{}}
	acc := results.NewAccumulator()
	apply := func(e results.Event) {
		if err := acc.Apply(e); err != nil {
			t.Errorf("the events do not follow each other: %v", err)
		}
	}
	apply(results.Event{Type: results.EventRunStarted, Run: &results.Run{}})
	apply(results.Event{Type: results.EventProgramStarted, Path: "p", Program: &results.Program{Path: "p"}})
	apply(results.Event{Type: results.EventAttemptStarted, Path: "p", AttemptNumber: 1, Attempt: &results.Attempt{Number: 1, Steps: runner.Plan(p.Steps, 1)}})
	request := runner.Request{
		Program: p, Desktop: d, Virtual: true,
		Emit: func(e results.Event) {
			if e.Warning != nil {
				o.warnings = append(o.warnings, fmt.Sprintf("%s %s", e.Warning.Kind, e.Warning.Step))
			}
			e.Path, e.AttemptNumber = "p", 1
			apply(e)
		},
		Save: func(kind, name, mediaType string, data []byte) (results.Artifact, error) {
			o.files[name] = data
			return results.Artifact{Name: name, Kind: kind, MediaType: mediaType}, nil
		},
	}
	for _, f := range change {
		f(&request)
	}
	o.Attempt = runner.Run(context.Background(), request)
	return o
}

func TestExportReport(t *testing.T) {
	o := run(t, newNumbers().desktop, exportReport)
	if o.Status != results.Passed {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
	s3 := o.step("s3")
	if s3.Resolution.Means != results.MeansIdentifier || s3.ActedBy != "native" || !s3.Postcondition.Met {
		t.Errorf("s3: %+v", s3)
	}
	if len(o.warnings) > 0 {
		t.Errorf("warnings: %v", o.warnings)
	}
}

func TestFailures(t *testing.T) {
	const notFound = "target not found after 300 ms: no element matching [AXButton] 'PDF' in Numbers"
	for _, test := range []struct {
		name   string
		change func(*numbers)
		step   string
		kind   results.FailureKind
		reason string
		also   string // in the details
	}{
		{"renamed and without identifier", func(n *numbers) { n.pdf.Name, n.pdf.Identifier = "Print", "" },
			"s3", results.TargetNotFound, notFound, ""},
		{"insensitive", func(n *numbers) { n.pdf.Without = desktop.Sensitive | desktop.Enabled },
			"s3", results.TargetInsensitive, notFound, "greyed out"},
		{"hidden", func(n *numbers) { n.pdf.Without = desktop.Visible | desktop.Showing },
			"s3", results.TargetHidden, notFound, "hidden"},
		{"the title never comes", func(n *numbers) { n.pdf.OnPress = nil },
			"s3", results.PostconditionNotMet,
			"postcondition window_title_contains='Export' not met within 300 ms (window title is 'Report.numbers')", ""},
		{"crashes on click", func(n *numbers) { n.pdf.OnPress = func() { n.desktop.Remove(n.app, "signal: aborted") } },
			"s3", results.AppDied,
			"postcondition window_title_contains='Export' not met within 300 ms (no window has the focus and a title)", "signal: aborted"},
		{"hangs on click", func(n *numbers) { n.pdf.OnPress = func() { n.app.Hung = true } },
			"s3", results.AppHung,
			"postcondition window_title_contains='Export' not met within 300 ms (window title is 'Report.numbers')", "does not answer"},
		{"hangs before the lookup", func(n *numbers) { n.app.Hung = true },
			"s2", results.AppHung, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := newNumbers()
			test.change(n)
			source := exportReport
			if test.step == "s2" {
				source = strings.Replace(source, `"menu_item": "Export To"}`, `"menu_item": "Export To"}, "resolve_timeout_ms": 300`, 1)
			}
			o := run(t, n.desktop, source)
			s := o.step(test.step)
			if o.Status != results.Failed || s.Status != results.StepFailed {
				t.Fatalf("%s: %s; %+v", o.Status, o.Reason, s)
			}
			f := s.Failure
			if f.Kind != test.kind {
				t.Errorf("kind %s, want %s; details %q", f.Kind, test.kind, f.Details)
			}
			if test.reason != "" && f.Reason != test.reason {
				t.Errorf("reason %q\nwant   %q", f.Reason, test.reason)
			}
			if test.also != "" && !strings.Contains(strings.Join(f.Details, "\n"), test.also) {
				t.Errorf("details %q lack %q", f.Details, test.also)
			}
			if len(f.Probes) != len(desktop.Parts) {
				t.Errorf("probes: %v", f.Probes)
			}
			if f.SelfHeal == nil || f.SelfHeal.Screenshot == "" || !json.Valid(f.SelfHeal.FailedStep) {
				t.Errorf("self-heal: %+v", f.SelfHeal)
			}
		})
	}
}

func TestRenamedButtonIsACandidate(t *testing.T) {
	n := newNumbers()
	n.pdf.Name = "PDF…"
	n.pdf.Identifier = ""
	n.pdf.RawRole, n.pdf.Role = "link", "link"
	f := run(t, n.desktop, exportReport).step("s3").Failure
	if f == nil || len(f.Candidates) == 0 {
		t.Fatalf("no candidates: %+v", f)
	}
	if c := f.Candidates[0]; c.Element.Title != "PDF…" || !strings.Contains(strings.Join(c.Differs, "; "), "role is 'link'") {
		t.Errorf("candidate: %+v", c)
	}
}

func TestWeakerMeansAreToldAndPass(t *testing.T) {
	n := newNumbers()
	n.pdf.Identifier = ""
	o := run(t, n.desktop, exportReport)
	if o.Status != results.Passed || o.step("s3").Resolution.Means != results.MeansExactTitle {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
	if fmt.Sprint(o.warnings) != "[weak s3]" {
		t.Errorf("warnings: %v", o.warnings)
	}
}

func TestLateElementIsWaitedFor(t *testing.T) {
	n := newNumbers()
	late := n.panel
	n.panel = nil
	n.desktop.On("Act", 1, func() {
		n.desktop.After(150*time.Millisecond, func() { n.window.Nodes = append(n.window.Nodes, late...) })
	})
	if o := run(t, n.desktop, exportReport); o.Status != results.Passed {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
}

// An application makes its widgets before it shows them: what is told of an
// element must not depend on which moment the look caught.
func TestElementThatIsAboutToShow(t *testing.T) {
	const source = `{"name": "p", "version": 1, "steps": [
	    {"id": "s1", "tool": "ui", "params": {"action": "click_menu", "menu": "File", "menu_item": "Export To"},
	     "target": {"app": "Numbers"},
	     "postcondition": {"kind": "element_exists", "value": {"role": "button", "title": "PDF"}, "timeout_ms": 3000}}]}`
	for name, change := range map[string]func(*numbers){
		"shown a moment later": func(n *numbers) {
			bounds := n.pdf.Bounds
			n.pdf.Without, n.pdf.Bounds = desktop.Showing, desktop.Rect{}
			n.desktop.On("Act", 1, func() {
				n.desktop.After(150*time.Millisecond, func() { n.pdf.Without, n.pdf.Bounds = 0, bounds })
			})
		},
		"gone before it shows": func(n *numbers) {
			n.pdf.Without, n.pdf.Bounds = desktop.Showing, desktop.Rect{}
			n.desktop.On("Act", 1, func() {
				n.desktop.After(150*time.Millisecond, func() { n.window.Nodes = n.window.Nodes[:1] })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNumbers()
			n.desktop.Add(n.app)
			change(n)
			o := run(t, n.desktop, source)
			if o.Status != results.Passed {
				t.Fatalf("%s: %s", o.Status, o.Reason)
			}
			want := "[]"
			if strings.HasPrefix(name, "gone") {
				want = "[weak s1]"
			}
			if fmt.Sprint(o.warnings) != want {
				t.Errorf("warnings: %v, want %s", o.warnings, want)
			}
		})
	}
}

// What an application told of a place may be over when the pointer comes there.
func TestElementThatMovesAsThePointerComes(t *testing.T) {
	for _, step := range []string{
		`{"id": "s1", "tool": "mouse", "params": {"action": "click"}, "target": {"app": "Numbers", "title": "PDF"}}`,
		`{"id": "s1", "tool": "mouse", "params": {"action": "double_click"}, "target": {"app": "Numbers", "title": "PDF"}}`,
	} {
		n := newNumbers()
		n.window.Nodes = append(n.window.Nodes, n.pdf)
		n.desktop.Add(n.app)
		clicks := 0
		n.pdf.OnPress = func() { clicks++ }
		n.desktop.On("Move", 1, func() { n.pdf.Bounds.Y += 150 })
		o := run(t, n.desktop, `{"name": "p", "version": 1, "steps": [`+step+`]}`)
		if o.Status != results.Passed || clicks == 0 {
			t.Errorf("%s: %s: %s, clicked %d times: %v", step, o.Status, o.Reason, clicks, n.desktop.Log())
		}
	}
}

// The deadline of a single call says nothing of whether an application hangs.
func TestBusyApplicationIsAskedAgain(t *testing.T) {
	const source = `{"name": "p", "version": 1, "steps": [
	    {"id": "s1", "tool": "mouse", "params": {"action": "click"}, "target": {"app": "Numbers", "title": "PDF"}},
	    {"id": "s2", "tool": "ui", "params": {"action": "press_key", "key": "a"}, "target": {"app": "Numbers", "title": "PDF"}}]}`
	busy := &desktop.HungError{Name: "Numbers", After: 800 * time.Millisecond}
	for _, method := range []string{"Fill", "SetFocus", "FocusedElement", "HitTest"} {
		n := newNumbers()
		n.window.Nodes = append(n.window.Nodes, n.pdf)
		n.desktop.Add(n.app)
		for nth := range 3 {
			n.desktop.FailNth(method, nth+1, busy)
		}
		if o := run(t, n.desktop, source); o.Status != results.Passed {
			t.Errorf("%s: %s: %s", method, o.Status, o.Reason)
		}
	}
	n := newNumbers()
	n.window.Nodes = append(n.window.Nodes, n.pdf)
	n.desktop.Add(n.app)
	n.desktop.FailNth("Fill", 0, busy)
	start := time.Now()
	o := run(t, n.desktop, source, func(r *runner.Request) { r.Scale = 0.1 })
	if f := o.step("s1").Failure; f == nil || f.Kind != results.AppHung || f.Reason != "app 'Numbers' did not answer within 800 ms" {
		t.Errorf("failure %+v", f)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("an application that hangs was waited for %v, again and again", took)
	}
}

func TestDuplicatesPreferTheUsableOne(t *testing.T) {
	n := newNumbers()
	dead := *n.pdf
	dead.Without, dead.OnPress = desktop.Sensitive|desktop.Enabled, nil
	n.panel = []*fake.Node{&dead, n.pdf}
	o := run(t, n.desktop, exportReport)
	if o.Status != results.Passed || o.step("s3").Resolution.Matched != 2 || o.step("s3").Resolution.Rule == "" {
		t.Fatalf("%s: %s, %+v", o.Status, o.Reason, o.step("s3").Resolution)
	}
}

// withoutWM is a desktop whose window manager has stopped.
type withoutWM struct{ *fake.Desktop }

func (d withoutWM) Probe(ctx context.Context) desktop.Health {
	d.Break(desktop.PartWindowManager, "no answer")
	return d.Desktop.Probe(ctx)
}

func TestBlameFollowsTheProbes(t *testing.T) {
	n := newNumbers()
	n.pdf.OnPress = nil
	o := run(t, withoutWM{n.desktop}, exportReport)
	s := o.step("s3")
	if o.Status != results.Broken || s.Status != results.StepBroken || s.Failure.Kind != results.EnvironmentFault {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
	if o.Reason != "window manager does not answer: no answer" || !strings.Contains(s.Failure.Details[0], "postcondition") {
		t.Errorf("reason %q, details %q", o.Reason, s.Failure.Details)
	}
}

func TestEnvironmentErrorsAreBroken(t *testing.T) {
	n := newNumbers()
	n.desktop.FailNth("FocusedWindow", 2, &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: errors.New("gone")})
	if o := run(t, n.desktop, exportReport); o.Status != results.Broken || o.step("s1").Status != results.StepBroken {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
}

func TestBlockedSteps(t *testing.T) {
	n := newNumbers()
	o := run(t, n.desktop, strings.Replace(exportReport, `"name": "Numbers"`, `"name": "Numbrs"`, 1))
	if o.Status != results.Failed || o.step("s1").Failure.Kind != results.AppNotFound {
		t.Fatalf("%s: %s", o.Status, o.Reason)
	}
	for _, id := range []string{"s2", "s3"} {
		if s := o.step(id); s.Status != results.StepBlocked || s.BlockedBy != "s1" {
			t.Errorf("%s: %s by %q", id, s.Status, s.BlockedBy)
		}
	}
	if got := len(o.step("s1").Failure.SelfHeal.RemainingSteps); got != 2 {
		t.Errorf("%d remaining steps", got)
	}
}

func TestVacuousAndUnchecked(t *testing.T) {
	n := newNumbers()
	o := run(t, n.desktop, `{"name":"v","version":1,"steps":[
	  {"id":"s1","tool":"app","params":{"action":"open","name":"Numbers"}},
	  {"id":"s2","tool":"wait","params":{"ms":1},"postcondition":{"kind":"app_frontmost","value":"numbers"}}]}`)
	if o.Status != results.Passed || !o.step("s2").Postcondition.Vacuous || fmt.Sprint(o.warnings) != "[vacuous s2]" {
		t.Fatalf("%s: %s %v", o.Status, o.Reason, o.warnings)
	}
	n = newNumbers()
	o = run(t, n.desktop, `{"name":"u","version":1,"steps":[
	  {"id":"s1","tool":"app","params":{"action":"open","name":"Numbers"}},
	  {"id":"s2","tool":"mouse","params":{"action":"click","x":10,"y":20}}]}`)
	if fmt.Sprint(o.warnings) != "[brittle s2 unchecked ]" {
		t.Errorf("warnings: %v", o.warnings)
	}
}

// What an earlier step may still be bringing about is not called vacuous: it
// would depend on who is faster.
func TestVacuousIsTheSameFromRunToRun(t *testing.T) {
	title := func(before string) string {
		return `{"name":"v","version":1,"steps":[
		  {"id":"s1","tool":"app","params":{"action":"open","name":"Numbers"},"postcondition":{"kind":"app_frontmost","value":"Numbers"}},
		  ` + before + `
		  {"id":"s3","tool":"wait","params":{"ms":1},"postcondition":{"kind":"window_title_contains","value":"Report"}}]}`
	}
	for _, row := range []struct {
		before string
		want   bool
	}{
		{``, true},
		{`{"id":"s2","tool":"ui","params":{"action":"get_tree"}},`, true},
		{`{"id":"s2","tool":"keyboard","params":{"action":"press","key":"a"}},`, false},
		{`{"id":"s2","tool":"keyboard","params":{"action":"press","key":"a"}}, {"id":"w","tool":"wait","params":{"ms":1}},`, false},
		{`{"id":"s2","tool":"app","params":{"action":"focus","name":"Numbers"}},`, false},
		{`{"id":"s2","tool":"keyboard","params":{"action":"press","key":"a"},"postcondition":{"kind":"app_frontmost","value":"Numbers"}},`, true},
	} {
		o := run(t, newNumbers().desktop, title(row.before))
		if o.Status != results.Passed || o.step("s3").Postcondition.Vacuous != row.want {
			t.Errorf("after %q: %s %s, vacuous %t", row.before, o.Status, o.Reason, o.step("s3").Postcondition.Vacuous)
		}
	}
}

// reader is OCR that reads a fixed text.
type reader struct {
	text  string
	err   error
	asked int
}

func (r *reader) Find(_ context.Context, img image.Image, phrase string) (ocr.Result, error) {
	r.asked++
	if r.err != nil {
		return ocr.Result{}, r.err
	}
	words := []ocr.Word{}
	for i, w := range strings.Fields(r.text) {
		words = append(words, ocr.Word{Text: w, Confidence: 90, Box: image.Rect(i*100, 0, i*100+80, 20).Add(img.Bounds().Min)})
	}
	return ocr.Result{Match: ocr.Find(words, phrase), Words: words, Text: r.text}, nil
}

const showsText = `{"name":"t","version":1,"steps":[
  {"id":"s1","tool":"app","params":{"action":"open","name":"Terminal"},"target":{"app":"Terminal"},
   "postcondition":{"kind":"text_visible","value":"Build finished","timeout_ms":50}}]}`

func terminal() *fake.Desktop {
	d := fake.New(800, 600)
	d.Install(&fake.App{Info: desktop.AppInfo{Name: "Terminal"}, NoTree: true, Windows: []*fake.Window{{
		Title: "sh", Bounds: desktop.Rect{X: 10, Y: 20, Width: 400, Height: 300}}}})
	return d
}

func TestTextByOCR(t *testing.T) {
	for _, test := range []struct {
		name   string
		reader *reader
		status results.Status
		kind   results.FailureKind
		says   string
	}{
		{"found", &reader{text: "Build finished today"}, results.Passed, "", ""},
		{"one letter differs", &reader{text: "Build finishes"}, results.Failed, results.PostconditionNotMet, "'Build finishes'"},
		{"nothing read", &reader{}, results.Failed, results.PostconditionNotMet, "windows of Terminal"},
		{"no language data", &reader{err: &ocr.UnavailableError{What: `tesseract language data "eng"`, Package: "tesseract-ocr-eng"}},
			results.Broken, results.OCRUnavailable, "apt-get install tesseract-ocr-eng"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := run(t, terminal(), showsText, func(r *runner.Request) { r.Reader = test.reader })
			s := o.step("s1")
			if o.Status != test.status || test.reader.asked != 1 {
				t.Fatalf("%s: %s (asked %d times)", o.Status, o.Reason, test.reader.asked)
			}
			if test.status == results.Passed {
				if s.Postcondition.Means != results.MeansOCR || !s.Postcondition.OCR.Found || s.Postcondition.OCR.Box.X < 10 {
					t.Errorf("%+v", s.Postcondition)
				}
				if fmt.Sprint(o.warnings) != "[weak s1]" {
					t.Errorf("warnings %v", o.warnings)
				}
				return
			}
			if s.Failure.Kind != test.kind || !strings.Contains(s.Failure.Reason, test.says) {
				t.Errorf("%s %q", s.Failure.Kind, s.Failure.Reason)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	n := newNumbers()
	ctx, cancel := context.WithCancel(context.Background())
	n.desktop.On("Act", 1, cancel)
	p, _ := program.Parse("p", []byte(exportReport))
	a := runner.Run(ctx, runner.Request{Program: p, Desktop: n.desktop})
	if a.Status != results.Skipped {
		t.Fatalf("%s: %s", a.Status, a.Reason)
	}
	for _, s := range a.Steps[1:] {
		if s.Status != results.StepBlocked {
			t.Errorf("%s is %s", s.ID, s.Status)
		}
	}
}
