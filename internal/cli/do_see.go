package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/ocr"
	"github.com/opendesk/opendesk/program/tools"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/audit"
	"github.com/spf13/cobra"
)

func newDoSee(st *State) *cobra.Command {
	var o doOptions
	var app string
	var view treeView
	cmd := &cobra.Command{
		Use:   "see",
		Short: "Print the accessibility tree, with a ready target for each element",
		Long: `Prints the accessibility tree of an app, or of all, as 'opendesk learn inspect'
does: each element with a target that names it and nothing else.
` + doExitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.see(cmd.Context(), st, cmd.Flags().Changed, app, view)
		},
	}
	f := cmd.Flags()
	f.StringVar(&app, "app", "", "the app to look at (default all)")
	f.BoolVar(&view.json, "json", false, "print JSON, one element a line")
	f.IntVar(&view.depth, "depth", 0, "print only elements down to this depth below the app (1: its windows)")
	f.BoolVar(&view.showing, "showing", false, "print only elements that can be seen")
	o.add(cmd)
	return cmd
}

// reading is the step that looks and does nothing.
func reading(app string) []byte {
	s := stepFlags{tool: tools.Tool{Name: "ui"}, action: tools.Action{Name: "get_tree"}, changed: func(string) bool { return false }}
	s.target.App = app
	text, _ := s.json(nil) // it has nothing that could fail
	return text
}

// look reads the trees of an app, or of all, and does then with what is there.
func (at *place) look(ctx context.Context, app string, then func(host worker.Host, dir string) error) (*done, error) {
	p, _, err := oneStep(reading(app))
	if err != nil {
		return nil, err
	}
	return at.perform(ctx, p, &app, then)
}

func (o *doOptions) see(ctx context.Context, st *State, given func(string) bool, app string, view treeView) error {
	at, err := o.open(ctx, st, given)
	if err != nil {
		return err
	}
	defer at.close() //nolint:errcheck // a folder of temporary files
	return at.see(ctx, app, view)
}

// see prints the trees of an app, or of all.
func (at *place) see(ctx context.Context, app string, view treeView) error {
	d, err := at.look(ctx, app, nil)
	if err != nil || d.record == nil || d.fault != nil {
		return at.tell(ctx, d, err)
	}
	if len(d.record.Apps) == 0 {
		what := "no app with an accessibility tree runs"
		if app != "" {
			what = fmt.Sprintf("no app %q with an accessibility tree runs", app)
		}
		return &exit{exitFailed, errors.New(what)}
	}
	if err := errors.Join(view.print(ctx, at.st.Stdout, d.record, app), d.unkept); err != nil {
		return &exit{exitInternal, err}
	}
	return nil
}

