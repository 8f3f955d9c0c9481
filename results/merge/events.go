package merge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/opendesk/opendesk/results"
)

// writeEvents writes events.ndjson: the merged run's beginning, the events of
// all programs in the order of their times, and its end. What shards tell about
// their runs as a whole stands in those two. Of large logs nothing is kept in
// memory, and nothing but the number of an event is changed in its line.
func writeEvents(run *results.Run, shards []Shard, warnings map[string][]results.Warning, to *os.Root) error {
	var logs []*stream
	for i, s := range shards {
		log, ok, err := openStream(filepath.Join(s.Dir, "events.ndjson"), i, parseEvent)
		if err == nil && !ok {
			err = &ProblemError{fmt.Errorf("%s: has no events.ndjson: merging takes the whole folder of a run", s.Dir)}
		}
		if err != nil {
			for _, open := range logs {
				_ = open.file.Close() // only read
			}
			return err
		}
		logs = append(logs, log)
	}
	return create(to, "events.ndjson", 0o644, func(w *bufio.Writer) error {
		seq := int64(1)
		if err := writeBeginning(w, run); err != nil {
			return err
		}
		var number []byte
		err := interleave(logs, func(rest []byte) error {
			seq++
			number = strconv.AppendInt(append(number[:0], seqPrefix...), seq, 10)
			if _, err := w.Write(number); err != nil {
				return err
			}
			_, err := w.Write(rest)
			return err
		})
		if err != nil {
			return err
		}
		end := run.StartedAt.Add(time.Duration(run.DurationMS) * time.Millisecond)
		for _, p := range run.Programs {
			for _, warning := range warnings[p.Path] {
				seq++
				err := results.WriteEvent(w, results.Event{Seq: seq, Time: end, Type: results.EventWarning, Path: p.Path, Repeat: p.Repeat, Warning: &warning})
				if err != nil {
					return err
				}
			}
		}
		return results.WriteEvent(w, results.Event{
			Seq: seq + 1, Time: end,
			Type: results.EventRunFinished,
			Run: &results.Run{
				SchemaVersion: results.SchemaVersion, Status: run.Status, ExitCode: run.ExitCode,
				Interrupted: run.Interrupted, Notes: run.Notes, News: run.News, DurationMS: run.DurationMS,
			},
		})
	})
}

// writeBeginning writes run_started, which names the planned programs, unless
// there are more of them than an event can have: each has events of its own.
func writeBeginning(w *bufio.Writer, run *results.Run) error {
	start := *run
	start.Status, start.ExitCode, start.Interrupted = "", 0, false
	start.Counts, start.Notes, start.News, start.DurationMS = results.Counts{}, nil, "", 0
	start.Programs = make([]results.Program, len(run.Programs))
	for i, p := range run.Programs {
		start.Programs[i] = results.Program{
			Path: p.Path, File: p.File, Repeat: p.Repeat, Name: p.Name, Description: p.Description,
			SHA256: p.SHA256, CodeSHA256: p.CodeSHA256,
			Tags: p.Tags, Quarantine: p.Quarantine, Problems: p.Problems,
		}
	}
	ev := results.Event{Seq: 1, Time: run.StartedAt, Type: results.EventRunStarted, Run: &start}
	err := results.WriteEvent(w, ev)
	if errors.Is(err, results.ErrEventTooLong) {
		start.Programs = []results.Program{}
		err = results.WriteEvent(w, ev)
	}
	return err
}

// What lines of events begin with, as results.EventWriter writes them.
var (
	seqPrefix  = []byte(`{"seq":`)
	timePrefix = []byte(`,"time":"`)
	typePrefix = []byte(`","type":"`)
	pathPrefix = []byte(`,"path":"`)
)

var errNoEvent = errors.New("is not an event as a run writes it")

// parseEvent takes the number off an event, reads its time, and keeps what is
// about a program.
func parseEvent(text []byte) (line, error) {
	rest, ok := bytes.CutPrefix(text, seqPrefix)
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if !ok || digits == 0 {
		return line{}, errNoEvent
	}
	rest = rest[digits:]
	after, ok := bytes.CutPrefix(rest, timePrefix)
	clock, after, ended := bytes.Cut(after, typePrefix)
	kind, after, typed := bytes.Cut(after, []byte(`"`))
	if !ok || !ended || !typed || !bytes.HasSuffix(after, []byte("}\n")) {
		return line{}, errNoEvent
	}
	at, err := time.Parse(time.RFC3339Nano, string(clock))
	if err != nil {
		return line{}, errNoEvent
	}
	l := line{at: at.UnixNano(), rest: rest}
	switch results.EventType(kind) {
	case results.EventRunStarted, results.EventRunFinished, results.EventEnvironment:
	case results.EventWarning:
		l.keep = bytes.HasPrefix(after, pathPrefix)
	default:
		l.keep = true
	}
	return l, nil
}

// create makes a file of the merged run.
func create(to *os.Root, name string, mode os.FileMode, write func(*bufio.Writer) error) error {
	file, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 256<<10)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	return errors.Join(err, file.Close())
}
