//go:build linux

package x11_test

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/x11"
	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

var _ = Describe("what is put back", func() {
	var s *xvfbtest.Server
	BeforeEach(func() {
		for _, needed := range []string{"xclip", "xdotool", "setxkbmap", "xkbcomp"} {
			if _, err := exec.LookPath(needed); err != nil {
				Fail("the machine has no " + needed + " (ci/install-deps.sh installs it)")
			}
		}
		s = xvfbtest.Start(GinkgoTB())
	})

	sh := func(command string) string {
		GinkgoHelper()
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
		out, err := cmd.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s: %s", command, out)
		return string(out)
	}

	It("is windows, focus, pointer, keyboard and selections", func(ctx context.Context) {
		s.Openbox()
		sh("setxkbmap -layout us,de -option ''")
		d := open(ctx, s)
		xterm(s, "back")
		back := appears(ctx, d, "back")
		xterm(s, "front")
		front := appears(ctx, d, "front")
		xterm(s, "down")
		down := appears(ctx, d, "down")
		sh("xdotool windowminimize " + number(down.ID))
		Expect(d.Raise(ctx, front.ID)).To(Succeed())
		sh(copies("of the user", "chosen") + "xdotool mousemove 321 123")
		Eventually(func() []string { w, _ := d.Windows(ctx); return titles(w) }).Should(Equal([]string{"front", "back"}))

		user := open(ctx, s)
		was, err := user.Remember(ctx)
		Expect(err).NotTo(HaveOccurred())
		keymap := sh("xkbcomp -xkb " + s.Display + " - 2>/dev/null")
		Expect(was.Focused).To(Equal(front.ID))
		Expect(was.Selections["CLIPBOARD"].Parts).NotTo(BeEmpty())

		By("putting nothing back where nothing was changed")
		hold, err := user.PutBack(ctx, was)
		Expect(err).NotTo(HaveOccurred())
		Expect(hold).To(BeNil())

		By("changing everything")
		sh("xdotool windowactivate --sync " + number(back.ID) + " windowmove --sync " + number(back.ID) + " 400 300")
		sh("xdotool windowmap --sync " + number(down.ID) + " mousemove 5 5 keydown Shift_L key Caps_Lock mousedown 1")
		sh("xdotool windowminimize " + number(front.ID))
		sh(copies("of the run", "typed"))
		xterm(s, "new")
		appears(ctx, d, "new")
		changed, err := user.Remember(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(changed).NotTo(Equal(was))

		hold, err = user.PutBack(ctx, was)
		Expect(err).NotTo(HaveOccurred())
		Expect(hold).NotTo(BeNil())
		now, err := user.Remember(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(withoutOwners(now)).To(Equal(withoutOwners(was)))
		Expect(sh("xkbcomp -xkb " + s.Display + " - 2>/dev/null")).To(Equal(keymap))
		Expect(sh("xclip -o -selection clipboard")).To(Equal("of the user"))
		Expect(sh("xclip -o")).To(Equal("chosen"))

		By("serving the selections until they are somebody else's")
		over := make(chan struct{})
		go func() { hold(ctx); close(over) }()
		Consistently(over, "300ms").ShouldNot(BeClosed())
		sh(copies("next", "next"))
		Eventually(over).Should(BeClosed())
	})
})

// copies is a command that makes these the clipboard and the primary selection.
func copies(clipboard, primary string) string {
	return fmt.Sprintf("printf %%s '%s' | xclip -selection clipboard >/dev/null 2>&1; printf %%s '%s' | xclip >/dev/null 2>&1; ", clipboard, primary)
}

func number(id uint32) string { return strconv.Itoa(int(id)) }

// withoutOwners is the state with what is in the selections, whoever owns them.
func withoutOwners(s *x11.DisplayState) x11.DisplayState {
	c := *s
	c.Selections = map[string]x11.Selection{}
	for name, selection := range s.Selections {
		texts := x11.Selection{}
		for _, part := range selection.Parts {
			if strings.HasPrefix(part.Target, "UTF8") {
				texts.Parts = append(texts.Parts, part)
			}
		}
		c.Selections[name] = texts
	}
	return c
}
