package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// A connection to an X server that speaks the few requests that recording
// needs. xgb gives of a request's replies only the first, and RECORD sends one
// for every event, for as long as it records.

// dialTimeout bounds each answer of the server but the recording itself.
const dialTimeout = 5 * time.Second

// server is such a connection, after its handshake.
type server struct {
	conn net.Conn
	ids  uint32 // the base of our resource ids
}

// dial connects to the display, with the cookie of XAUTHORITY where it has one.
func dial(display string) (*server, error) {
	host, number, err := splitDisplay(display)
	if err != nil {
		return nil, err
	}
	network, address := "unix", "/tmp/.X11-unix/X"+number
	if host != "" {
		network, address = "unix", display[:strings.LastIndexByte(display, ':')]
		if !strings.HasPrefix(host, "/") {
			return nil, fmt.Errorf("display %s is another machine's", display)
		}
	}
	conn, err := net.DialTimeout(network, address, dialTimeout)
	if err != nil {
		return nil, err
	}
	s := &server{conn: conn}
	if err := s.greet(number); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// splitDisplay takes a display's name apart; the screen does not matter.
func splitDisplay(display string) (host, number string, err error) {
	at := strings.LastIndexByte(display, ':')
	if at < 0 {
		return "", "", fmt.Errorf("%q is no name of a display", display)
	}
	number, _, _ = strings.Cut(display[at+1:], ".")
	for _, r := range number {
		if r < '0' || r > '9' {
			number = ""
		}
	}
	if number == "" {
		return "", "", fmt.Errorf("%q is no name of a display", display)
	}
	if host = display[:at]; host == "unix" {
		host = ""
	}
	return host, number, nil
}

// greet introduces us to the server.
func (s *server) greet(number string) error {
	name, data := cookie(number)
	hello := binary.LittleEndian.AppendUint16([]byte{'l', 0}, 11)
	hello = append(hello, 0, 0)
	hello = binary.LittleEndian.AppendUint16(hello, uint16(len(name)))
	hello = binary.LittleEndian.AppendUint16(hello, uint16(len(data)))
	hello = append(hello, 0, 0)
	hello = append(hello, padded(name)...)
	hello = append(hello, padded(data)...)
	if err := s.conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return err
	}
	if _, err := s.conn.Write(hello); err != nil {
		return err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(s.conn, head); err != nil {
		return err
	}
	body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(s.conn, body); err != nil {
		return err
	}
	if head[0] != 1 {
		reason := body[:min(len(body), int(head[1]))]
		return fmt.Errorf("the X server refused the connection: %s", bytes.TrimSpace(reason))
	}
	if len(body) < 8 {
		return errors.New("the X server's greeting is too short")
	}
	s.ids = binary.LittleEndian.Uint32(body[4:])
	return nil
}

// padded fills up to a multiple of four bytes.
func padded(b []byte) []byte { return append(b[:len(b):len(b)], make([]byte, (4-len(b)%4)%4)...) }

// request sends one request. Its data is a multiple of four bytes long.
func (s *server) request(opcode, minor byte, data []byte) error {
	b := binary.LittleEndian.AppendUint16([]byte{opcode, minor}, uint16(1+len(data)/4))
	_, err := s.conn.Write(append(b, data...))
	return err
}

// The first byte of what the server sends.
const (
	isError = 0
	isReply = 1
)

// read reads one packet: a reply with all of its data, an error, or an event.
func (s *server) read() ([]byte, error) {
	packet := make([]byte, 32)
	if _, err := io.ReadFull(s.conn, packet); err != nil {
		return nil, err
	}
	if packet[0] != isReply {
		return packet, nil
	}
	more := binary.LittleEndian.Uint32(packet[4:])
	if more > maxReply {
		return nil, fmt.Errorf("the X server's answer has %d words", more)
	}
	packet = append(packet, make([]byte, 4*more)...)
	_, err := io.ReadFull(s.conn, packet[32:])
	return packet, err
}

// maxReply bounds the data of a reply, in words of four bytes.
const maxReply = 1 << 20

// ask sends a request and waits for its reply.
func (s *server) ask(what string, opcode, minor byte, data []byte) ([]byte, error) {
	if err := s.request(opcode, minor, data); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	for {
		packet, err := s.read()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", what, err)
		case packet[0] == isError:
			return nil, fmt.Errorf("%s: the X server answers with error %d", what, packet[1])
		case packet[0] == isReply:
			return packet, nil
		}
	}
}

// cookie is the secret that lets us in to the local display of that number;
// nothing where there is none, which many servers do not mind.
func cookie(number string) (name, data []byte) {
	file := os.Getenv("XAUTHORITY")
	if file == "" {
		file = os.Getenv("HOME") + "/.Xauthority"
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, nil
	}
	host, _ := os.Hostname()
	return parseCookie(content, host, number)
}

// parseCookie finds the entry of a file of X authorities.
func parseCookie(file []byte, host, number string) (name, data []byte) {
	const familyLocal, familyWild = 256, 65535
	field := func() (f []byte) {
		if len(file) < 2 {
			file = nil
			return nil
		}
		n := int(binary.BigEndian.Uint16(file))
		if len(file) < 2+n {
			file = nil
			return nil
		}
		f, file = file[2:2+n], file[2+n:]
		return f
	}
	for len(file) > 2 {
		family := binary.BigEndian.Uint16(file)
		file = file[2:]
		address, display, name, data := field(), field(), field(), field()
		if file == nil {
			break
		}
		here := family == familyWild || family == familyLocal && string(address) == host
		if here && (len(display) == 0 || string(display) == number) {
			return name, data
		}
	}
	return nil, nil
}
