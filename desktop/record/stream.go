package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// Input is one thing that pointer or keyboard did.
type Input struct {
	Kind InputKind
	// Time is the X server's, in milliseconds; it begins again at 0 after 49
	// days. Only differences mean something.
	Time uint32
	// At is when it got here.
	At time.Time
	// Point is where the pointer was.
	Point desktop.Point
	// Button is the pointer button, or Code the key.
	Button, Code byte
	// State are the modifiers and the keyboard's group before it.
	State uint16
	// Stroke is what the key meant; only of a key that went down.
	Stroke Stroke
}

// InputKind is what happened.
type InputKind byte

// What happens, by the numbers that the X protocol has for it.
const (
	KeyDown    InputKind = 2
	KeyUp      InputKind = 3
	ButtonDown InputKind = 4
	ButtonUp   InputKind = 5
	Motion     InputKind = 6
)

// stream is the input of a display as it comes.
type stream struct{ server *server }

// Minor opcodes of the RECORD extension, and what it can be told.
const (
	queryExtension = 98 // of the core protocol

	recordQueryVersion  = 0
	recordCreateContext = 1
	recordEnableContext = 5

	allClients  = 3
	startOfData = 4
	endOfData   = 5
)

// openStream begins to record the display. *desktop.EnvironmentError where the
// server cannot be reached, or does not record.
func openStream(display string) (*stream, error) {
	s, err := dial(display)
	if err != nil {
		return nil, fault(fmt.Errorf("connecting to %s: %w", display, err))
	}
	if err := s.enable(); err != nil {
		return nil, fault(errors.Join(err, s.conn.Close()))
	}
	return &stream{s}, nil
}

func fault(err error) error { return &desktop.EnvironmentError{Part: desktop.PartDisplay, Err: err} }

// enable asks for everything that devices do, and waits until that has begun.
func (s *server) enable() error {
	const name = "RECORD"
	data := append([]byte{byte(len(name)), 0, 0, 0}, padded([]byte(name))...)
	reply, err := s.ask("asking for "+name, queryExtension, 0, data)
	if err != nil {
		return err
	}
	if reply[8] == 0 {
		return errors.New("the X server has no " + name + " extension")
	}
	record := reply[9]
	if _, err := s.ask("asking for the version of "+name, record, recordQueryVersion, []byte{1, 0, 13, 0}); err != nil {
		return err
	}
	context := s.ids
	ranges := make([]byte, 24)
	ranges[18], ranges[19] = byte(KeyDown), byte(Motion) // device events
	create := binary.LittleEndian.AppendUint32(nil, context)
	create = append(create, 0, 0, 0, 0) // no times or sequence numbers before the data
	create = binary.LittleEndian.AppendUint32(create, 1)
	create = binary.LittleEndian.AppendUint32(create, 1)
	create = binary.LittleEndian.AppendUint32(create, allClients)
	if err := s.request(record, recordCreateContext, append(create, ranges...)); err != nil {
		return err
	}
	reply, err = s.ask("recording", record, recordEnableContext, binary.LittleEndian.AppendUint32(nil, context))
	if err != nil {
		return err
	}
	if reply[1] != startOfData {
		return fmt.Errorf("recording: the X server begins with %d", reply[1])
	}
	return s.conn.SetDeadline(time.Time{})
}

// run hands on what is recorded until the stream is closed or the server is
// gone, which is the error.
func (s *stream) run(take func(Input)) error {
	for {
		packet, err := s.server.read()
		if err != nil {
			return err
		}
		if packet[0] != isReply {
			continue
		}
		if packet[1] == endOfData {
			return errors.New("the X server has ended the recording")
		}
		now := time.Now()
		for event := packet[32:]; len(event) >= 32; event = event[32:] {
			if in, ok := parseInput(event[:32], now); ok {
				take(in)
			}
		}
	}
}

// close ends the stream: the server stops recording for a client that has gone.
func (s *stream) close() error { return s.server.conn.Close() }

// parseInput reads an event of the core protocol.
func parseInput(event []byte, now time.Time) (Input, bool) {
	in := Input{
		Kind: InputKind(event[0] & 0x7f), Time: binary.LittleEndian.Uint32(event[4:]), At: now,
		Point: desktop.Point{
			X: int(int16(binary.LittleEndian.Uint16(event[20:]))), Y: int(int16(binary.LittleEndian.Uint16(event[22:]))),
		},
		State: binary.LittleEndian.Uint16(event[28:]),
	}
	switch in.Kind {
	case KeyDown, KeyUp:
		in.Code = event[1]
	case ButtonDown, ButtonUp:
		in.Button = event[1]
	case Motion:
	default:
		return Input{}, false
	}
	return in, true
}
