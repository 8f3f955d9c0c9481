package runner_test

import (
	"bytes"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
	"github.com/opendesk/opendesk/runner/secrets"
)

func traced(r *runner.Request) { r.Trace = true }

// steps are the steps whose pictures there are, in their order.
func (o outcome) traced() []string {
	var steps []string
	for _, a := range o.Artifacts {
		if a.Kind == results.KindTrace {
			steps = append(steps, a.Step)
		}
	}
	return steps
}

func TestATraceHasAPictureOfEachStep(t *testing.T) {
	o := run(t, newNumbers().desktop, exportReport, traced)
	if want := []string{"s1", "s2", "s3"}; o.Status != results.Passed || !slices.Equal(o.traced(), want) {
		t.Fatalf("%s, pictures of %v, want %v", o.Status, o.traced(), want)
	}
	img, err := jpeg.Decode(bytes.NewReader(o.files["s2~trace.jpg"]))
	if err != nil || img.Bounds().Dx() != 800 {
		t.Errorf("the picture of s2: %v", err)
	}
}

func TestAFailedStepHasItsFailuresPicture(t *testing.T) {
	n := newNumbers()
	n.panel = nil // the button never comes
	o := run(t, n.desktop, exportReport, traced)
	if want := []string{"s1", "s2", "s3"}; o.Status != results.Failed || !slices.Equal(o.traced(), want) {
		t.Fatalf("%s, pictures of %v, want %v", o.Status, o.traced(), want)
	}
	if o.files["s3.png"] == nil {
		t.Error("the failure has no screenshot")
	}
	// Nothing is told of a step that was not reached.
	o = run(t, n.desktop, strings.Replace(exportReport, "Export To", "Nowhere", 1), traced)
	if want := []string{"s1", "s2"}; !slices.Equal(o.traced(), want) {
		t.Errorf("pictures of %v, want %v", o.traced(), want)
	}
}

func TestWithoutATraceThereIsNoPicture(t *testing.T) {
	if o := run(t, newNumbers().desktop, exportReport); len(o.files) != 0 || len(o.Artifacts) != 0 {
		t.Errorf("files %v, artifacts %v", o.files, o.Artifacts)
	}
}

func TestSecretsAreCoveredInATrace(t *testing.T) {
	n := newNumbers()
	n.pdf.Name = "hunter22" // shows what was typed
	o := run(t, n.desktop, `{"name":"p","version":1,"steps":[
		{"id":"s1","tool":"app","params":{"action":"open","name":"Numbers"}},
		{"id":"s2","tool":"ui","params":{"action":"click_menu","menu":"File","menu_item":"Export To"},"target":{"app":"Numbers"}},
		{"id":"s3","tool":"clipboard","params":{"action":"write","text":"${env:PASSWORD}"}}]}`,
		traced, func(r *runner.Request) { r.Secrets = secrets.New(map[string]string{"PASSWORD": "hunter22"}) })
	if want := []string{"s1", "s2", "s3"}; o.Status != results.Passed || !slices.Equal(o.traced(), want) {
		t.Fatalf("%s %s, pictures of %v, want %v", o.Status, o.Reason, o.traced(), want)
	}
	for name, covered := range map[string]bool{"s2~trace.jpg": false, "s3~trace.jpg": true} {
		img, err := jpeg.Decode(bytes.NewReader(o.files[name]))
		if err != nil {
			t.Fatal(err)
		}
		r, _, _, _ := img.At(100, 130).RGBA() // within the button, at 800 of 1280 pixels
		if (r < 0x2000) != covered {
			t.Errorf("%s: covered is %v, want %v", name, r < 0x2000, covered)
		}
	}
}

func TestATraceThatCannotBeStoredChangesNoVerdict(t *testing.T) {
	o := run(t, newNumbers().desktop, exportReport, traced, func(r *runner.Request) {
		r.Save = func(string, string, string, []byte) (results.Artifact, error) {
			return results.Artifact{}, bytes.ErrTooLarge
		}
	})
	if want := []string{"note s1", "note s2", "note s3"}; o.Status != results.Passed || !slices.Equal(o.warnings, want) {
		t.Errorf("%s, warnings %v, want %v", o.Status, o.warnings, want)
	}
}
