//go:build linux && cgo

package input_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/jezek/xgb/xproto"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/input"
	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
	"github.com/opendesk/opendesk/internal/keysym"
	"github.com/opendesk/opendesk/program/tools"
)

func read(file string) string {
	b, _ := os.ReadFile(file)
	return string(b)
}

// keyboard is the display's whole keyboard mapping.
func keyboard(s *xvfbtest.Server) string {
	GinkgoHelper()
	cmd := exec.Command("xmodmap", "-pke")
	cmd.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin"}
	out, err := cmd.Output()
	Expect(err).NotTo(HaveOccurred())
	return string(out)
}

var _ = Describe("keys and pointer", func() {
	var s *xvfbtest.Server
	var d *x11.Display
	var wm *xvfbtest.Process
	var f field
	var h *hand
	BeforeEach(func(ctx context.Context) {
		s = xvfbtest.Start(GinkgoTB())
		wm = s.Openbox()
		var err error
		d, err = x11.Open(ctx, s.Display)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(d.Close)
		f = showField(ctx, s, d, "gtk3")
		h = startHand(s)
	})
	// keysAre are the keysyms and modifiers (1 Shift, 4 Ctrl, 8 Alt, 64 Super) that arrived.
	const mask = 1 | 4 | 8
	keysAre := func(want ...[2]int) {
		GinkgoHelper()
		Eventually(func() [][2]int {
			var got [][2]int
			for _, e := range f.content().Events {
				if e[0] == "key" {
					got = append(got, [2]int{int(e[1].(float64)), int(e[2].(float64)) & mask})
				}
			}
			return got
		}).Should(Equal(want))
	}

	It("press chords and release them", func(ctx context.Context) {
		h.must(order{Do: "chord", Text: "s", Modifiers: []string{"Control_L"}})
		h.must(order{Do: "chord", Text: "S", Modifiers: []string{"Control_L", "Shift_L"}})
		h.must(order{Do: "chord", Text: "Next", Modifiers: []string{"Alt_L"}})
		h.must(order{Do: "chord", Text: "+", Modifiers: []string{"Control_L"}})
		h.must(order{Do: "chord", Text: "ж", Modifiers: []string{"Control_L"}})
		h.must(order{Do: "chord", Text: "XF86AudioPlay"})
		h.must(order{Do: "chord", Text: "?"})
		const ctrl, shift, alt = 0xffe3, 0xffe1, 0xffe9
		keysAre([2]int{ctrl, 0}, [2]int{'s', 4},
			[2]int{ctrl, 0}, [2]int{shift, 4}, [2]int{'S', 5},
			[2]int{alt, 0}, [2]int{0xff56, 8},
			[2]int{ctrl, 0}, [2]int{shift, 4}, [2]int{'+', 5},
			[2]int{ctrl, 0}, [2]int{0x6d6, 4},
			[2]int{0x1008ff14, 0},
			[2]int{shift, 0}, [2]int{'?', 1})
		useLayout(s, "de")
		before := len(f.events("key"))
		h.must(order{Do: "chord", Text: "[", Modifiers: []string{"Control_L"}}) // AltGr+8 there
		Eventually(func() []string { return f.events("key")[before:] }).Should(Equal([]string{"key65507 0", "key91 4"}))
		useLayout(s, "ge", "-variant", "ru")
		before = len(f.events("key"))
		h.must(order{Do: "chord", Text: "a", Modifiers: []string{"Control_L"}}) // Shift+ფ there
		Eventually(func() []string { return f.events("key")[before:] }).Should(Equal([]string{"key65507 0", "key97 4"}))
		r := h.do(order{Do: "chord", Text: "nosuchkey", Modifiers: []string{"hyperdrive", "Control_L"}})
		Expect(r.Error).To(Equal("unknown key hyperdrive, nosuchkey"))
	}, NodeTimeout(time.Minute))

	It("press every key that programs can name", func(ctx context.Context) {
		var want [][2]int
		press := func(name string) {
			GinkgoHelper()
			key, err := tools.ParseKey(name)
			Expect(err).NotTo(HaveOccurred())
			h.must(order{Do: "chord", Text: key.Keysym})
			sym, _ := keysym.ByName(key.Keysym)
			want = append(want, [2]int{int(sym), 0})
		}
		for _, k := range tools.Keys() {
			if strings.HasSuffix(k.Keysym, "_Lock") || k.Keysym == "Menu" || k.Keysym == "Print" {
				continue // these change the keyboard, open a menu, go to the window manager
			}
			press(k.Name)
		}
		for _, m := range tools.Modifiers() {
			if m.Canonical != "" {
				press(m.Name)
			}
		}
		for _, name := range []string{"a", "7", "KP_Enter", "KP_7", "KP_Home", "eacute", "U20AC", "😀", "Sys_Req"} {
			press(name)
		}
		keysAre(want...)
	}, NodeTimeout(time.Minute))

	It("release what is down when the time is up", func(ctx context.Context) {
		r := h.do(order{Do: "hold", Text: "Shift_L", Duration: time.Minute, Timeout: 50 * time.Millisecond})
		Expect(r.Error).To(ContainSubstring("deadline"))
		began := time.Now()
		h.must(order{Do: "hold", Text: "Right", Duration: 100 * time.Millisecond})
		Expect(time.Since(began)).To(BeNumerically(">=", 100*time.Millisecond))
		h.must(order{Do: "type", Text: "a"})
		Eventually(f.text).Should(Equal("a"))
		r = h.do(order{Do: "drag", From: desktop.Point{X: 10, Y: 10}, To: desktop.Point{X: 300, Y: 200}, Duration: time.Minute, Timeout: 50 * time.Millisecond})
		Expect(r.Error).To(ContainSubstring("deadline"))
		Expect(buttons(s)).To(BeZero())
	}, NodeTimeout(time.Minute))

	It("click, double-click, and keep separate clicks apart", func(ctx context.Context) {
		w, err := d.FocusedWindow(ctx)
		Expect(err).NotTo(HaveOccurred())
		to := w.Bounds.Centre()
		h.must(order{Do: "move", To: to})
		Expect(h.must(order{Do: "at"}).At).To(Equal(to))
		h.must(order{Do: "click", Button: desktop.Left, Count: 1})
		h.must(order{Do: "click", Button: desktop.Left, Count: 1})
		Eventually(func() []string { return f.events("press", "double") }).Should(HaveLen(2))
		Expect(f.events("double")).To(BeEmpty())
		h.must(order{Do: "click", Button: desktop.Left, Count: 2})
		Eventually(func() []string { return f.events("double") }).Should(HaveLen(1), func() string { return fmt.Sprint(f.content().Events) })
		h.must(order{Do: "click", Button: desktop.Left, Count: 3})
		Eventually(func() []string { return f.events("triple") }).Should(HaveLen(1))
		h.must(order{Do: "click", Button: desktop.Middle, Count: 1})
		Eventually(func() []string { return f.events("press") }).Should(ContainElement(HavePrefix("press2")))
		Expect(h.do(order{Do: "move", To: desktop.Point{X: 5000, Y: 1}}).Error).To(Equal("(5000,1) is outside the screen (1024×768)"))
	}, NodeTimeout(time.Minute))

	It("move where the pointer is already, scroll and drag", func(ctx context.Context) {
		w, err := d.FocusedWindow(ctx)
		Expect(err).NotTo(HaveOccurred())
		to := w.Bounds.Centre()
		h.must(order{Do: "move", To: to})
		Eventually(func() []string { return f.events("motion") }).ShouldNot(BeEmpty())
		before := len(f.events("motion"))
		h.must(order{Do: "move", To: to})
		Eventually(func() int { return len(f.events("motion")) }).Should(BeNumerically(">", before))

		for _, d := range []desktop.Direction{desktop.Up, desktop.Down, desktop.ScrollLeft, desktop.ScrollRight} {
			h.must(order{Do: "scroll", Direction: d, Count: 2})
		}
		Eventually(func() []string { return f.events("scroll") }).Should(Equal([]string{
			"scrollup", "scrollup", "scrolldown", "scrolldown", "scrollleft", "scrollleft", "scrollright", "scrollright"}))

		before = len(f.events("motion"))
		h.must(order{Do: "drag", From: to, To: desktop.Point{X: to.X + 60, Y: to.Y + 10}, Duration: 150 * time.Millisecond})
		Expect(h.must(order{Do: "at"}).At).To(Equal(desktop.Point{X: to.X + 60, Y: to.Y + 10}))
		Eventually(func() []string { return f.events("press") }).Should(HaveLen(1))
		Eventually(func() []string { return f.events("release") }).Should(HaveLen(1))
		Expect(len(f.events("motion"))).To(BeNumerically(">=", before+5))
	}, NodeTimeout(time.Minute))

	It("say that a stopped window manager holds the pointer", func(ctx context.Context) {
		s.Run("xterm", "-T", "other", "-geometry", "20x5+0+0")
		Eventually(func() (*x11.Window, error) { return d.FocusedWindow(ctx) }).Should(HaveField("Title", "other"))
		windows, err := d.Windows(ctx)
		Expect(err).NotTo(HaveOccurred())
		h.must(order{Do: "move", To: windows[1].Bounds.Centre()})
		wm.Signal(syscall.SIGSTOP)
		r := h.do(order{Do: "click", Button: desktop.Left, Count: 1})
		Expect(r.Error).To(ContainSubstring("holds the pointer"))
		wm.Signal(syscall.SIGCONT)
		Eventually(func() []string { return f.events("press", "release") }).Should(HaveLen(2), "it comes late")
	}, NodeTimeout(time.Minute))

	It("say that the X server is silent or has gone, and live on", func(ctx context.Context) {
		s.Process.Signal(syscall.SIGSTOP)
		r := h.do(order{Do: "type", Text: "abc", Timeout: 300 * time.Millisecond})
		Expect(r.Error).To(ContainSubstring("deadline"))
		s.Process.Signal(syscall.SIGCONT)
		h.must(order{Do: "at"})
		s.Process.Kill()
		for _, o := range []order{{Do: "at"}, {Do: "type", Text: "a"}, {Do: "chord", Text: "Return"}, {Do: "move"},
			{Do: "click", Button: desktop.Left, Count: 1}, {Do: "scroll", Direction: desktop.Up, Count: 1}} {
			r := h.do(o)
			Expect(r.Environment).To(BeTrue(), "%s: %s", o.Do, r.Error)
			Expect(r.Took).To(BeNumerically("<", time.Second))
		}
	}, NodeTimeout(time.Minute))
})

var _ = Describe("opening", func() {
	It("insists on the process's display", func(ctx context.Context) {
		GinkgoT().Setenv("DISPLAY", ":4000")
		_, err := input.Open(ctx, ":4001", nil)
		Expect(err).To(MatchError(ContainSubstring(`whose DISPLAY is that and not ":4000"`)))
		_, err = input.Open(ctx, ":4000", nil)
		Expect(err).To(BeAssignableToTypeOf(&desktop.EnvironmentError{}))
	})
})

// buttons are the pointer buttons and modifiers that are down.
func buttons(s *xvfbtest.Server) uint16 {
	GinkgoHelper()
	c, err := xconn.Dial(context.Background(), s.Display, nil)
	Expect(err).NotTo(HaveOccurred())
	defer c.Close()
	state, err := xproto.QueryPointer(c.X, c.Root).Reply()
	Expect(err).NotTo(HaveOccurred())
	return state.Mask
}
