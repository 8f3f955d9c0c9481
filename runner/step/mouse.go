package step

import (
	"context"
	"math"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/runner/resolve"
)

// place gives the point of a mouse step: the middle of its element, or its
// coordinates, scaled from the size of the screenshot they were taken from.
func (env *Env) place(ctx context.Context, s program.Step, x, y string, out *Outcome) (desktop.Point, bool, error) {
	if s.NamesElement() && !(pointWins(s) && (s.Given(x) || s.Given(y))) {
		at, err := env.placeOf(ctx, s, out)
		return at, true, err
	}
	px, py := s.Number(x), s.Number(y)
	if !s.Given(x) && !s.Given(y) {
		if s.App() != "" && x == "x" {
			at, err := env.placeOf(ctx, s, out)
			return at, true, err
		}
		return desktop.Point{}, false, nil
	}
	screen, err := env.Desktop.Size(ctx)
	if err != nil {
		return desktop.Point{}, false, err
	}
	at := desktop.Point{
		X: fromImage(px, s.Number("image_width"), screen.Width),
		Y: fromImage(py, s.Number("image_height"), screen.Height),
	}
	if !screen.Contains(at) {
		return at, true, refused("%v", &desktop.OffScreenError{Point: at, Screen: screen})
	}
	return at, true, nil
}

// placeOf waits for the step's target to be in the pointer's reach, and points
// to it.
func (env *Env) placeOf(ctx context.Context, s program.Step, out *Outcome) (at desktop.Point, err error) {
	err = env.onTarget(ctx, s, resolve.ForPointer, out, func(found *resolve.Found) error {
		var err error
		if at, _, err = env.reach(ctx, found.Element); err != nil {
			return err
		}
		return env.pointTo(ctx, found.Element, at)
	})
	return at, err
}

// fromImage scales a coordinate from an image of that size, 0 for none, to the
// screen's. What is in the image is on the screen, its last pixel included.
func fromImage(at, image float64, screen int) int {
	if image <= 0 {
		return int(math.Round(at))
	}
	scaled := int(math.Round(at * float64(screen) / image))
	if at < image {
		scaled = min(scaled, screen-1)
	}
	return scaled
}

// pointWins reports whether coordinates win over the step's target.
func pointWins(s program.Step) bool {
	tool, _ := tools.Lookup(s.Tool)
	action, ok := tool.Action(s.Action)
	return ok && action.Target == tools.TargetWithoutPoint
}

// moveTo brings the pointer to the step's place; a step without one acts where
// the pointer is.
func (env *Env) moveTo(ctx context.Context, s program.Step, out *Outcome) error {
	at, given, err := env.place(ctx, s, "x", "y", out)
	if err != nil || !given {
		return err
	}
	return env.Desktop.Move(ctx, at)
}

func mouseMove(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "pointer"
	return env.moveTo(ctx, s, out)
}

func mouseClick(b desktop.Button, count int) action {
	return func(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
		out.ActedBy = "pointer"
		if err := env.moveTo(ctx, s, out); err != nil {
			return err
		}
		return env.Desktop.Click(ctx, b, count)
	}
}

func mouseDown(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "pointer"
	if err := env.moveTo(ctx, s, out); err != nil {
		return err
	}
	return env.Desktop.ButtonDown(ctx, desktop.Left)
}

func mouseUp(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "pointer"
	if err := env.moveTo(ctx, s, out); err != nil {
		return err
	}
	return env.Desktop.ButtonUp(ctx, desktop.Left)
}

func mouseScroll(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "pointer"
	if err := env.moveTo(ctx, s, out); err != nil {
		return err
	}
	amount := s.Number("amount")
	direction := desktop.Direction(s.Text("direction"))
	if direction == "" {
		direction = desktop.Up
		if amount < 0 {
			direction = desktop.Down
		}
	}
	return env.Desktop.Scroll(ctx, direction, int(math.Abs(amount)))
}

func mouseDrag(ctx context.Context, env *Env, s program.Step, out *Outcome) error {
	out.ActedBy = "pointer"
	from, given, err := env.place(ctx, s, "x", "y", out)
	if err != nil {
		return err
	}
	if !given {
		if from, err = env.Desktop.PointerAt(ctx); err != nil {
			return err
		}
	}
	without := s
	without.Target = nil
	to, given, err := env.place(ctx, without, "end_x", "end_y", out)
	if err != nil {
		return err
	}
	if !given {
		return refused("a drag needs end_x and end_y")
	}
	return env.Desktop.Drag(ctx, from, to, seconds(s.Number("duration")))
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
