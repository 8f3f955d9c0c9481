package atspi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/godbus/dbus/v5"
)

// The parts of the D-Bus protocol that reading trees consists of, without
// reflection and without a goroutine a call: the calls, and answers of the types
// that AT-SPI gives. What is not understood here, the library decodes.

// Message types, and the header's fields, by their numbers in the protocol.
const (
	typeCall   = 1
	typeReply  = 2
	typeError  = 3
	typeSignal = 4

	fieldPath        = 1
	fieldInterface   = 2
	fieldMember      = 3
	fieldReplySerial = 5
	fieldDestination = 6
	fieldSender      = 7
	fieldSignature   = 8
)

// headLength is the length of what every message begins with, up to the fields.
const headLength = 16

// maxMessage is the longest message that the protocol allows.
const maxMessage = 1 << 27

var errMessage = errors.New("malformed D-Bus message")

// messageLength is the length of the message that begins like that.
func messageLength(head []byte) (int, error) {
	if head[0] != 'l' && head[0] != 'B' {
		return 0, errMessage
	}
	order := orderOf(head[0] == 'B')
	body, fields := uint64(order.Uint32(head[4:])), uint64(order.Uint32(head[12:]))
	length := headLength + (fields+7)&^7 + body
	if length > maxMessage {
		return 0, errMessage
	}
	return int(length), nil
}

// appendCall adds a method call to out. Arguments are strings, lists of strings,
// int32, uint32 and variants of bool; others are refused.
func appendCall(out []byte, serial uint32, r *request) ([]byte, error) {
	dot := strings.LastIndexByte(r.method, '.')
	if dot < 0 {
		return nil, errors.New("method without an interface: " + r.method)
	}
	var signature, body []byte
	for _, arg := range r.args {
		switch v := arg.(type) {
		case string:
			signature, body = append(signature, 's'), appendString(body, v)
		case []string:
			signature = append(signature, "as"...)
			body = pad(body, 4)
			at := len(body)
			body = append(body, 0, 0, 0, 0)
			for _, s := range v {
				body = appendString(body, s)
			}
			binary.LittleEndian.PutUint32(body[at:], uint32(len(body)-at-4))
		case int32:
			signature, body = append(signature, 'i'), binary.LittleEndian.AppendUint32(pad(body, 4), uint32(v))
		case uint32:
			signature, body = append(signature, 'u'), binary.LittleEndian.AppendUint32(pad(body, 4), v)
		case dbus.Variant:
			on, isBool := v.Value().(bool)
			if !isBool {
				return nil, errMessage
			}
			signature, body = append(signature, 'v'), pad(append(body, 1, 'b', 0), 4)
			number := uint32(0)
			if on {
				number = 1
			}
			body = binary.LittleEndian.AppendUint32(body, number)
		default:
			return nil, errMessage
		}
	}
	flags := byte(dbus.FlagNoAutoStart)
	if r.activate {
		flags = 0
	}
	// A message begins where the buffer is aligned, or it is not aligned within.
	m := append(make([]byte, 0, 256), 'l', typeCall, flags, 1)
	m = binary.LittleEndian.AppendUint32(m, uint32(len(body)))
	m = binary.LittleEndian.AppendUint32(m, serial)
	m = append(m, 0, 0, 0, 0)
	m = appendField(m, fieldPath, 'o', string(r.path))
	m = appendField(m, fieldDestination, 's', r.dest)
	m = appendField(m, fieldInterface, 's', r.method[:dot])
	m = appendField(m, fieldMember, 's', r.method[dot+1:])
	if len(signature) > 0 {
		m = append(pad(m, 8), fieldSignature, 1, 'g', 0, byte(len(signature)))
		m = append(append(m, signature...), 0)
	}
	binary.LittleEndian.PutUint32(m[12:], uint32(len(m)-headLength))
	return append(append(out, pad(m, 8)...), body...), nil
}

