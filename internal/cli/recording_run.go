package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/opendesk/opendesk/desktop/record"
	"github.com/opendesk/opendesk/harness/worker"
	"github.com/opendesk/opendesk/trajectory"
)

// How long a recorder may take to begin, before scaling, and to end.
const (
	recorderStart = 20 * time.Second
	recorderEnd   = 10 * time.Second
)

// keepRecording records until ctx ends or the recording ends by itself. What
// was done is in the file as soon as it is over. started is called once
// everything is recorded. The error says why nothing was; how a recording ended
// that had begun is in what it gives.
func keepRecording(ctx context.Context, st *State, o recordOrder, c *claim, started func()) (r recording, err error) {
	r = recording{recordOrder: o, PID: os.Getpid(), StartedAt: st.Now().UTC()}
	if err := c.write(r); err != nil {
		return r, err
	}
	clean := context.WithoutCancel(ctx)
	at, err := openPlace(ctx, st, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, at.leave(clean)) }()
	ours, theirs, err := socketPair()
	if err != nil {
		return r, err
	}
	defer ours.Close() //nolint:errcheck // it may be closed already
	starting, cancel := context.WithTimeout(ctx, time.Duration(max(1, o.TimeoutScale)*float64(recorderStart)))
	defer cancel()
	p, err := at.recorder(starting, o, theirs)
	if closing := theirs.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return r, err
	}
	defer p.Kill()
	k := &recordingKeeper{claim: c, recording: r, now: st.Now}
	defer k.close()
	messages := json.NewDecoder(bufio.NewReader(ours))
	giveUp := context.AfterFunc(starting, func() { _ = ours.SetReadDeadline(time.Now()) })
	first, err := k.begin(messages)
	if !giveUp() && err == nil {
		err = context.Cause(starting)
	}
	if err != nil {
		return r, errors.Join(err, recorderSaid(clean, p))
	}
	k.started(first)
	if k.failed == nil {
		started()
	}
	// Told to end, the recorder still writes what it knows.
	ending := context.AfterFunc(ctx, func() {
		_ = ours.CloseWrite()
		_ = ours.SetReadDeadline(time.Now().Add(recorderEnd))
	})
	defer ending()
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		select {
		case <-at.died:
			_ = ours.SetReadDeadline(time.Now().Add(time.Second))
		case <-gone:
		}
	}()
	k.follow(messages)
	if ctx.Err() == nil && k.failed == nil {
		k.failed = errors.Join(errors.New("the recorder has ended by itself"), recorderSaid(clean, p))
	}
	return k.end(), nil
}

// recorderSaid is how a recorder ended, and its last words, nil where it ended
// well.
func recorderSaid(ctx context.Context, p worker.Process) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	how, output, err := p.Wait(ctx)
	switch {
	case err != nil:
		return err
	case output != "":
		return fmt.Errorf("%s: %s", how, output)
	case how != "":
		return errors.New(how)
	}
	return nil
}

// recordingKeeper writes down what a recorder tells.
type recordingKeeper struct {
	claim     *claim
	recording recording
	now       func() time.Time
	file      *os.File
	writer    *trajectory.Writer
	// failed is why the recording ended, or has to.
	failed error
}

// begin waits for the recorder's first message.
func (k *recordingKeeper) begin(messages *json.Decoder) (*record.Started, error) {
	var m record.Message
	switch err := messages.Decode(&m); {
	case err != nil:
		return nil, fmt.Errorf("the recorder does not begin: %w", err)
	case m.Started == nil:
		return nil, errors.New(m.Failed)
	}
	return m.Started, nil
}

// started creates the file.
func (k *recordingKeeper) started(first *record.Started) {
	file := k.recording.File
	if k.failed = os.MkdirAll(filepath.Dir(file), 0o777); k.failed != nil {
		return
	}
	if k.file, k.failed = trajectory.Create(file, k.recording.Force); k.failed != nil {
		return
	}
	k.writer, k.failed = trajectory.NewWriter(k.file, trajectory.Recording{
		TaskName: k.recording.Title, StartedAt: first.At, Start: first.Scene,
	})
}

// follow writes the events down until there are no more, or writing fails.
func (k *recordingKeeper) follow(messages *json.Decoder) {
	for k.failed == nil {
		var m record.Message
		if err := messages.Decode(&m); err != nil {
			if !errors.Is(err, io.EOF) {
				k.failed = fmt.Errorf("the recorder's last event is torn, or it does not end: %w", err)
			}
			return
		}
		switch {
		case m.Append != nil:
			if k.failed = k.writer.Append(*m.Append); k.failed == nil {
				k.recording.Events++
				k.failed = k.claim.write(k.recording)
			}
		case m.Amend != nil:
			k.failed = k.writer.Amend(*m.Amend)
		case m.Failed != "":
			k.failed = errors.New(m.Failed)
		}
	}
}

// end completes the file, and tells others.
func (k *recordingKeeper) end() recording {
	now := k.now().UTC()
	k.recording.EndedAt = &now
	var notes []string
	if k.failed != nil {
		k.recording.Ended = k.failed.Error()
		notes = append(notes, "the recording ended by itself: "+k.recording.Ended)
	}
	if k.writer != nil {
		if err := k.writer.Close(float64(now.UnixMicro())/1e6, notes...); err != nil && k.failed == nil {
			k.recording.Ended = err.Error()
		}
	}
	_ = k.claim.write(k.recording) // what is in the file counts
	return k.recording
}

func (k *recordingKeeper) close() {
	if k.file != nil {
		_ = k.file.Close() // every event was written at once
	}
}
