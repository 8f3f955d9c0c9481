package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness/worker"
)

// Without ffmpeg there are no films, and both who looks at the terminal and who
// looks at the results are told how to get it.
func TestNoRecorder(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var errs bytes.Buffer
	e := &evaluation{st: &State{Stderr: &errs}, options: &runOptions{video: "on"}}
	if v := e.video(); v != (worker.Video{}) {
		t.Errorf("%+v", v)
	}
	if !strings.Contains(errs.String(), "apt-get install ffmpeg") || len(e.start.Notes) != 1 || !strings.Contains(e.start.Notes[0], "ffmpeg is not on PATH") {
		t.Errorf("%q, notes %q", errs.String(), e.start.Notes)
	}
	errs.Reset()
	e = &evaluation{st: &State{Stderr: &errs}, options: &runOptions{video: "off"}}
	if v := e.video(); v != (worker.Video{}) || errs.Len() > 0 || e.start.Notes != nil {
		t.Errorf("nobody asked for a film: %+v, %q", v, errs.String())
	}
}

func TestRecorderArgs(t *testing.T) {
	args := recorderArgs(":7", "640x481x24", filepath.Join("spool", "screen.mkv"))
	if i := slices.Index(args, "-video_size"); i < 0 || args[i+1] != "640x481" {
		t.Errorf("%q", args)
	}
	if slices.Contains(recorderArgs(":7", "", "x"), "-video_size") {
		t.Error("a size that nobody knows")
	}
}
