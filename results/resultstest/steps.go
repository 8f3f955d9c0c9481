package resultstest

import (
	"encoding/json"

	"github.com/opendesk/opendesk/results"
)

// ExportSteps are the three steps of the export-report program, all passed.
func ExportSteps() []results.Step {
	return []results.Step{
		{
			ID: "s1", Index: 0, Line: 7, Column: 5, Tool: "app", Action: "open", Summary: "open Numbers",
			Status: results.StepPassed, ActedBy: "launch",
			Timing: results.Timing{ActMS: 400, WaitMS: 500, CheckMS: 12, TotalMS: 912},
			Postcondition: &results.PostconditionResult{
				Kind: "app_frontmost", Value: "Numbers", TimeoutMS: 5000, Met: true, Checked: true,
				Means: results.MeansWindow, Observed: "focused window belongs to Numbers", Looks: 2,
			},
		},
		{
			ID: "s2", Index: 1, Line: 10, Column: 5, Tool: "ui", Action: "click_menu",
			Summary: "choose menu File > Export To in Numbers", Status: results.StepPassed, ActedBy: "native",
			Timing: results.Timing{ResolveMS: 31, ActMS: 60, WaitMS: 300, TotalMS: 391},
		},
		{
			ID: "s3", Index: 2, Line: 12, Column: 5, Tool: "ui", Action: "click",
			Summary: "click [AXButton] 'PDF' in Numbers", Status: results.StepPassed, ActedBy: "native",
			Timing: results.Timing{ResolveMS: 22, ActMS: 9, WaitMS: 300, CheckMS: 41, TotalMS: 372},
			Resolution: &results.Resolution{
				Means: results.MeansIdentifier, Matched: 2, Rule: "can be clicked",
				Element: results.ElementInfo{
					App: "Numbers", Window: "Report", Role: "push button", Title: "PDF", Identifier: "export-pdf",
					Ref: "frame[0]/panel[1]/push button[2]", Bounds: &results.Box{X: 40, Y: 60, Width: 80, Height: 30},
					Showing: true, Sensitive: true,
				},
			},
			Postcondition: &results.PostconditionResult{
				Kind: "window_title_contains", Value: "Export", TimeoutMS: 5000, Met: true, Checked: true,
				Means: results.MeansWindow, Observed: "window title is 'Export'", Looks: 1,
			},
		},
	}
}

// NotFoundReason is the reason of NotFoundSteps.
const NotFoundReason = "target not found after 5000 ms: no element matching [AXButton] 'PDF' in Numbers"

// NotFoundSteps are ExportSteps with a renamed button: s3 failed.
func NotFoundSteps(screenshot string) []results.Step {
	steps := ExportSteps()
	s3 := &steps[2]
	s3.Status = results.StepFailed
	s3.ActedBy, s3.Resolution = "", nil
	s3.Timing = results.Timing{ResolveMS: 5001, TotalMS: 5001}
	s3.Postcondition = &results.PostconditionResult{Kind: "window_title_contains", Value: "Export", TimeoutMS: 5000}
	s3.Artifacts = []results.Artifact{artifact("screenshot", screenshot)}
	s3.Failure = &results.Failure{
		Kind: results.TargetNotFound, Reason: NotFoundReason, Reached: "window",
		Details: []string{"the app has 1 window: 'Report'"},
		Candidates: []results.Candidate{{
			Element: results.ElementInfo{
				App: "Numbers", Window: "Report", Role: "push button", Title: "Save as PDF…", Showing: true, Sensitive: true,
			},
			Differs: []string{"title is 'Save as PDF…'", "identifier is ''"},
		}},
		Probes: Probes(true),
		SelfHeal: &results.SelfHeal{
			FailedStep: json.RawMessage(`{"id":"s3","tool":"ui","params":{"action":"click"}}`),
			Reason:     NotFoundReason, Screenshot: screenshot,
			RemainingSteps: []json.RawMessage{},
		},
	}
	return steps
}

