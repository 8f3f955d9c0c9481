package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/check"
	"github.com/opendesk/opendesk/runner/resolve"
	"github.com/opendesk/opendesk/runner/step"
	"github.com/opendesk/opendesk/runner/wait"
)

// step runs one step: action, pause, check. Its result is passed, failed or
// broken, or blocked where ctx ended.
func (r *run) step(ctx context.Context, s program.Step, planned results.Step) (result results.Step) {
	result = planned
	start := r.Now()
	result.StartedAt = start.UTC()
	result.Status = results.StepPassed
	defer func() { result.Timing.TotalMS = r.Now().Sub(start).Milliseconds() }()

	// What is done and looked for has the variables' values, what is told of it
	// has their names.
	real := r.expand(s)
	watching := r.watch(ctx)
	defer watching.end()
	if s.Postcondition != nil && !s.Postcondition.Kind.OfScript() {
		result.Postcondition.Vacuous = r.holdsAlready(ctx, real)
	}
	acting := time.Now()
	out, err := step.Perform(ctx, &r.env, real)
	result.Timing.ResolveMS = out.Resolve.Milliseconds()
	result.Timing.ActMS = (time.Since(acting) - out.Resolve).Milliseconds()
	result.ActedBy, result.Value, result.Notes = out.ActedBy, out.Value, out.Notes
	r.script(&result, real, out)
	r.audit(s, out, err)
	if out.Found != nil {
		result.Resolution = resolution(out.Found)
	}
	if err == nil {
		waiting := time.Now()
		err = wait.Pause(ctx, s.Wait)
		result.Timing.WaitMS = time.Since(waiting).Milliseconds()
	}
	if err == nil && s.Postcondition != nil {
		checking := time.Now()
		cond := check.Of(real)
		cond.Script = out.Script
		err = r.check(ctx, cond, *s.Postcondition, &result)
		result.Timing.CheckMS = time.Since(checking).Milliseconds()
	}
	switch {
	case err == nil:
		r.remarkOn(s, &result, out)
	case ctx.Err() != nil:
		result.Status = results.StepBlocked
		result.Notes = append(result.Notes, interrupted)
	default:
		r.fail(ctx, s, &result, err, watching)
	}
	return result
}

// expand puts the values of variables into the step.
func (r *run) expand(s program.Step) program.Step {
	s, secret := r.Secrets.Expand(s)
	if r.screened != nil {
		r.screened.begin(secret)
	}
	return s
}

// notMet is a postcondition that did not hold within its time.
type notMet struct {
	cond    check.Condition
	written program.Postcondition // as the program has it
	timeout time.Duration
	seen    check.Observation
}

// Error is the format's sentence.
func (e *notMet) Error() string {
	if e.cond.Kind.OfScript() {
		return fmt.Sprintf("postcondition %s not met (%s)", e.written, e.seen.Observed)
	}
	return fmt.Sprintf("postcondition %s not met within %d ms (%s)", e.written, e.timeout.Milliseconds(), e.seen.Observed)
}

// check waits for the condition to hold; at the deadline of text_visible, OCR
// looks once.
func (r *run) check(ctx context.Context, cond check.Condition, written program.Postcondition, result *results.Step) error {
	pc := result.Postcondition
	timeout := scaled(cond.Timeout, r.Scale)
	seen, held, waited, err := r.await(ctx, cond, timeout)
	pc.Looks, pc.Checked = waited.Looks, err == nil
	pc.Met, pc.Means, pc.Observed = held, seen.Means, seen.Observed
	if seen.Found != nil {
		element := resolve.Info(seen.Found.Element)
		pc.Element, pc.Matched, pc.Rule = &element, seen.Found.Matched, seen.Found.Rule
	}
	if held || err != nil {
		return err
	}
	failure := &notMet{cond: cond, written: written, timeout: timeout, seen: seen}
	if cond.Kind != program.TextVisible {
		return failure
	}
	reading, err := r.checker.ReadText(ctx, cond)
	if err != nil {
		pc.Checked = false
		return err
	}
	reading.OCRResult.Text, reading.Text = r.Secrets.MaskRead(reading.OCRResult.Text), r.Secrets.MaskRead(reading.Text)
	r.recordReading(reading, result)
	if reading.Found {
		pc.Met, pc.Means, pc.Observed = true, results.MeansOCR, ""
		return nil
	}
	failure.seen.Observed += "; " + ocrSaw(reading)
	pc.Observed = failure.seen.Observed
	return failure
}

// shapingTime is how long an element that exists may take until it is on the
// screen: an application makes its widgets before it shows them, and what is
// told of the element must not depend on which moment the look caught.
const shapingTime = time.Second

