package worker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/opendesk/opendesk/harness"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/secrets"
)

// Video is how attempts are filmed.
type Video struct {
	// Keep says whether, and when the film is kept. The zero value films nothing.
	Keep Trace
	// Recorder is the program that films, absolute.
	Recorder string
}

// The film's name in the spool folder, and its content type: Matroska can be
// played however its recording ended.
const (
	videoName = "screen.mkv"
	videoType = "video/x-matroska"
)

// endVideo is what tells a recorder to end its film.
const endVideo = "q"

// How long a recorder may take to start, and to end its film.
const (
	videoStart = 5 * time.Second
	videoEnd   = 5 * time.Second
)

// film is a film under way, or the reason why there is none.
type film struct {
	launcher *Launcher
	attempt  harness.Attempt
	spool    string
	emit     func(results.Event)
	recorder Process
	control  *os.File // its standard input
}

// film begins to film the session. It gives nil where nothing is to be filmed,
// or nothing can be, which is told: a verdict does not depend on it.
func (l *Launcher) film(ctx context.Context, host Host, a harness.Attempt, hidden *secrets.Secrets, emit func(results.Event)) *film {
	if !l.Video.Keep.taken() {
		return nil
	}
	f := &film{launcher: l, attempt: a, emit: emit}
	if hidden != nil {
		f.note("no video: the program types secrets, and nobody could cover them in it")
		return nil
	}
	var job Job
	host.Fill(&job)
	f.spool = job.Spool
	if err := f.start(ctx, host, job.Display); err != nil {
		f.note(fmt.Sprintf("no video: %v", err))
		return nil
	}
	return f
}

func (f *film) start(ctx context.Context, host Host, display string) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, videoStart)
	defer cancel()
	args := []string{"video", "--recorder", f.launcher.Video.Recorder, "--display", display,
		"--geometry", host.Describe().Geometry, filepath.Join(f.spool, videoName)}
	f.recorder, err = host.Start(ctx, args, nil, read)
	if err = errors.Join(err, read.Close()); err != nil {
		return errors.Join(err, write.Close())
	}
	f.control = write
	return nil
}

// end ends the film, and keeps it where it is to be kept.
func (f *film) end(ctx context.Context, passed bool) {
	if f == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), videoEnd)
	defer cancel()
	_, told := io.WriteString(f.control, endVideo)
	closed := f.control.Close()
	how, output, err := f.recorder.Wait(ctx)
	if err != nil {
		f.recorder.Kill() // what it has written so far can be played
	}
	if passed && f.launcher.Video.Keep == TraceRetainOnFailure {
		return // the file goes with the spool folder
	}
	artifact, lost := f.collect()
	switch {
	case lost != nil:
		f.note(fmt.Sprintf("no video: %v (the recorder ended by %s: %s)", lost, cmp.Or(how, "itself"), cmp.Or(output, "it said nothing")))
		return
	case how != "" || err != nil || told != nil || closed != nil:
		f.note(fmt.Sprintf("the video may end too early: %v", cmp.Or(err, told, closed, errors.New(cmp.Or(output, how)))))
	}
	f.emit(results.Event{Type: results.EventArtifact, Artifact: &artifact})
}

// collect describes the film and moves it to its place.
func (f *film) collect() (results.Artifact, error) {
	a := results.Artifact{Name: videoName, Kind: results.KindVideo, MediaType: videoType}
	file, err := os.Open(filepath.Join(f.spool, videoName))
	if errors.Is(err, fs.ErrNotExist) {
		return a, errors.New("nothing was recorded")
	}
	if err != nil {
		return a, err
	}
	defer file.Close() //nolint:errcheck // read only
	hash := sha256.New()
	if a.Size, err = io.Copy(hash, file); err != nil {
		return a, err
	}
	if a.Size == 0 {
		return a, errors.New("nothing was recorded")
	}
	a.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return spool{dir: f.spool}.collect(a, f.launcher.RunDir, f.attempt.ArtifactDir)
}

func (f *film) note(message string) {
	f.emit(results.Event{Type: results.EventWarning, Warning: &results.Warning{Kind: results.WarnNote, Message: message}})
}
