//go:build unix

package worker

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/results"
)

// studio is a host that starts recorders as well: functions that are given the
// file to write and what tells them to end.
type studio struct {
	*host
	film func(file string, control io.Reader) (how, output string)
	args []string
}

func (s *studio) Describe() results.Session { return results.Session{Geometry: "640x480x24"} }

func (s *studio) Start(ctx context.Context, args, env []string, events *os.File) (Process, error) {
	if args[0] != "video" {
		return s.host.Start(ctx, args, env, events)
	}
	s.args = args
	if s.film == nil {
		return nil, errors.New("no recorder today")
	}
	control, err := duplicate(events)
	if err != nil {
		return nil, err
	}
	r := &host{done: make(chan struct{}), killed: make(chan struct{}, 9)}
	go func() {
		defer close(r.done)
		defer control.Close() //nolint:errcheck // a pipe's end
		r.how, r.output = s.film(args[len(args)-1], control)
	}()
	return r, nil
}

// untilTold is a recorder that does as it should.
func untilTold(file string, control io.Reader) (how, output string) {
	told, err := io.ReadAll(control)
	if err != nil || string(told) != "q" {
		return "it was told " + string(told), ""
	}
	if os.WriteFile(file, []byte("a film"), 0o600) != nil {
		return "exit status 1", ""
	}
	return "", ""
}

func launchFilmed(t *testing.T, s *studio, keep Trace, source string) told {
	t.Helper()
	p, problems := program.Parse("p.program.json", []byte(source))
	if p == nil {
		t.Fatal(problems)
	}
	d := told{runDir: t.TempDir()}
	l := &Launcher{RunDir: d.runDir, TimeoutScale: 1, Video: Video{Keep: keep, Recorder: "/usr/bin/ffmpeg"},
		Getenv: func(string) string { return "hunter22" }}
	d.failure = l.Launch(context.Background(), s, harness.Attempt{Program: p, Number: 1, ArtifactDir: "artifacts/p"},
		func(e results.Event) { d.events = append(d.events, e) })
	return d
}

const (
	waits = `{"name":"p","version":1,"steps":[{"id":"s1","tool":"wait"}]}`
	types = `{"name":"p","version":1,"steps":[{"id":"s1","tool":"keyboard","params":{"action":"type","text":"${env:PASSWORD}"}}]}`
)

func TestVideosAreKeptAsAsked(t *testing.T) {
	failed := results.Event{Type: results.EventAttemptFinished, Attempt: &results.Attempt{Status: results.Failed}}
	dies := func(file string, _ io.Reader) (string, string) {
		return "exit status 1", "Unknown encoder 'libx264'"
	}
	killed := func(file string, _ io.Reader) (string, string) {
		if err := os.WriteFile(file, []byte("half a film"), 0o600); err != nil {
			t.Error(err)
		}
		return "signal: killed", ""
	}
	for _, tt := range []struct {
		name    string
		keep    Trace
		source  string
		verdict []results.Event
		film    func(string, io.Reader) (string, string)
		kept    bool
		note    string
	}{
		{"off", TraceOff, waits, []results.Event{failed}, untilTold, false, ""},
		{"on, passed", TraceOn, waits, []results.Event{passed}, untilTold, true, ""},
		{"retained, passed", TraceRetainOnFailure, waits, []results.Event{passed}, untilTold, false, ""},
		{"retained, failed", TraceRetainOnFailure, waits, []results.Event{failed}, untilTold, true, ""},
		{"retained, the worker died", TraceRetainOnFailure, waits, nil, untilTold, true, ""},
		{"a secret", TraceOn, types, []results.Event{failed}, untilTold, false, "no video: the program types secrets"},
		{"it cannot be started", TraceOn, waits, []results.Event{failed}, nil, false, "no video: no recorder today"},
		{"it cannot film", TraceOn, waits, []results.Event{failed}, dies, false, "no video: nothing was recorded (the recorder ended by exit status 1: Unknown encoder 'libx264')"},
		{"it was killed", TraceOn, waits, []results.Event{failed}, killed, true, "the video may end too early"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &studio{film: tt.film, host: newHost(t, func(_ string, events *os.File) { tell(t, events, append([]results.Event{stepDone}, tt.verdict...)...) })}
			d := launchFilmed(t, s, tt.keep, tt.source)
			if (d.failure == nil) != (tt.verdict != nil) {
				t.Errorf("failure %+v", d.failure)
			}
			last := d.events[len(d.events)-1]
			if tt.verdict != nil && last.Type != results.EventAttemptFinished {
				t.Errorf("the last event is %s", last.Type)
			}
			var kept []results.Artifact
			noted := tt.note == ""
			for _, e := range d.events {
				if e.Artifact != nil && e.Artifact.Kind == results.KindVideo {
					kept = append(kept, *e.Artifact)
				}
				if e.Warning != nil {
					noted = tt.note != "" && strings.HasPrefix(e.Warning.Message, tt.note)
				}
			}
			if (len(kept) == 1) != tt.kept || !noted {
				t.Fatalf("kept %+v, noted %t: %+v", kept, noted, d.events)
			}
			if tt.kept {
				info, err := os.Stat(filepath.Join(d.runDir, kept[0].Name))
				if err != nil || info.Size() != kept[0].Size || len(kept[0].SHA256) != 64 || kept[0].Name != "artifacts/p/screen.mkv" {
					t.Errorf("%v %+v", err, kept[0])
				}
			}
			if tt.keep != TraceOff && tt.source == waits && !slices.Equal(s.args[:7], []string{"video", "--recorder", "/usr/bin/ffmpeg", "--display", "", "--geometry", "640x480x24"}) {
				t.Errorf("the recorder's arguments: %q", s.args)
			}
		})
	}
}
