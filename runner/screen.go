package runner

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/runner/secrets"
)

// screened is a desktop that remembers where secrets have been typed, so that
// they can be covered in pictures of the screen.
type screened struct {
	desktop.Desktop
	secrets *secrets.Secrets
	// secret says that the step under way has secrets, copied that the
	// clipboard may hold one.
	secret, copied bool
	places         []place
	used           bool // some step had secrets
}

// place is where a secret went: an element, or a window where no element said
// that it has the focus.
type place struct {
	element *desktop.Element // nil for none
	window  uint32           // 0 for none
	bounds  desktop.Rect     // of either, when it was typed
}

// begin says whether the step has secrets.
func (d *screened) begin(secret bool) {
	d.secret = secret
	d.used = d.used || secret
}

// Type implements desktop.Keyboard.
func (d *screened) Type(ctx context.Context, text string) error {
	d.remember(ctx)
	defer d.remember(ctx) // the text may have moved the focus
	return d.Desktop.Type(ctx, text)
}

// Chord implements desktop.Keyboard: it may paste.
func (d *screened) Chord(ctx context.Context, key string, modifiers ...string) error {
	if d.copied {
		d.remember(ctx)
	}
	return d.Desktop.Chord(ctx, key, modifiers...)
}

// Act implements desktop.Trees: a menu's item may paste.
func (d *screened) Act(ctx context.Context, e *desktop.Element, action desktop.ActionKind) error {
	if d.copied {
		d.remember(ctx)
	}
	return d.Desktop.Act(ctx, e, action)
}

// WriteClipboard implements desktop.Clipboard.
func (d *screened) WriteClipboard(ctx context.Context, text string) error {
	d.copied = d.copied || d.secret
	return d.Desktop.WriteClipboard(ctx, text)
}

// remember notes what has the focus, where that gets a secret.
func (d *screened) remember(ctx context.Context) {
	if !d.secret && !d.copied {
		return
	}
	var p place
	w, err := d.FocusedWindow(ctx)
	if err == nil && w != nil {
		p.window, p.bounds = w.ID, w.Bounds
	}
	// An element of another window may say that it has the focus.
	e, err := d.FocusedElement(ctx, desktop.NeedBounds)
	if err == nil && e != nil && e.BoundsKnown && !e.Bounds.Empty() && (w == nil || e.App != nil && e.App.PID == w.App.PID) {
		p.element, p.bounds = e, e.Bounds
	}
	for _, known := range d.places {
		if known.window == p.window && (known.element == nil) == (p.element == nil) && known.bounds == p.bounds {
			return
		}
	}
	d.places = append(d.places, p)
}

// errUncovered keeps a picture from being stored.
var errUncovered = errors.New("what was typed could not be covered in it")

// coverTime bounds what applications are asked before a picture is stored.
const coverTime = 5 * time.Second

// cover paints over what may show a secret. The error says that this could not
// be done.
func (r *run) cover(ctx context.Context, img *image.RGBA) error {
	d := r.screened
	if d == nil || !d.used {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, coverTime)
	defer cancel()
	windows, err := d.Windows(asking)
	if err != nil {
		return errUncovered
	}
	for _, p := range d.places {
		paint(img, p.now(asking, d, windows))
	}
	for _, w := range windows {
		if d.secrets.In(w.Title) {
			paint(img, titleOf(w.Bounds))
		}
	}
	r.coverTrees(asking, img)
	return r.coverRead(ctx, img)
}

// now is where the place is on the screen; nothing where it has gone.
func (p place) now(ctx context.Context, d desktop.Desktop, windows []desktop.Window) desktop.Rect {
	var window desktop.Rect
	for _, w := range windows {
		if w.ID == p.window {
			window = w.Bounds
		}
	}
	switch {
	case p.element == nil && p.window == 0:
		return desktop.Rect{Width: 1 << 20, Height: 1 << 20} // anywhere
	case p.element == nil:
		return window
	}
	err := d.Fill(ctx, []*desktop.Element{p.element}, desktop.NeedBounds)
	switch {
	case err != nil:
		return window
	case p.element.Gone:
		return desktop.Rect{}
	case !p.element.BoundsKnown || p.element.Bounds.Empty():
		return p.bounds
	}
	return p.element.Bounds
}

// coverTrees paints over the elements that show a secret. An application that
// does not answer has been covered where something was typed into it.
func (r *run) coverTrees(ctx context.Context, img *image.RGBA) {
	d := r.screened
	snap, err := d.Snapshot(ctx, "", desktop.NeedText|desktop.NeedBounds|desktop.NeedDescription)
	if err != nil {
		return
	}
	for _, app := range snap.Apps {
		app.Root.Walk(func(e *desktop.Element) bool {
			if !e.BoundsKnown || !d.secrets.In(strings.Join([]string{e.Name, e.Value, e.Text, e.Description}, "\n")) {
				return true
			}
			if e == e.Window {
				paint(img, titleOf(e.Bounds))
			} else {
				paint(img, e.Bounds)
			}
			return true
		})
	}
}

// titleHeight is what a title bar has at most, in pixels.
const titleHeight = 60

// titleOf is where a window's title is: above it, or at its upper edge where the
// application draws it.
func titleOf(window desktop.Rect) desktop.Rect {
	return desktop.Rect{X: window.X, Y: window.Y - titleHeight, Width: window.Width, Height: 2 * titleHeight}
}

// Bounds of the last look, by OCR.
const (
	readTime  = 20 * time.Second
	mostReads = 12
)

// coverRead paints over what OCR reads as a secret. Without OCR, and where it
// takes too long, the trees have to do.
func (r *run) coverRead(ctx context.Context, img *image.RGBA) error {
	if r.Reader == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	for _, value := range r.screened.secrets.Values() {
		for n := 0; ; n++ {
			read, err := r.Reader.Find(ctx, img, value)
			near := read.Match.Text != "" && read.Distance <= max(1, len(value)/4)
			if err != nil || !read.Found && !read.Doubtful && !near || read.Box.Empty() {
				break
			}
			if n == mostReads {
				return errUncovered
			}
			paintImage(img, read.Box.Inset(-2))
		}
	}
	return nil
}

func paint(img *image.RGBA, r desktop.Rect) { paintImage(img, r.Image()) }

func paintImage(img *image.RGBA, r image.Rectangle) {
	draw.Draw(img, r.Intersect(img.Bounds()), image.NewUniform(color.Black), image.Point{}, draw.Src)
}