// appendField adds a field of the header, of type string or path. One without a
// value is left out, as the destination is between two peers.
func appendField(m []byte, code, kind byte, value string) []byte {
	if value == "" {
		return m
	}
	return appendString(append(pad(m, 8), code, 1, kind, 0), value)
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint32(pad(b, 4), uint32(len(s)))
	return append(append(b, s...), 0)
}

func pad(b []byte, to int) []byte {
	for len(b)%to != 0 {
		b = append(b, 0)
	}
	return b
}

// header is what is needed to know of a message. Its slices are parts of the
// message.
type header struct {
	kind    byte
	big     bool // the order of bytes
	replyTo uint32

	path, iface, member, sender, signature, body []byte
}

// parseHeader reads a whole message up to its body. It reports false for one
// that is malformed.
func parseHeader(message []byte) (h header, ok bool) {
	if len(message) < headLength {
		return h, false
	}
	h.kind, h.big = message[1], message[0] == 'B'
	body := int(orderOf(h.big).Uint32(message[4:]))
	if body > len(message)-headLength {
		return h, false
	}
	h.body = message[len(message)-body:]
	end := headLength + int(orderOf(h.big).Uint32(message[12:]))
	if end > len(message)-body {
		return h, false
	}
	c := cursor{b: message[:end], big: h.big, at: headLength}
	for c.at < end && !c.bad {
		c.align(8)
		code, kind := c.byte(), c.signature()
		switch {
		case len(kind) != 1:
			c.bad = true
		case kind[0] == 'u':
			if v := c.uint32(); code == fieldReplySerial {
				h.replyTo = v
			}
		case kind[0] == 'g':
			if v := c.signature(); code == fieldSignature {
				h.signature = v
			}
		case kind[0] == 's' || kind[0] == 'o':
			v := c.bytes()
			switch code {
			case fieldPath:
				h.path = v
			case fieldInterface:
				h.iface = v
			case fieldMember:
				h.member = v
			case fieldSender:
				h.sender = v
			}
		default:
			c.bad = true
		}
	}
	return h, !c.bad
}

// answerOf gives the values of a reply, or the error that it is.
func answerOf(h header, message []byte) ([]any, error) {
	if h.kind == typeReply {
		if body, ok := parseBody(h); ok {
			return body, nil
		}
	}
	m, err := dbus.DecodeMessage(bytes.NewReader(message))
	switch {
	case err != nil:
		return nil, err
	case m.Type == dbus.TypeError:
		name, _ := m.Headers[dbus.FieldErrorName].Value().(string)
		return nil, dbus.Error{Name: name, Body: m.Body}
	}
	return m.Body, nil
}

// parseBody reads the answers that are given often. It reports false for what
// it does not know.
func parseBody(h header) (body []any, ok bool) {
	c := cursor{b: h.body, big: h.big}
	var v any
	switch string(h.signature) {
	case "":
		return nil, true
	case "v":
		kind := c.signature()
		if len(kind) != 1 {
			return nil, false
		}
		if v = c.basic(kind[0]); v == nil {
			return nil, false
		}
		v = inside{v}
	case "au":
		v = c.uint32s()
	case "as":
		v = c.strings()
	case "(so)":
		c.align(8)
		v = c.ref()
	case "a(so)":
		v = c.refs()
	case "(iiii)":
		c.align(8)
		v = box{int32(c.uint32()), int32(c.uint32()), int32(c.uint32()), int32(c.uint32())}
	case itemsSignature, oldItemsSignature:
		v = c.items(string(h.signature) == oldItemsSignature)
	default:
		if len(h.signature) != 1 {
			return nil, false
		}
		if v = c.basic(h.signature[0]); v == nil {
			return nil, false
		}
	}
	return []any{v}, !c.bad && c.at == len(c.b)
}

// inside is the value in a variant.
type inside struct{ value any }

// box is a "(iiii)".
type box [4]int32
