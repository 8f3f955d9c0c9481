package script

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The kinds of errors that tool calls get from here.
const (
	noTools    = "no_tools"
	badRequest = "bad_request"
	badReply   = "bad_reply"
	tooLarge   = "too_large"
)

// toolPipe answers the calls that come over a pipe, one line each.
type toolPipe struct {
	conn   io.ReadWriter
	handle func(ctx context.Context, request json.RawMessage) json.RawMessage
	limit  int
	calls  int
	over   bool // a call was refused since there had been too many
}

// serve answers calls until the pipe ends.
func (t *toolPipe) serve(ctx context.Context) {
	reader := bufio.NewReaderSize(t.conn, 64<<10)
	for {
		line, tooLong, err := readLine(reader)
		if err != nil {
			return
		}
		reply := append(t.answer(ctx, line, tooLong), '\n')
		if _, err := t.conn.Write(reply); err != nil {
			return
		}
	}
}

func (t *toolPipe) answer(ctx context.Context, line []byte, tooLong bool) json.RawMessage {
	t.calls++
	switch {
	case t.calls > t.limit:
		t.calls = t.limit
		t.over = true
		return refusal(CallLimit, fmt.Sprintf("the limit of %d tool calls in a script is reached: narrow the scope, or split the work into several steps", t.limit))
	case tooLong:
		return refusal(badRequest, fmt.Sprintf("a tool call may have at most %d bytes", MaxLine))
	case !json.Valid(line):
		return refusal(badRequest, "a tool call must be one line of JSON")
	case t.handle == nil:
		return refusal(noTools, "this script has no tools")
	}
	var reply bytes.Buffer
	if err := json.Compact(&reply, t.handle(ctx, line)); err != nil {
		return refusal(badReply, fmt.Sprintf("the tool's answer is no JSON: %v", err))
	}
	if reply.Len() > MaxLine {
		return refusal(tooLarge, fmt.Sprintf("the tool's answer has %d bytes, more than %d: ask for less", reply.Len(), MaxLine))
	}
	return reply.Bytes()
}

func refusal(kind, message string) json.RawMessage {
	type body struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	}
	data, err := json.Marshal(map[string]body{"error": {kind, message}})
	if err != nil {
		return json.RawMessage(`{"error":{"kind":"error","message":"the tool gave no answer"}}`)
	}
	return data
}

// readLine reads a line without its end. Of one that is longer than MaxLine
// nothing is kept.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > MaxLine {
			line, tooLong = nil, true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, false, err
		default:
			if n := len(line); n > 0 {
				line = line[:n-1]
			}
			return line, tooLong, nil
		}
	}
}
