package merge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// auditFile is the name of the log of actions in a run's folder.
const auditFile = "audit.ndjson"

// writeAudit writes audit.ndjson, the entries in the order of their times,
// numbered anew. Others than its user cannot read it. A shard can have none: it
// can have been held back, since what was typed stands in it.
func writeAudit(shards []Shard, to *os.Root) error {
	var logs []*stream
	for i, s := range shards {
		log, ok, err := openStream(filepath.Join(s.Dir, auditFile), i, parseEntry)
		if err != nil {
			for _, open := range logs {
				_ = open.file.Close() // only read
			}
			return err
		}
		if ok {
			logs = append(logs, log)
		}
	}
	return create(to, auditFile, 0o600, func(w *bufio.Writer) error {
		number := 0
		return interleave(logs, func(rest []byte) error {
			number++
			_, err := fmt.Fprintf(w, "%sa%d%s", idPrefix, number, rest)
			return err
		})
	})
}

// What lines of the log begin with.
var (
	idPrefix        = []byte(`{"id":"`)
	timestampPrefix = []byte(`","timestamp":`)
)

var errNoEntry = errors.New("is not an entry of an audit log as a run writes it")

// parseEntry takes the id off an entry and reads its time.
func parseEntry(text []byte) (line, error) {
	rest, ok := bytes.CutPrefix(text, idPrefix)
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return line{}, errNoEntry
	}
	rest = rest[end:]
	after, ok := bytes.CutPrefix(rest, timestampPrefix)
	number, _, more := bytes.Cut(after, []byte(","))
	seconds, err := strconv.ParseFloat(string(number), 64)
	if !ok || !more || err != nil || seconds < 0 || seconds > 1e10 || !bytes.HasSuffix(after, []byte("}\n")) {
		return line{}, errNoEntry
	}
	return line{at: int64(seconds * 1e9), rest: rest, keep: true}, nil
}