// await looks until the condition holds or the timeout is over.
func (r *run) await(ctx context.Context, cond check.Condition, timeout time.Duration) (seen check.Observation, held bool, waited wait.Result, err error) {
	var first check.Observation // that met it, if by an element that may be about to show
	var since time.Time
	held, waited, err = wait.Until(ctx, r.Desktop.Changes(), timeout, func(ctx context.Context) (bool, error) {
		var err error
		seen, err = r.checker.Look(ctx, cond)
		if !seen.Met || err != nil || seen.Found == nil || !seen.Found.MayYetShow() {
			return seen.Met, err
		}
		if since.IsZero() {
			first, since = seen, time.Now()
		}
		return time.Since(since) >= shapingTime, nil
	})
	if seen.Early && err == nil { // it was the last look
		cond.Thorough = true
		if seen, err = r.checker.Look(ctx, cond); err == nil && seen.Met {
			held = true
		}
	}
	if first.Met && !seen.Met { // it was there, whatever came then
		return first, ctx.Err() == nil, waited, ctx.Err()
	}
	return seen, held || seen.Met && err == nil, waited, err
}

// ocrSaw says in words what was read instead of the text.
func ocrSaw(reading *check.Reading) string {
	switch read := reading.OCRResult; {
	case reading.Doubtful && read.Confidence >= 85: // by itself, that would do
		return fmt.Sprintf("OCR of the %s read it, but not alike twice, or other text speaks against a letter of it (docs/ocr.md)", read.Area)
	case reading.Doubtful:
		return fmt.Sprintf("OCR of the %s read it, but too unsurely to count (confidence %.0f%%)", read.Area, read.Confidence)
	case read.Text != "":
		place := ""
		if read.Box != nil {
			place = fmt.Sprintf(" at (%d,%d)", read.Box.X, read.Box.Y)
		}
		return fmt.Sprintf("the closest text read from the %s is '%s'%s", read.Area, read.Text, place)
	default:
		return fmt.Sprintf("OCR of the %s read nothing like it", read.Area)
	}
}

func (r *run) recordReading(reading *check.Reading, result *results.Step) {
	ocrResult := reading.OCRResult
	result.Postcondition.OCR = &ocrResult
	r.saw("ocr", result.ID, reading.OCRResult.Text)
	r.save(result, "ocr-text", fileName(*result)+"-ocr.txt", "text/plain; charset=utf-8", []byte(reading.Text))
}

// save stores a file of the step. That it cannot be stored never changes a
// verdict: it is noted.
func (r *run) save(result *results.Step, kind, name, mediaType string, data []byte) string {
	if r.Save == nil {
		return ""
	}
	artifact, err := r.Save(kind, name, mediaType, data)
	if err != nil {
		result.Notes = append(result.Notes, fmt.Sprintf("%s could not be stored: %v", kind, err))
		return ""
	}
	result.Artifacts = append(result.Artifacts, artifact)
	return artifact.Name
}

// fileName is the step's id as part of a file's name, or the step's number
// where the id cannot be that: ids may hold slashes and be of any length.
func fileName(s results.Step) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	if len(s.ID) <= 64 && strings.Trim(s.ID, plain) == "" && !strings.HasPrefix(s.ID, ".") {
		return s.ID
	}
	return fmt.Sprintf("step~%d", s.Index+1)
}

func resolution(found *resolve.Found) *results.Resolution {
	return &results.Resolution{
		Means: found.Means, Rule: found.Rule, Matched: found.Matched, Element: resolve.Info(found.Element),
	}
}

// remarkOn warns of a step that passed by less than it should.
func (r *run) remarkOn(s program.Step, result *results.Step, out step.Outcome) {
	if pc := result.Postcondition; pc != nil {
		if pc.Vacuous {
			r.warn(results.WarnVacuous, s.ID, fmt.Sprintf("postcondition %s held before the action already", s.Postcondition))
		}
		if pc.Means == results.MeansOCR {
			r.warn(results.WarnWeak, s.ID, "the text was found by OCR only")
		}
	}
	if pc := result.Postcondition; pc != nil && pc.Element != nil && !pc.Element.Showing {
		r.warn(results.WarnWeak, s.ID, fmt.Sprintf("the element that exists, [%s] '%s', is not on the screen", pc.Element.Role, pc.Element.Title))
	}
	if found := out.Found; found != nil && found.Rule == resolve.RuleFirst {
		r.warn(results.WarnWeak, s.ID, fmt.Sprintf("%d elements match the target alike: took the first, [%s] '%s'",
			found.Matched, found.Element.RawRole, resolve.Title(found.Element)))
	}
	for _, weak := range out.Weak {
		r.warn(results.WarnWeak, s.ID, weak)
	}
	if found := out.Found; found != nil && s.Target != nil {
		switch {
		case s.Target.Identifier != "" && (found.Means == results.MeansExactTitle || found.Means == results.MeansSubstringTitle):
			r.warn(results.WarnWeak, s.ID, fmt.Sprintf("no element has the identifier '%s': found by %s", s.Target.Identifier, found.Means))
		case found.Means == results.MeansSubstringTitle && s.Target.Title != "":
			r.warn(results.WarnWeak, s.ID, fmt.Sprintf("no element has the title '%s': found '%s'", s.Target.Title, resolve.Title(found.Element)))
		}
	}
}

func ocrUnavailable(err error) bool {
	var unavailable *ocr.UnavailableError
	return errors.As(err, &unavailable)
}
