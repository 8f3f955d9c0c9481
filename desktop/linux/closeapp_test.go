//go:build linux

package linux

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/opendesk/opendesk/desktop"
)

func TestIdleness(t *testing.T) {
	at := time.Unix(1000, 0)
	one, two := make([]seenWindow, 1), make([]seenWindow, 2)
	working := func(cpu time.Duration, state byte) []process {
		return []process{{pid: 1, cpu: cpu, state: 'S'}, {pid: 2, state: state}}
	}
	var i idleness
	const tick = 10 * time.Millisecond
	cpu := time.Duration(0)
	for n, look := range []struct {
		after   time.Duration
		windows []seenWindow
		cpu     time.Duration // used since the look before
		state   byte
		idle    time.Duration
	}{
		{0, one, 0, 'S', 0},
		{time.Second, one, 0, 'S', time.Second},
		{time.Second, one, tick, 'S', 2 * time.Second}, // a blinking caret
		{time.Second, one, tick, 'S', 3 * time.Second},
		{time.Second, one, 5 * tick, 'S', 0}, // it did something
		{time.Second, one, 0, 'S', time.Second},
		{time.Second, two, 0, 'S', 0}, // another window came
		{3 * time.Second, two, 0, 'S', 3 * time.Second},
		{100 * time.Millisecond, two, 0, 'R', 3100 * time.Millisecond}, // seen to answer
		{300 * time.Millisecond, two, 0, 'R', 0},                       // it waits for a processor
		{time.Second, two, 0, 'S', time.Second},
		{50 * time.Millisecond, two, 0, 'D', 1050 * time.Millisecond},
		{100 * time.Millisecond, two, 0, 'D', 0}, // it waits for a device
		{time.Second, two, -time.Second, 'S', 0}, // one that had worked has ended
		{time.Second, two, 2 * tick, 'S', time.Second},
		{time.Millisecond, two, 0, 'S', 1001 * time.Millisecond},
	} {
		at = at.Add(look.after)
		cpu += look.cpu
		if got := i.since(at, look.windows, working(cpu, look.state)); got != look.idle {
			t.Errorf("look %d: idle for %v, want %v", n, got, look.idle)
		}
	}
}

// forced matches an application that had to be ended; by how many signals
// depends on how busy the machine is.
func forced(why string) types.GomegaMatcher {
	return And(HaveField("Forced", Not(BeEmpty())), HaveField("Why", why))
}

var _ = Describe("closing applications", func() {
	closing := func(ctx context.Context, name string) (*desktop.Closed, time.Duration) {
		GinkgoHelper()
		began := time.Now()
		closed, err := desk.CloseApp(ctx, name, seconds(20))
		Expect(err).NotTo(HaveOccurred())
		_, windows := desk.of(must(desk.look(ctx)), name)
		Expect(windows).To(BeEmpty())
		return closed, time.Since(began)
	}

	It("ends mousepad that asks whether to save, and says what it asked", func(ctx SpecContext) {
		mousepad := open("mousepad")
		Expect(desk.Type(ctx, "not saved")).To(Succeed())
		Eventually(func() string { return must(desk.FocusedWindow(ctx)).Title }).WithTimeout(seconds(5)).Should(HavePrefix("*"))
		closed, took := closing(ctx, "mousepad")
		Expect(closed).To(forced("it asked back: window 'Save Changes'"))
		Expect(took).To(BeNumerically("<", seconds(12)))
		Expect(alive(mousepad.App.PID)).To(BeFalse())
	})

	It("closes all windows, and a dialog that keeps the others from hearing", func(ctx SpecContext) {
		script := shared.script("windows.py", gtkScript(`
a, b = window("One"), window("Two")
a.connect("destroy", lambda *x: None)
def ask():
    d = Gtk.MessageDialog(transient_for=b, modal=True, text="Busy", title="Dialog")
    d.run()
    d.destroy()
GLib.idle_add(ask)`))
		open(script)
		Eventually(func() int { return len(must(desk.Windows(ctx))) }).WithTimeout(seconds(5)).Should(Equal(3))
		closed, _ := closing(ctx, script)
		Expect(closed).To(Equal(&desktop.Closed{}))
	})

	It("lets an application finish that works on without a window", func(ctx SpecContext) {
		script := shared.script("finish.py", gtkScript(`
def finish(*a):
    end = time.time() + 4
    while time.time() < end: pass
    print("finished", flush=True)
window("Finish").connect_after("destroy", finish)`))
		open(script)
		closed, took := closing(ctx, script)
		Expect(closed).To(Equal(&desktop.Closed{}))
		Expect(took).To(BeNumerically(">", seconds(3)))
		Expect(desk.opened.last(script).tail()).To(ContainSubstring("finished"))
	})

	It("leaves alone another application that its process shows", func(ctx SpecContext) {
		data := filepath.Join(shared.env.dataDirs()[0], "applications")
		Expect(os.MkdirAll(data, 0o700)).To(Succeed())
		for _, name := range []string{"Sheets", "Letters"} {
			file := filepath.Join(data, "test."+name+".desktop")
			Expect(os.WriteFile(file, []byte("[Desktop Entry]\nName=Test "+name+"\nExec=sleep\nStartupWMClass="+name+"\n"), 0o600)).To(Succeed())
			DeferCleanup(os.Remove, file)
		}
		script := shared.script("office.py", gtkScript(`
left = 2
def gone(*a):
    global left
    left -= 1
    if left == 0: Gtk.main_quit()
for name in "Sheets", "Letters":
    w = Gtk.Window(title=name)
    w.set_wmclass(name.lower(), name)
    w.add(Gtk.Button(label="Press"))
    w.connect("destroy", gone)
    w.show_all()`))
		opened := open(script)
		windows := func() (titles []string) {
			for _, w := range must(desk.Windows(ctx)) {
				titles = append(titles, w.Title)
			}
			return titles
		}
		Eventually(windows).WithTimeout(seconds(5)).Should(ConsistOf("Sheets", "Letters"))
		for _, name := range []string{"Test Sheets", "Test Letters"} {
			Expect(must(desk.Snapshot(ctx, name, 0)).Apps).To(HaveLen(1), name)
			Expect(must(desk.AppState(ctx, name)).Windows).To(Equal(1), name)
		}
		Expect(must(desk.CloseApp(ctx, "Test Sheets", seconds(5)))).To(Equal(&desktop.Closed{}))
		Expect(windows()).To(ConsistOf("Letters"))
		Expect(alive(opened.App.PID)).To(BeTrue())
		Expect(must(desk.CloseApp(ctx, "Test Letters", seconds(5)))).To(Equal(&desktop.Closed{}))
		Expect(alive(opened.App.PID)).To(BeFalse())
	})

	It("ends one whose main loop is busy for ever", func(ctx SpecContext) {
		script := shared.script("busy.py", gtkScript(`
def busy(signal, frame):
    print("busy", flush=True)
    while True: pass
signal.signal(signal.SIGUSR1, busy)
GLib.timeout_add(50, lambda: True) # lets Python see the signal
window("Busy")`))
		opened := open(script)
		Expect(syscall.Kill(opened.App.PID, syscall.SIGUSR1)).To(Succeed())
		Eventually(desk.opened.last(script).tail).WithTimeout(seconds(5)).Should(ContainSubstring("busy"))
		began := time.Now()
		Expect(must(desk.CloseApp(ctx, script, seconds(4)))).To(forced("it still ran when its time was up, with window 'Busy'"))
		Expect(time.Since(began)).To(BeNumerically("<", seconds(15)))
	})
})
