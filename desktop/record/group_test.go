package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/trajectory"
)

// hand makes inputs, each some milliseconds after the one before.
type hand struct {
	ms     uint32
	at     desktop.Point
	inputs []Input
}

func (h *hand) add(in Input) *hand {
	in.Time, in.Point = h.ms, h.at
	in.At = start.Add(time.Duration(h.ms) * time.Millisecond)
	h.inputs = append(h.inputs, in)
	return h
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (h *hand) wait(ms uint32) *hand { h.ms += ms; return h }

func (h *hand) move(x, y int) *hand {
	h.at = desktop.Point{X: x, Y: y}
	return h.add(Input{Kind: Motion})
}

func (h *hand) down(button byte, state ...uint16) *hand {
	return h.add(Input{Kind: ButtonDown, Button: button, State: slices.Max(append(state, 0))})
}

func (h *hand) up(button byte) *hand { return h.add(Input{Kind: ButtonUp, Button: button}) }

func (h *hand) click(button byte, state ...uint16) *hand {
	return h.down(button, state...).wait(40).up(button).wait(60)
}

func (h *hand) text(s string) *hand {
	for _, r := range s {
		h.add(Input{Kind: KeyDown, Stroke: Stroke{Text: string(r)}}).add(Input{Kind: KeyUp}).wait(100)
	}
	return h
}

func (h *hand) key(name string, modifiers ...string) *hand {
	h.add(Input{Kind: KeyDown, Stroke: Stroke{}}) // a modifier
	return h.add(Input{Kind: KeyDown, Stroke: Stroke{Key: name, Modifiers: modifiers}}).add(Input{Kind: KeyUp}).wait(100)
}

func (a *action) String() string {
	s := string(a.kind)
	switch a.kind {
	case trajectory.Type:
		s += fmt.Sprintf(" %q", a.text)
	case trajectory.Key:
		s += " " + chord(a.modifiers, a.key)
	case trajectory.Drag:
		s += fmt.Sprintf(" %d,%d to %d,%d", a.at.X, a.at.Y, a.to.X, a.to.Y)
	case trajectory.Scroll:
		s += fmt.Sprintf(" %d,%d", a.scrollX, a.scrollY)
	default:
		s += fmt.Sprintf(" %d,%d", a.at.X, a.at.Y)
	}
	if a.kind != trajectory.Key && len(a.modifiers) > 0 {
		s += " " + strings.Join(a.modifiers, "+")
	}
	return s
}

// actions feeds the inputs to a grouper whose clock is theirs.
func (h *hand) actions() (told []string, seen int) {
	g := newGrouper(func(Input) *sighting { seen++; return nil })
	tell := func(over []*action) {
		for _, a := range over {
			told = append(told, a.String())
		}
	}
	for _, in := range h.inputs {
		if due := g.due(); !due.IsZero() && due.Before(in.At) {
			tell(g.expire(due))
		}
		tell(g.take(in))
	}
	tell(g.finish())
	return told, seen
}

func TestGroup(t *testing.T) {
	at := func() *hand { return (&hand{ms: 1000}).move(100, 200) }
	for name, test := range map[string]struct {
		hand *hand
		want []string
		seen int // actions begun, as many as told where 0
	}{
		"a click":                            {hand: at().click(1), want: []string{"click 100,200"}},
		"a click with a trembling hand":      {hand: at().down(1).wait(30).move(104, 203).up(1), want: []string{"click 100,200"}},
		"two clicks":                         {hand: at().click(1).wait(500).click(1), want: []string{"click 100,200", "click 100,200"}},
		"two clicks in two places":           {hand: at().click(1).move(140, 200).click(1), want: []string{"click 100,200", "click 140,200"}},
		"a double click":                     {hand: at().click(1).click(1), want: []string{"double_click 100,200"}},
		"a triple click":                     {hand: at().click(1).click(1).click(1), want: []string{"triple_click 100,200"}},
		"a triple click and a click":         {hand: at().click(1).click(1).click(1).click(1), want: []string{"triple_click 100,200", "click 100,200"}},
		"a click and a double click":         {hand: at().click(1).wait(500).click(1).click(1), want: []string{"click 100,200", "double_click 100,200"}},
		"a double click held long":           {hand: at().click(1).down(1).wait(900).up(1), want: []string{"double_click 100,200"}},
		"a click held long":                  {hand: at().down(1).wait(2000).up(1), want: []string{"click 100,200"}},
		"a right click":                      {hand: at().click(3), want: []string{"right_click 100,200"}},
		"two right clicks":                   {hand: at().click(3).click(3), want: []string{"right_click 100,200", "right_click 100,200"}},
		"a middle click":                     {hand: at().click(2), want: []string{"middle_click 100,200"}},
		"a left and a right click":           {hand: at().click(1).click(3), want: []string{"click 100,200", "right_click 100,200"}},
		"a click with ctrl":                  {hand: at().click(1, 1<<2), want: []string{"click 100,200 ctrl"}},
		"clicks with and without ctrl":       {hand: at().click(1, 1<<2).click(1), want: []string{"click 100,200 ctrl", "click 100,200"}},
		"a drag":                             {hand: at().down(1).wait(50).move(150, 260).wait(50).move(300, 200).up(1), want: []string{"drag 100,200 to 300,200"}},
		"a drag and back again":              {hand: at().down(1).move(300, 200).move(101, 200).up(1), want: []string{"click 100,200"}},
		"a click before a drag":              {hand: at().click(1).down(1).move(300, 200).up(1), want: []string{"click 100,200", "drag 100,200 to 300,200"}, seen: 1},
		"the wheel":                          {hand: at().click(5).click(5).click(5), want: []string{"scroll 0,-3"}},
		"the wheel the other way":            {hand: at().click(5).click(4).click(4), want: []string{"scroll 0,-1", "scroll 0,2"}},
		"the wheel sideways":                 {hand: at().click(6).click(7), want: []string{"scroll -1,0", "scroll 1,0"}},
		"the wheel in two places":            {hand: at().click(5).move(200, 200).click(5), want: []string{"scroll 0,-1", "scroll 0,-1"}},
		"the wheel after a pause":            {hand: at().click(5).wait(1200).click(5), want: []string{"scroll 0,-1", "scroll 0,-1"}},
		"the wheel with ctrl":                {hand: at().click(4, 1<<2), want: []string{"scroll 0,1 ctrl"}},
		"a text":                             {hand: at().text("hello you"), want: []string{`type "hello you"`}},
		"a text with a short pause":          {hand: at().text("one").wait(440).text("two"), want: []string{`type "onetwo"`}},
		"a text with a pause":                {hand: at().text("one").wait(460).text("two"), want: []string{`type "one"`, `type "two"`}},
		"a text, a key, a text":              {hand: at().text("a").key("return").text("b"), want: []string{`type "a"`, "key return", `type "b"`}},
		"a backspace":                        {hand: at().text("ab").key("backspace").text("c"), want: []string{`type "ab"`, "key backspace", `type "c"`}},
		"a text and a click":                 {hand: at().text("ab").click(1).text("c"), want: []string{`type "ab"`, "click 100,200", `type "c"`}},
		"a text while the pointer moves":     {hand: at().text("a").move(1, 1).text("b"), want: []string{`type "ab"`}},
		"a chord":                            {hand: at().key("s", "ctrl", "shift"), want: []string{"key ctrl+shift+s"}},
		"keys":                               {hand: at().key("tab").key("tab"), want: []string{"key tab", "key tab"}},
		"a button that was down at first":    {hand: at().up(1).click(1), want: []string{"click 100,200"}},
		"a button that stays down":           {hand: at().down(1), want: nil, seen: 1},
		"a key between the two halves":       {hand: at().down(1).text("a").up(1), want: []string{`type "a"`, "click 100,200"}},
		"two buttons at once":                {hand: at().down(1).down(3).up(3).up(1), want: []string{"right_click 100,200", "click 100,200"}},
		"a double click, right button first": {hand: at().click(3).click(1).click(1), want: []string{"right_click 100,200", "double_click 100,200"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, seen := test.hand.actions()
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if want := max(test.seen, len(test.want)); test.seen == 0 && seen != want {
				t.Errorf("%d actions were looked at, want %d", seen, want)
			}
		})
	}
}

// The server's clock begins again at 0.
func TestGroupAcrossTheEndOfTime(t *testing.T) {
	h := (&hand{ms: 1<<32 - 100}).move(5, 5).click(1).click(1)
	if got, _ := h.actions(); !slices.Equal(got, []string{"double_click 5,5"}) {
		t.Errorf("got %v", got)
	}
}

// A click is told once no second one can come, and not before.
func TestDue(t *testing.T) {
	g := newGrouper(func(Input) *sighting { return nil })
	h := (&hand{ms: 1000}).click(1)
	for _, in := range h.inputs {
		g.take(in)
	}
	due := g.due()
	if due.Sub(h.inputs[0].At) < clickPause {
		t.Errorf("told after %v", due.Sub(h.inputs[0].At))
	}
	if over := g.expire(due.Add(-time.Millisecond)); over != nil {
		t.Errorf("told too early: %v", over)
	}
	if over := g.expire(due); len(over) != 1 || !g.due().IsZero() {
		t.Errorf("told %v", over)
	}
}

func FuzzGroup(f *testing.F) {
	f.Add([]byte{4, 1, 5, 1, 2, 97, 6, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		g := newGrouper(func(in Input) *sighting { return &sighting{} })
		began, ended := 0, 0
		count := func(over []*action) {
			for _, a := range over {
				ended++
				if a.ended.Before(a.began) || a.seen == nil || a.kind == "" {
					t.Fatalf("%+v", a)
				}
			}
		}
		now := start
		for i := 0; i+1 < len(data); i += 2 {
			in := Input{Kind: InputKind(data[i] & 7), Time: uint32(i * 37), At: now, Button: data[i+1] & 15, State: uint16(data[i]) >> 3,
				Point: desktop.Point{X: int(data[i+1]), Y: int(data[i])}}
			now = now.Add(time.Duration(data[i]) * time.Millisecond)
			if in.Kind == KeyDown {
				in.Stroke = Stroke{Text: string(rune(data[i+1]))}
			}
			if in.Kind == ButtonDown || in.Kind == KeyDown {
				began++
			}
			count(g.take(in))
			count(g.expire(now))
		}
		if count(g.finish()); ended > began {
			t.Fatalf("%d actions of %d inputs that begin one", ended, began)
		}
	})
}
