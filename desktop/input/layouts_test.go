//go:build linux && cgo

package input_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

// run runs a program on the display to its end.
func run(s *xvfbtest.Server, name string, args ...string) string {
	GinkgoHelper()
	cmd := exec.Command(name, args...)
	cmd.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	return string(out)
}

func useLayout(s *xvfbtest.Server, args ...string) {
	GinkgoHelper()
	run(s, "setxkbmap", args...)
}

// everyKey has what lies on dead keys, AltGr levels and both cases.
const everyKey = "aZzYy09 ^`´~¨'\" @€#\\|[]{}<> éèàòùç°§ äöüß !?&/()= ~n ^e 'a"

var _ = Describe("text does not depend on", func() {
	var s *xvfbtest.Server
	var d *x11.Display
	BeforeEach(func(ctx context.Context) {
		s = xvfbtest.Start(GinkgoTB())
		s.Openbox()
		var err error
		d, err = x11.Open(ctx, s.Display)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(d.Close)
	})

	for _, toolkit := range []string{"gtk3", "gtk4", "qt5", "qt6"} {
		It("locks, layouts and layout groups in "+toolkit, func(ctx context.Context) {
			f := showField(ctx, s, d, toolkit)
			h := startHand(s)
			want := ""
			typed := func(what string) {
				GinkgoHelper()
				By(what)
				h.must(order{Do: "type", Text: everyKey})
				want += everyKey
				Eventually(f.text).Should(Equal(want), what)
			}
			for _, layout := range [][]string{
				{"us"}, {"de"}, {"it"}, {"fr"}, {"us", "-variant", "intl"}, {"de", "-variant", "neo"}, {"us,de,ru"}, {"ru,us"}, {"jp"}, {"gr"},
			} {
				useLayout(s, layout...)
				typed(layout[len(layout)-1])
			}
			useLayout(s, "us,de,ru")
			for _, group := range []string{"1", "2"} {
				run(s, "/usr/bin/python3", "testdata/lock.py", "group", group)
				typed("group " + group)
				Expect(run(s, "/usr/bin/python3", "testdata/lock.py", "state")).To(HavePrefix("group "+group+" "), "it stays")
			}
			useLayout(s, "de")
			for _, lock := range []string{"Caps_Lock", "Num_Lock"} {
				h.must(order{Do: "chord", Text: lock})
				before := run(s, "/usr/bin/python3", "testdata/lock.py", "state")
				typed(lock)
				Expect(run(s, "/usr/bin/python3", "testdata/lock.py", "state")).To(Equal(before))
				Expect(before).NotTo(HaveSuffix("locked 0\n"))
			}
			h.end()
		}, NodeTimeout(2*time.Minute))
	}

	It("which of the system's layouts it is", func(ctx context.Context) {
		if !full {
			Skip("takes long: set OPENDESK_FULL=1")
		}
		f := showField(ctx, s, d, "qt5", "multiline")
		h := startHand(s)
		for _, layout := range everyLayout() {
			useLayout(s, layout...)
			h.must(order{Do: "type", Text: everyKey})
			Eventually(f.text).Should(Equal(everyKey), strings.Join(layout, " "))
			h.must(order{Do: "chord", Text: "a", Modifiers: []string{"Control_L"}})
			h.must(order{Do: "chord", Text: "Delete"})
			Eventually(f.text).Should(BeEmpty(), strings.Join(layout, " "))
		}
	}, NodeTimeout(10*time.Minute))

	It("input methods that compose", func(ctx context.Context) {
		for _, module := range []string{"GTK_IM_MODULE=xim", "QT_IM_MODULE=compose", "XMODIFIERS=@im=local", "LC_ALL=en_US.UTF-8"} {
			name, value, _ := strings.Cut(module, "=")
			GinkgoT().Setenv(name, value)
		}
		useLayout(s, "us", "-variant", "intl", "-option", "compose:menu")
		for _, toolkit := range []string{"gtk3", "qt5"} {
			f := showField(ctx, s, d, toolkit)
			h := startHand(s)
			h.must(order{Do: "type", Text: everyKey + "e\u0301"})
			Eventually(f.text).Should(Equal(everyKey + "e\u0301"))
			h.end()
			f.Kill()
		}
	}, NodeTimeout(time.Minute))
})

// everyLayout lists the layouts and their variants, as arguments of setxkbmap.
func everyLayout() (layouts [][]string) {
	GinkgoHelper()
	list, err := os.ReadFile("/usr/share/X11/xkb/rules/base.lst")
	Expect(err).NotTo(HaveOccurred())
	section := ""
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case fields[0] == "!":
			section = fields[1]
		case section == "layout" && fields[0] != "custom":
			layouts = append(layouts, []string{fields[0]})
		case section == "variant":
			layouts = append(layouts, []string{strings.TrimSuffix(fields[1], ":"), "-variant", fields[0]})
		}
	}
	Expect(len(layouts)).To(BeNumerically(">", 100))
	return layouts
}
