package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/step"
	"github.com/opendesk/opendesk/runner/wait"
)

// fail fills in why the step did not pass. Probes at this moment decide whose
// fault it is: if every part of the environment answers, it is the program's
// or the app's, otherwise the environment is broken. So it is where a part had
// not answered while the step was under way.
func (r *run) fail(ctx context.Context, s program.Step, result *results.Step, err error, watching *watch) {
	ctx = context.WithoutCancel(ctx) // an interrupt from here on is nobody's fault
	failure := r.explain(ctx, s, err)
	result.Status = results.StepFailed
	health := watching.correct(r.Desktop.Probe(ctx))
	failure.Probes = probes(health)
	switch fault := health.FirstFault(); {
	case fault != nil:
		broken(failure, results.EnvironmentFault, fmt.Sprintf("%s does not answer: %s", fault.Part, fault.Detail))
		result.Status = results.StepBroken
	case isEnvironment(err):
		broken(failure, results.EnvironmentFault, err.Error())
		result.Status = results.StepBroken
	case failure.Kind == results.OCRUnavailable, failure.Kind == results.InternalFault, failure.Kind == results.SandboxUnavailable:
		result.Status = results.StepBroken
	}
	failure.SelfHeal = r.selfHeal(ctx, s, result, failure.Reason)
	if result.Status == results.StepFailed {
		failure.SelfHeal.Patch = r.suggest(ctx, s, failure.Kind, err)
	}
	result.Failure = failure
}

// broken makes the failure the environment's; what the step saw stays as a detail.
func broken(f *results.Failure, kind results.FailureKind, reason string) {
	if f.Reason != reason {
		f.Details = append([]string{"seen by the step: " + f.Reason}, f.Details...)
	}
	f.Kind, f.Reason = kind, reason
}

func isEnvironment(err error) bool {
	var environment *desktop.EnvironmentError
	return errors.As(err, &environment)
}

// explain gives an error its kind, its sentence and its evidence.
func (r *run) explain(ctx context.Context, s program.Step, err error) *results.Failure {
	f := &results.Failure{Kind: results.InternalFault, Reason: err.Error()}
	var acted *step.Error
	var unmet *notMet
	switch {
	case errors.As(err, &acted):
		f.Kind, f.Reason, f.Details, f.Evidence = acted.Kind, acted.Reason, acted.Details, acted.Evidence
		if acted.Miss != nil {
			kind, details, candidates := resolve.Explain(acted.Miss, acted.Target)
			if f.Kind == results.TargetNotFound || kind == results.AppHung || kind == results.AppNoTree || kind == results.AppNotFound {
				f.Kind = kind
			}
			f.Details = append(f.Details, details...)
			f.Candidates, f.Reached = candidates, acted.Miss.Reached
			f.Lookup = resolve.Reach(acted.Miss, acted.Target)
		}
		if s.Tool != "script" { // its error says what it ran into
			r.appState(ctx, s, acted.Target.App, f)
		}
	case errors.As(err, &unmet):
		f.Kind = results.PostconditionNotMet
		if unmet.seen.Miss != nil {
			_, details, candidates := resolve.Explain(unmet.seen.Miss, *unmet.cond.Element)
			f.Details = append(f.Details, details...)
			f.Candidates, f.Reached = candidates, unmet.seen.Miss.Reached
			f.Lookup = resolve.Reach(unmet.seen.Miss, *unmet.cond.Element)
		}
		if !unmet.cond.Kind.OfScript() {
			r.appState(ctx, s, unmet.cond.App, f)
		}
	case ocrUnavailable(err):
		f.Kind = results.OCRUnavailable
	case isEnvironment(err):
		f.Kind = results.EnvironmentFault
	default:
		if f.Kind = appFault(err); f.Kind != results.InternalFault {
			r.appState(ctx, s, "", f)
		}
	}
	return f
}

// appFault is the kind of a desktop's error that no step gave one.
func appFault(err error) results.FailureKind {
	var hung *desktop.HungError
	var gone *desktop.GoneError
	var refused *desktop.NoActionError
	switch {
	case errors.As(err, &hung):
		return results.AppHung
	case errors.As(err, &gone):
		return results.AppDied
	case errors.As(err, &refused):
		return results.ActionRefused
	}
	return results.InternalFault
}

// cleanExit is how an app ends that was closed on purpose.
const cleanExit = "exit status 0"

// appOf is the app that the step is about, or "" for the one that was opened
// last: a step without an app acts on what has the focus.
func appOf(s program.Step) string {
	switch {
	case s.App() != "":
		return s.App()
	case s.Tool == "app":
		return s.Text("name")
	}
	return ""
}