func newDoScreenshot(st *State) *cobra.Command {
	var o doOptions
	cmd := &cobra.Command{
		Use:   "screenshot [FILE]",
		Short: "Take a picture of the screen",
		Long:  "Takes a picture of the whole screen into FILE (default screenshot.png; - for\nstandard output), as PNG.\n" + doExitCodes,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := "screenshot.png"
			if len(args) > 0 {
				file = args[0]
			}
			return o.screenshot(cmd.Context(), st, cmd.Flags().Changed, file)
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func readPicture(path string) (image.Image, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	return png.Decode(file)
}

// snap leases the place, takes a picture and writes down that it was looked at.
func (at *place) snap(ctx context.Context, what string, use func(image.Image) (string, error)) (err error) {
	leased, failure := at.lessor.Lease(ctx, harness.Item{})
	if failure != nil {
		return errors.New(failure.Reason)
	}
	defer func() { err = errors.Join(err, leased.Return(context.WithoutCancel(ctx))) }()
	host := leased.(worker.Host)
	var job worker.Job
	host.Fill(&job)
	img, err := picture(ctx, job.Spool, host.Screenshot)
	if err != nil {
		return err
	}
	result, err := use(img)
	if err != nil {
		return err
	}
	return audit.Append(at.log, audit.Seen(what, "", at.st.Now(), result))
}

func (o *doOptions) screenshot(ctx context.Context, st *State, given func(string) bool, name string) error {
	if name == "-" && o.json {
		return usage("--json and the picture cannot both go to standard output: name a file")
	}
	if err := writablePicture(name); err != nil {
		return err
	}
	at, err := o.open(ctx, st, given)
	if err != nil {
		return err
	}
	defer at.close() //nolint:errcheck // a folder of temporary files
	err = at.snap(ctx, "screenshot", func(img image.Image) (string, error) { return name, st.writePicture(name, img) })
	switch {
	case ctx.Err() != nil:
		return &exit{results.ExitInterrupted, errors.New("interrupted")}
	case err != nil:
		return &exit{exitInternal, err}
	case o.json:
		return printJSON(st, map[string]string{"file": name})
	case name != "-":
		fmt.Fprintf(st.Stdout, "screenshot: %s\n", name)
	}
	return nil
}

// writablePicture says why a picture cannot be written to the file.
func writablePicture(name string) error {
	if name == "-" {
		return nil
	}
	if err := writable(name); err != nil {
		return usage("%w", err)
	}
	return nil
}

// writePicture writes a picture to a file, "-" for standard output.
func (st *State) writePicture(name string, img image.Image) (err error) {
	if name == "-" {
		return png.Encode(st.Stdout, img)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return png.Encode(file, img)
}

func newDoOCR(st *State) *cobra.Command {
	var o doOptions
	var app string
	cmd := &cobra.Command{
		Use:   "ocr",
		Short: "Read the text on the screen",
		Long:  "Reads the text on the whole screen, or on the windows of one app, line by line.\n" + doExitCodes,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), st, cmd.Flags().Changed, app)
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "read only the windows of this app")
	o.add(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object, with the place of each word")
	return cmd
}

// wordShown is a word as --json prints it.
type wordShown struct {
	Text       string       `json:"text"`
	Bounds     desktop.Rect `json:"bounds"`
	Confidence float64      `json:"confidence"`
}

func (o *doOptions) read(ctx context.Context, st *State, given func(string) bool, app string) error {
	at, err := o.open(ctx, st, given)
	if err != nil {
		return err
	}
	defer at.close() //nolint:errcheck // a folder of temporary files
	var windows []image.Rectangle
	if app != "" {
		d, err := at.look(ctx, app, nil)
		if err != nil || d.record == nil || d.fault != nil {
			return at.tell(ctx, d, err)
		}
		if windows = windowsOf(d.record); len(windows) == 0 {
			return &exit{exitFailed, fmt.Errorf("no window of an app %q is on the screen", app)}
		}
	}
	var page ocr.Result
	err = at.snap(ctx, "ocr", func(img image.Image) (text string, err error) {
		if windows != nil {
			img = only(img, windows)
		}
		page, err = readPage(ctx, img, at.project.Config.OCR.Languages)
		return page.Text, err
	})
	switch {
	case ctx.Err() != nil:
		return &exit{results.ExitInterrupted, errors.New("interrupted")}
	case err != nil:
		return &exit{exitInternal, err}
	case !o.json:
		_, err := io.WriteString(st.Stdout, page.Text)
		return err
	}
	words := []wordShown{}
	for _, w := range page.Words {
		words = append(words, wordShown{w.Text, desktop.Rect{
			X: w.Box.Min.X, Y: w.Box.Min.Y, Width: w.Box.Dx(), Height: w.Box.Dy(),
		}, w.Confidence})
	}
	return printJSON(st, map[string]any{"text": page.Text, "words": words})
}

// nowhere is a phrase that no screen holds: reading does not end at it.
const nowhere = "\uE000\uE001"

func readPage(ctx context.Context, img image.Image, languages []string) (page ocr.Result, err error) {
	opened, err := openEngine(languages)
	if err != nil {
		return page, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return ocr.Reader{Engine: opened}.Find(ctx, img, nowhere)
}

// windowsOf are the places of the windows in the record.
func windowsOf(record *desktop.Record) []image.Rectangle {
	var all []image.Rectangle
	for _, app := range record.Apps {
		for _, e := range app.Elements {
			if b := e.Bounds; e.Depth == 1 && b != nil && !b.Empty() {
				all = append(all, image.Rect(b.X, b.Y, b.X+b.Width, b.Y+b.Height))
			}
		}
	}
	return all
}

// only is the picture where nothing is seen but those places, which keep theirs.
func only(img image.Image, places []image.Rectangle) image.Image {
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	for _, place := range places {
		draw.Draw(out, place.Intersect(out.Bounds()), img, place.Intersect(out.Bounds()).Min, draw.Src)
	}
	return out
}
