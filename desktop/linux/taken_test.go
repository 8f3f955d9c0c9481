//go:build linux

package linux

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

// busyGTK3 sleeps in the handler of F9, and appends what was picked when OK
// was pressed to its label.
const busyGTK3 = `#!/usr/bin/python3
import time, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, Gdk
picked = ["nothing"]
w = Gtk.Window(title="Busy")
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
area = Gtk.EventBox(); area.add(Gtk.Label(label="Pick me")); area.set_size_request(200, 80)
said = Gtk.Label(label="said:"); ok = Gtk.Button(label="OK")
for widget in (area, ok, said): column.add(widget)
w.add(column)
def press(*_): picked[0] = "picked"
def click(*_):
    said.set_text(said.get_text() + " " + picked[0]); picked[0] = "nothing"
def key(_, event):
    if event.keyval == Gdk.KEY_F9: time.sleep(0.3)
area.connect("button-press-event", press); ok.connect("clicked", click); w.connect("key-press-event", key)
w.show_all()
Gtk.main()
`

var _ = Describe("what an application is asked for over the bus", func() {
	It("does not overtake the input that it was given before", func(ctx SpecContext) {
		open(shared.script("busy-gtk3.py", busyGTK3))
		area := find(ctx, "busy-gtk3.py", named("label", "Pick me"))
		ok := find(ctx, "busy-gtk3.py", named("push button", "OK"))
		want := "said:"
		for range 4 {
			want += " picked"
			Expect(desk.Chord(ctx, "F9")).To(Succeed())
			click(ctx, area)
			Expect(desk.Act(ctx, ok, desktop.Press)).To(Succeed())
			Eventually(func() *desktop.Element { return find(ctx, "busy-gtk3.py", named("label", want)) }).
				WithTimeout(seconds(3)).ShouldNot(BeNil(), want)
		}
	})
})