// appState adds what has become of the step's app: that it died, hangs or
// publishes no tree explains most of what is then not found.
func (r *run) appState(ctx context.Context, s program.Step, app string, f *results.Failure) {
	if app == "" {
		app = appOf(s)
	}
	state, err := r.settledState(ctx, app)
	if err != nil || f.Kind == results.AppNotOpened {
		return
	}
	named := app != ""
	if !named {
		app = state.Name
	}
	lookup := named && f.Kind != results.PostconditionNotMet
	switch {
	case state.Closed:
		if lookup {
			f.Details = append(f.Details, fmt.Sprintf("app '%s' was closed by an earlier step", app))
		}
	case state.Exited != "":
		f.Details = append(f.Details, fmt.Sprintf("app '%s' has ended (%s)", app, state.Exited))
		if lookup && s.Tool != "app" || state.Exited != cleanExit {
			f.Kind = results.AppDied
		}
	case state.Hung:
		f.Details = append(f.Details, fmt.Sprintf("app '%s' does not answer", app))
		f.Kind = results.AppHung
	case named && state.Running && state.Windows > 0 && !state.HasTree:
		f.Details = append(f.Details, fmt.Sprintf("app '%s' shows a window but publishes no accessibility tree", app))
		if lookup && f.Kind != results.ActionRefused {
			f.Kind = results.AppNoTree
		}
	case named && state.Running && state.Windows == 0:
		f.Details = append(f.Details, fmt.Sprintf("app '%s' runs and shows no window", app))
	default:
		return
	}
	f.Details = unique(f.Details)
	if len(f.Evidence) == 0 {
		f.Evidence = state.Facts.Lines()
	}
}

// leavingTime is how long an application may be between having left the
// accessibility bus and having ended.
const leavingTime = time.Second

// settledState is the state of the app. One that shows a window and no tree may
// be about to end: it leaves the accessibility bus first. So it has a moment for
// that before it is said to have no tree.
func (r *run) settledState(ctx context.Context, app string) (state desktop.AppState, err error) {
	_, _, err = wait.Until(ctx, r.Desktop.Changes(), leavingTime, func(ctx context.Context) (bool, error) {
		state, err = r.Desktop.AppState(ctx, app)
		return !state.Running || state.Windows == 0 || state.HasTree || state.Hung, err
	})
	return state, err
}

func unique(lines []string) []string {
	seen := map[string]bool{}
	kept := lines[:0:0]
	for _, line := range lines {
		if !seen[line] {
			seen[line] = true
			kept = append(kept, line)
		}
	}
	return kept
}

func probes(health desktop.Health) []results.Probe {
	list := make([]results.Probe, 0, len(health))
	for _, p := range health {
		list = append(list, results.Probe{Part: string(p.Part), OK: p.OK, Detail: p.Detail, DurationMS: p.Millis})
	}
	return list
}

// screenshotTimeout bounds the picture of a failure: it must not hang a run
// whose X server has gone.
const screenshotTimeout = 5 * time.Second

// selfHeal collects what a repair needs.
func (r *run) selfHeal(ctx context.Context, s program.Step, result *results.Step, reason string) *results.SelfHeal {
	heal := &results.SelfHeal{FailedStep: s.Raw, Reason: reason, RemainingSteps: []json.RawMessage{}, Procedure: r.Procedure}
	for _, later := range r.Program.Steps[s.Index+1:] {
		heal.RemainingSteps = append(heal.RemainingSteps, later.Raw)
	}
	img, err := r.screenshot(ctx)
	var picture []byte
	if err == nil {
		picture, err = asPNG(img)
	}
	if err != nil {
		result.Notes = append(result.Notes, "no screenshot: "+strings.TrimSpace(err.Error()))
		return heal
	}
	r.shown = img
	r.saw("screenshot", s.ID, "")
	heal.Screenshot = r.save(result, "screenshot", fileName(*result)+".png", "image/png", picture)
	return heal
}

// screenshot is a picture of the screen with what is secret covered.
func (r *run) screenshot(ctx context.Context) (*image.RGBA, error) {
	taking, cancel := context.WithTimeout(ctx, screenshotTimeout)
	defer cancel()
	img, err := r.Desktop.Capture(taking, desktop.Rect{})
	if err != nil {
		return nil, err
	}
	if err := r.cover(ctx, img); err != nil {
		return nil, err
	}
	return img, nil
}

func asPNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
