package record

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"
)

// authority is a file of X authorities with one entry.
func authority(family uint16, address, number, name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, family)
	for _, field := range [][]byte{[]byte(address), []byte(number), []byte(name), data} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(field)))
		b = append(b, field...)
	}
	return b
}

func TestCookie(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, 16)
	other := authority(256, "elsewhere", "3", "MIT-MAGIC-COOKIE-1", bytes.Repeat([]byte{8}, 16))
	for name, test := range map[string]struct {
		file []byte
		want []byte
	}{
		"of this display":  {append(other, authority(256, "here", "3", "MIT-MAGIC-COOKIE-1", secret)...), secret},
		"of any machine":   {authority(65535, "", "3", "MIT-MAGIC-COOKIE-1", secret), secret},
		"of any display":   {authority(256, "here", "", "MIT-MAGIC-COOKIE-1", secret), secret},
		"of another":       {authority(256, "here", "4", "MIT-MAGIC-COOKIE-1", secret), nil},
		"of no display":    {other, nil},
		"of a torn file":   {authority(256, "here", "3", "MIT-MAGIC-COOKIE-1", secret)[:30], nil},
		"of an empty file": {nil, nil},
	} {
		if _, got := parseCookie(test.file, "here", "3"); !bytes.Equal(got, test.want) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func FuzzCookie(f *testing.F) {
	f.Add(authority(256, "here", "3", "MIT-MAGIC-COOKIE-1", []byte("secret")))
	f.Add([]byte{0xff})
	f.Fuzz(func(_ *testing.T, file []byte) { parseCookie(file, "here", "3") })
}

func TestSplitDisplay(t *testing.T) {
	for display, want := range map[string][2]string{
		":0": {"", "0"}, ":107.0": {"", "107"}, "unix:3": {"", "3"}, "there:4": {"there", "4"}, "/tmp/x:5": {"/tmp/x", "5"},
	} {
		if host, number, err := splitDisplay(display); err != nil || host != want[0] || number != want[1] {
			t.Errorf("%s: got %q %q %v", display, host, number, err)
		}
	}
	for _, display := range []string{"", "0", ":", ":x", "real", ":1x"} {
		if _, _, err := splitDisplay(display); err == nil {
			t.Errorf("%q is a display", display)
		}
	}
}

func TestParseInput(t *testing.T) {
	event := make([]byte, 32)
	event[0], event[1] = byte(ButtonDown), 3
	binary.LittleEndian.PutUint32(event[4:], 12345)
	binary.LittleEndian.PutUint16(event[20:], 640)
	binary.LittleEndian.PutUint16(event[22:], 0xffff) // -1
	binary.LittleEndian.PutUint16(event[28:], 5)
	in, ok := parseInput(event, time.Time{})
	if !ok || in.Kind != ButtonDown || in.Button != 3 || in.Time != 12345 || in.Point.X != 640 || in.Point.Y != -1 || in.State != 5 {
		t.Errorf("got %+v %v", in, ok)
	}
	if event[0] = 12; true { // Expose
		if _, ok := parseInput(event, time.Time{}); ok {
			t.Error("is no input")
		}
	}
}
