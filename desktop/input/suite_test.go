//go:build linux && cgo

package input_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/input"
	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

// childVariable makes the test binary a process that does what it is told:
// robotgo has one display a process.
const childVariable = "OPENDESK_INPUT_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serve(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

func TestInput(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(20 * time.Second)
	RunSpecs(t, "input")
}

// full is set where the tests that take long are to run as well.
var full = os.Getenv("OPENDESK_FULL") != ""

// order is what a child is to do.
type order struct {
	Do        string
	Text      string
	Modifiers []string
	From, To  desktop.Point
	Button    desktop.Button
	Count     int
	Direction desktop.Direction
	Duration  time.Duration
	Timeout   time.Duration
}

// report is what came of it.
type report struct {
	Error       string
	Environment bool // it was a *desktop.EnvironmentError
	At          desktop.Point
	Took        time.Duration
}

// serve is the child.
func serve(in io.Reader, out io.Writer) {
	ctx := context.Background()
	d, err := x11.Open(ctx, os.Getenv("DISPLAY"))
	if err != nil {
		panic(err)
	}
	keys, err := d.Keymap(ctx)
	if err != nil {
		panic(err)
	}
	hand, err := input.Open(ctx, os.Getenv("DISPLAY"), keys)
	if err != nil {
		panic(err)
	}
	var _ interface {
		desktop.Pointer
		desktop.Keyboard
	} = hand
	orders, reports := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); err != nil {
			break
		}
		began := time.Now()
		r, err := obey(ctx, hand, o)
		r.Took = time.Since(began)
		if err != nil {
			var fault *desktop.EnvironmentError
			r.Error, r.Environment = err.Error(), errors.As(err, &fault)
		}
		if err := reports.Encode(r); err != nil {
			panic(err)
		}
	}
	if err := errors.Join(hand.Close(), d.Close()); err != nil {
		panic(err)
	}
}

func obey(ctx context.Context, hand *input.Input, o order) (r report, err error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	switch o.Do {
	case "type":
		err = hand.Type(ctx, o.Text)
	case "chord":
		err = hand.Chord(ctx, o.Text, o.Modifiers...)
	case "hold":
		err = hand.Hold(ctx, o.Text, o.Duration)
	case "move":
		err = hand.Move(ctx, o.To)
	case "click":
		err = hand.Click(ctx, o.Button, o.Count)
	case "scroll":
		err = hand.Scroll(ctx, o.Direction, o.Count)
	case "drag":
		err = hand.Drag(ctx, o.From, o.To, o.Duration)
	case "at":
		r.At, err = hand.PointerAt(ctx)
	default:
		err = fmt.Errorf("unknown order %q", o.Do)
	}
	return r, err
}

// hand is a child on a display.
type hand struct {
	*xvfbtest.Process
	orders  *json.Encoder
	reports *json.Decoder
}

func startHand(s *xvfbtest.Server) *hand {
	GinkgoHelper()
	GinkgoT().Setenv(childVariable, "1")
	return newHand(s)
}

func newHand(s *xvfbtest.Server) *hand {
	p := s.Run(os.Args[0])
	h := &hand{p, json.NewEncoder(p.Stdin), json.NewDecoder(p.Stdout)}
	Expect(h.do(order{Do: "at"}).Error).To(BeEmpty())
	return h
}

func (h *hand) do(o order) report {
	GinkgoHelper()
	Expect(h.orders.Encode(o)).To(Succeed())
	var r report
	Expect(h.reports.Decode(&r)).To(Succeed())
	return r
}

func (h *hand) must(o order) report {
	GinkgoHelper()
	r := h.do(o)
	Expect(r.Error).To(BeEmpty())
	return r
}

// end lets the child close everything.
func (h *hand) end() {
	GinkgoHelper()
	Expect(h.Stdin.Close()).To(Succeed())
	Expect(h.Wait()).To(Succeed())
}

// field is an application with a text field.
type field struct{ *xvfbtest.Process }

// content is the field's text and the events that it had.
type content struct {
	Text   string  `json:"text"`
	Events [][]any `json:"events"`
}

// showField starts the application and waits until it has the focus.
func showField(ctx context.Context, s *xvfbtest.Server, d *x11.Display, args ...string) field {
	GinkgoHelper()
	f := field{s.Run("/usr/bin/python3", append([]string{"testdata/field.py"}, args...)...)}
	Eventually(func() (*x11.Window, error) { return d.FocusedWindow(ctx) }).Should(
		And(Not(BeNil()), HaveField("Title", "field")))
	return f
}

func (f field) content() content {
	GinkgoHelper()
	_, err := io.WriteString(f.Stdin, "\n")
	Expect(err).NotTo(HaveOccurred())
	line, err := f.Stdout.ReadString('\n')
	Expect(err).NotTo(HaveOccurred())
	var c content
	Expect(json.Unmarshal([]byte(line), &c)).To(Succeed())
	return c
}

func (f field) text() string { return f.content().Text }

// events are those of one kind.
func (f field) events(kinds ...string) []string {
	var found []string
	for _, e := range f.content().Events {
		for _, k := range kinds {
			if e[0] == k {
				found = append(found, strings.Trim(fmt.Sprint(e...), "[]"))
			}
		}
	}
	return found
}
