package runner_test

import (
	"context"
	"fmt"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

// The Python example of compiled replay runs a task by its name and, where that
// fails, takes what is needed to mend it from the result. Here is the same in
// Go. On a real display, the desktop is one that desktop/linux has opened.
func ExampleRun() {
	const source = `{"name": "export-report", "version": 1, "steps": [
	  {"id": "s1", "tool": "app", "params": {"action": "open", "name": "Numbers"},
	   "postcondition": {"kind": "app_frontmost", "value": "Numbers"}},
	  {"id": "s2", "tool": "ui", "params": {"action": "click"}, "resolve_timeout_ms": 250,
	   "target": {"app": "Numbers", "role": "AXButton", "title": "PDF"}},
	  {"id": "s3", "tool": "wait", "postcondition": {"kind": "window_title_contains", "value": "Export"}}]}`
	export, problems := program.Parse(".opendesk/learned/export-report.program.json", []byte(source))
	if export == nil {
		fmt.Println(problems)
		return
	}
	computer := fake.New(1280, 800)
	computer.Install(&fake.App{Info: desktop.AppInfo{Name: "Numbers"}, Windows: []*fake.Window{{
		Title: "Report.numbers", Bounds: desktop.Rect{Width: 600, Height: 400},
		Nodes: []*fake.Node{{Role: "button", Name: "P.D.F.", Actions: []string{"click"}, Bounds: desktop.Rect{X: 10, Y: 10, Width: 80, Height: 30}}},
	}}})

	attempt := runner.Run(context.Background(), runner.Request{
		Program: export, Desktop: computer, Virtual: true,
		Procedure: []byte(`{"task_name": "export-report", "steps": ["Open Numbers", "Press PDF"]}`),
		Save: func(kind, name, mediaType string, data []byte) (results.Artifact, error) {
			return results.Artifact{Kind: kind, Name: name, MediaType: mediaType, Size: int64(len(data))}, nil
		},
	})
	for _, step := range attempt.Steps {
		if step.Failure == nil { // no self-heal needed
			continue
		}
		heal := step.Failure.SelfHeal
		fmt.Println("failed step:", step.ID)
		fmt.Println("reason:", heal.Reason)
		fmt.Println("remaining steps:", len(heal.RemainingSteps))
		fmt.Println("procedure:", string(heal.Procedure))
		fmt.Println("screenshot:", heal.Screenshot)
		fmt.Println(heal.Patch)
	}
	// Output:
	// failed step: s2
	// reason: target not found after 250 ms: no element matching [AXButton] 'PDF' in Numbers
	// remaining steps: 1
	// procedure: {"task_name": "export-report", "steps": ["Open Numbers", "Press PDF"]}
	// screenshot: s2.png
	// opendesk learn patch export-report --step-id=s2 '{"id": "s2", "tool": "ui", "params": {"action": "click"}, "resolve_timeout_ms": 250, "target": {"app": "Numbers", "role": "AXButton", "title": "P.D.F."}}'
}