// CrashSteps are ExportSteps up to s1; s2 was under way, s3 not reached.
func CrashSteps() []results.Step {
	steps := ExportSteps()
	for i := range steps[1:] {
		steps[i+1].Status = results.StepBlocked
	}
	return steps
}

// UnmetSteps are two steps, the second of which waited for a text in vain.
func UnmetSteps(screenshot string) []results.Step {
	steps := ExportSteps()[:1]
	return append(steps, results.Step{
		ID: "total", Index: 1, Line: 21, Column: 5, Tool: "keyboard", Action: "type", Summary: "type '6*7='",
		Status: results.StepFailed, ActedBy: "keyboard",
		Timing:    results.Timing{ActMS: 40, CheckMS: 5600, TotalMS: 5640},
		Artifacts: []results.Artifact{artifact("screenshot", screenshot)},
		Postcondition: &results.PostconditionResult{
			Kind: "text_visible", Value: "42", TimeoutMS: 5000, Checked: true,
			Observed: "not in the tree, not read from the screen", Looks: 21,
			OCR: &results.OCRResult{
				Text: "4Z", Distance: 1, Confidence: 71.5, Box: &results.Box{X: 10, Y: 20, Width: 30, Height: 14},
				DurationMS: 480, Area: "windows of Numbers",
			},
		},
		Failure: &results.Failure{
			Kind:   results.PostconditionNotMet,
			Reason: "postcondition text_visible='42' not met within 5000 ms (not in the tree, not read from the screen)",
			Probes: Probes(true),
		},
	})
}

// OCRSteps are two passed steps, the second of which found its text by OCR.
func OCRSteps() []results.Step {
	return []results.Step{
		{
			ID: "s1", Index: 0, Line: 5, Column: 5, Tool: "app", Action: "open", Summary: "open xterm",
			Status: results.StepPassed, ActedBy: "launch", Timing: results.Timing{ActMS: 210, CheckMS: 3, TotalMS: 213},
			Postcondition: &results.PostconditionResult{
				Kind: "app_frontmost", Value: "xterm", TimeoutMS: 5000, Met: true, Checked: true,
				Means: results.MeansWindow, Observed: "focused window belongs to xterm", Looks: 1,
			},
		},
		{
			ID: "s2", Index: 1, Line: 8, Column: 5, Tool: "keyboard", Action: "type", Summary: "type 'echo hello'",
			Status: results.StepPassed, ActedBy: "keyboard", Timing: results.Timing{ActMS: 80, CheckMS: 2390, TotalMS: 2470},
			Postcondition: &results.PostconditionResult{
				Kind: "text_visible", Value: "hello", TimeoutMS: 2000, Met: true, Checked: true,
				Means: results.MeansOCR, Observed: "read from the screen", Looks: 9,
				OCR: &results.OCRResult{
					Found: true, Text: "hello", Confidence: 93.25, Box: &results.Box{X: 4, Y: 21, Width: 60, Height: 13},
					DurationMS: 390, Area: "windows of xterm",
				},
			},
		},
	}
}

// Probes are the environment's answers; without all, the X server's is missing.
func Probes(all bool) []results.Probe {
	probes := []results.Probe{
		{Part: "X server", OK: true, DurationMS: 1},
		{Part: "window manager", OK: true, Detail: "Openbox", DurationMS: 2},
		{Part: "session bus", OK: true, DurationMS: 1},
		{Part: "accessibility bus", OK: true, DurationMS: 1},
		{Part: "registry", OK: true, DurationMS: 3},
	}
	if !all {
		probes[0] = results.Probe{Part: "X server", Detail: "no answer within 2000 ms", DurationMS: 2000}
	}
	return probes
}

func artifact(kind, name string) results.Artifact {
	media := "text/plain"
	if kind == "screenshot" {
		media = "image/png"
	}
	return results.Artifact{
		Name: name, Kind: kind, Size: 1234, MediaType: media,
		SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	}
}
