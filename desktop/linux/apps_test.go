//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

func launch(name string, command ...string) desktop.Launch {
	return desktop.Launch{Name: name, Command: command, Timeout: seconds(20)}
}

// open opens an application and closes it after the spec.
func open(name string, command ...string) *desktop.Opened {
	GinkgoHelper()
	ctx, cancel := within(30)
	defer cancel()
	opened, err := desk.OpenApp(ctx, launch(name, command...))
	Expect(err).NotTo(HaveOccurred())
	Expect(opened.Window).NotTo(BeNil())
	DeferCleanup(func() { closeQuietly(name) })
	return opened
}

func closeQuietly(name string) {
	GinkgoHelper()
	ctx, cancel := within(20)
	defer cancel()
	_, err := desk.CloseApp(ctx, name, seconds(2))
	if err != nil {
		Expect(err).To(BeAssignableToTypeOf(&desktop.AppNotRunningError{}))
	}
}

func alive(pid int) bool {
	p, err := readProcess(pid)
	return err == nil && p.alive()
}

// gtkScript is a Python program with the body run before Gtk.main.
func gtkScript(body string) string {
	return `#!/usr/bin/python3
import sys, os, time, signal
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, GLib
def window(title):
    w = Gtk.Window(title=title)
    w.add(Gtk.Button(label="Press"))
    w.connect("destroy", Gtk.main_quit)
    w.show_all()
    return w
` + body + "\nGtk.main()\n"
}

// lookups is the median time of looking up the trees of the application, or of
// all for "".
func lookups(ctx context.Context, app string) time.Duration {
	GinkgoHelper()
	var times []time.Duration
	for range 15 {
		began := time.Now()
		_, err := desk.Snapshot(ctx, app, desktop.NeedBounds)
		Expect(err).NotTo(HaveOccurred())
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

var _ = Describe("opening applications", func() {
	It("opens mousepad by its program's name, with its tree, and knows it by all its names", func(ctx SpecContext) {
		opened := open("mousepad")
		Expect(opened.HasTree).To(BeTrue())
		Expect(opened.How).To(Equal("PATH"))
		Expect(opened.Command).To(Equal([]string{"/usr/bin/mousepad"}))
		Expect(opened.App.DesktopID).To(Equal("org.xfce.mousepad"))
		for _, name := range []string{"mousepad", "Mousepad", "org.xfce.mousepad", "/usr/bin/mousepad"} {
			snapshot, err := desk.Snapshot(ctx, name, 0)
			Expect(err).NotTo(HaveOccurred())
			Expect(snapshot.Apps).To(HaveLen(1), name)
			Expect(snapshot.Faults).To(BeEmpty())
			Expect(snapshot.Apps[0].Info.PID).To(Equal(opened.App.PID))
		}
		snapshot, err := desk.Snapshot(ctx, "pad", 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(snapshot.Apps).To(BeEmpty())
		Expect(snapshot.Faults).To(BeEmpty())

		again, err := desk.OpenApp(ctx, launch("org.xfce.mousepad"))
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Command).To(BeNil())
		Expect(again.HasTree).To(BeTrue())
		Expect(again.Window.ID).To(Equal(opened.Window.ID))

		Expect(desk.CloseApp(ctx, "Mousepad", seconds(5))).To(Equal(&desktop.Closed{}))
		Expect(alive(opened.App.PID)).To(BeFalse())
		_, err = desk.CloseApp(ctx, "Mousepad", seconds(5))
		Expect(err).To(MatchError(&desktop.AppNotRunningError{Name: "Mousepad"}))
	})

	It("opens kcalc by the Name of its .desktop file", func() {
		opened := open("KCalc")
		Expect(opened.HasTree).To(BeTrue())
		Expect(opened.App.Process).To(Equal("kcalc"))
	})

	It("opens a dialog of zenity from the app map and knows it by the map's name", func(ctx SpecContext) {
		opened := open("Question", "zenity", "--question", "--text", "Go on?")
		Expect(opened.How).To(Equal("map"))
		Expect(opened.HasTree).To(BeTrue())
		Expect(opened.App.Matches("question")).To(BeTrue())
		focused, err := desk.FocusedWindow(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(focused).NotTo(BeNil())
		Expect(focused.App.Matches("Question")).To(BeTrue())
		Expect(focused.App.Matches("zenity")).To(BeTrue())
	})

	It("does not wait long for xterm's tree, since it has none", func(ctx SpecContext) {
		began := time.Now()
		opened := open("xterm")
		Expect(time.Since(began)).To(BeNumerically("<", seconds(5)))
		Expect(opened.HasTree).To(BeFalse())
		snapshot, err := desk.Snapshot(ctx, "xterm", 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(snapshot.Apps).To(BeEmpty())
		Expect(snapshot.Faults).To(HaveLen(1))
		Expect(snapshot.Faults[0].Err).To(BeAssignableToTypeOf(&desktop.NoTreeError{}))
		state, err := desk.AppState(ctx, "XTerm")
		Expect(err).NotTo(HaveOccurred())
		Expect(state).To(Equal(desktop.AppState{Name: "xterm", Running: true, Windows: 1}))
	})

	It("waits for a window that comes late, and for the tree that comes with it", func(ctx SpecContext) {
		script := shared.script("late.py", gtkScript(`GLib.timeout_add(2000, lambda: window("Late") and False)`))
		began := time.Now()
		opened := open(script)
		Expect(time.Since(began)).To(BeNumerically(">=", seconds(2)))
		Expect(opened.How).To(Equal("path"))
		Expect(opened.Window.Title).To(Equal("Late"))
		Expect(opened.HasTree).To(BeTrue())
		Expect(opened.App.Matches("late")).To(BeTrue())
		Expect(opened.App.Matches("python3")).To(BeFalse())
		Expect(opened.App.DesktopID).To(BeEmpty())
	})

	It("does not misjudge an application that registers long after its window", func() {
		script := shared.script("lazy.py", gtkScript(`window("Lazy"); Gtk.main_iteration_do(False)
while Gtk.events_pending(): Gtk.main_iteration()
time.sleep(2)`))
		Expect(open(script).HasTree).To(BeTrue())
	})

	It("does not wait for the tree of an application that was told not to have one", func() {
		script := shared.script("quiet.py", strings.Replace(gtkScript(`window("Quiet")`), "import gi\n", "import gi\nos.environ['NO_AT_BRIDGE'] = '1'\n", 1))
		began := time.Now()
		opened := open("Quiet", "/usr/bin/env", "NO_AT_BRIDGE=1", script)
		Expect(opened.HasTree).To(BeFalse())
		Expect(time.Since(began)).To(BeNumerically("<", seconds(4)))
	})

	It("follows a launcher that forks and ends", func() {
		script := shared.script("forks.py", gtkScript(`
if len(sys.argv) == 1:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.3)
            os.execv(sys.argv[0], [sys.argv[0], "child"])
    os._exit(0)
window("Forked")`))
		opened := open(script)
		Expect(opened.Window.Title).To(Equal("Forked"))
		Expect(opened.HasTree).To(BeTrue())
		closeQuietly(script)
		Expect(alive(opened.App.PID)).To(BeFalse())
	})

	It("takes a new window of a running instance for the answer of a single-instance application", func(ctx SpecContext) {
		first := open("mousepad")
		note := shared.script("note.txt", "a note\n")
		second := open("Notes", "mousepad", "--opening-mode=window", note)
		Expect(second.Command).To(Equal([]string{"/usr/bin/mousepad", "--opening-mode=window", note}))
		Expect(second.App.PID).To(Equal(first.App.PID))
		Eventually(func() int { return must(desk.AppState(ctx, "mousepad")).Windows }).WithTimeout(seconds(10)).Should(Equal(2))
		Expect(second.HasTree).To(BeTrue())
		Expect(second.App.Matches("Notes")).To(BeTrue())
		for _, name := range []string{"Notes", "mousepad"} {
			snapshot, err := desk.Snapshot(ctx, name, 0)
			Expect(err).NotTo(HaveOccurred())
			Expect(snapshot.Apps).To(HaveLen(1))
		}
		third := open("Tab", "mousepad", "--opening-mode=tab", shared.script("tab.txt", "a tab\n"))
		Expect(third.App.PID).To(Equal(first.App.PID))
	})

	It("says how an application that crashes at the start ended, and what it printed", func(ctx SpecContext) {
		script := shared.script("crash.sh", "#!/bin/sh\necho cannot find the moon >&2\nkill -SEGV $$\n")
		_, err := desk.OpenApp(ctx, launch(script))
		Expect(err).To(MatchError(fmt.Sprintf("app '%s' ended (signal: segmentation fault)", script)))
		var died *desktop.AppDiedError
		Expect(errors.As(err, &died)).To(BeTrue())
		Expect(died.Facts.Command).To(Equal([]string{script}))
		Expect(died.Facts.Exited).To(Equal(died.How))
		Expect(died.Facts.Output).To(Equal("cannot find the moon"))
		state, err := desk.AppState(ctx, script)
		Expect(err).NotTo(HaveOccurred())
		Expect(state.Exited).To(Equal("signal: segmentation fault"))
		Expect(state.Running).To(BeFalse())
		Expect(state.Facts.Output).To(Equal("cannot find the moon"))
		_, err = desk.OpenApp(ctx, launch("failing", "/bin/sh", "-c", "exit 3"))
		Expect(err).To(MatchError("app 'failing' ended (exit status 3)"))
	})

	It("says that nothing of the name can be started, and what is near", func(ctx SpecContext) {
		_, err := desk.OpenApp(ctx, launch("mousepadd"))
		var missing *desktop.AppNotFoundError
		Expect(err).To(BeAssignableToTypeOf(missing))
		Expect(err.Error()).To(Equal("app 'mousepadd' not found (looked in PATH, .desktop files); did you mean 'Mousepad'?"))
		junk := shared.script("junk", "\x00\x01\x02")
		_, err = desk.OpenApp(ctx, launch(junk))
		Expect(err).To(BeAssignableToTypeOf(missing))
	})

	It("gives up on an application without a window when its time is up", func(ctx SpecContext) {
		l := launch("sleeper", "/bin/sleep", "600")
		l.Timeout = seconds(1)
		began := time.Now()
		_, err := desk.OpenApp(ctx, l)
		var missing *desktop.NoWindowError
		Expect(errors.As(err, &missing)).To(BeTrue(), "%v", err)
		Expect(missing.Error()).To(Equal("app 'sleeper' showed no window within 1000 ms"))
		Expect(missing.Facts.Command).To(Equal([]string{"/bin/sleep", "600"}))
		Expect(missing.Facts.Processes).To(HaveLen(1))
		Expect(missing.Facts.Processes[0].Name).To(Equal("sleep"))
		Expect(missing.Facts.Lines()).To(ContainElement(MatchRegexp(`^process \d+ sleep \(child of \d+\) is sleeping in \w*nanosleep, \d+ ms of processor time$`)))
		Expect(missing.Facts.Lines()).To(ContainElement("none of its processes is connected to the accessibility bus"))
		Expect(time.Since(began)).To(BeNumerically("<", seconds(3)))
		Expect(desk.FocusApp(ctx, "sleeper", seconds(1))).To(BeAssignableToTypeOf(&desktop.NoWindowError{}))
		state, err := desk.AppState(ctx, "sleeper")
		Expect(err).NotTo(HaveOccurred())
		Expect(state.Running).To(BeTrue())
		Expect(state.Windows).To(BeZero())
		Expect(state.Facts.Processes).To(HaveLen(1))
		Expect(must(desk.CloseApp(ctx, "sleeper", seconds(5)))).To(forced("it went on without a window"))
		state, err = desk.AppState(ctx, "sleeper")
		Expect(err).NotTo(HaveOccurred())
		Expect(state.Running).To(BeFalse())
		Expect(state.Exited).To(Equal("signal: terminated"))
	})

	It("leaves opened applications alive when the process that opened them ends", func() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append([]string{}, shared.env...), openerVariable+"=xterm")
		out, err := cmd.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
		Expect(err).NotTo(HaveOccurred(), string(out))
		Consistently(func() bool { return alive(pid) }).WithTimeout(300 * time.Millisecond).Should(BeTrue())
		closeQuietly("xterm") // by the session's id: another process opened it
		Expect(alive(pid)).To(BeFalse())
	})
})

var _ = Describe("running applications", func() {
	It("brings an application to the front, from behind and from the task bar", func(ctx SpecContext) {
		xterm, mousepad := open("xterm"), open("mousepad")
		names := func() []string {
			running, err := desk.RunningApps(ctx)
			Expect(err).NotTo(HaveOccurred())
			var names []string
			for _, a := range running {
				names = append(names, a.Display())
			}
			return names
		}
		Expect(names()).To(ConsistOf("XTerm", "Mousepad"))

		Expect(desk.FocusApp(ctx, "xterm", seconds(5))).To(Succeed())
		focused, err := desk.FocusedWindow(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(focused.ID).To(Equal(xterm.Window.ID))
		windows, err := desk.Windows(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(windows[0].ID).To(Equal(xterm.Window.ID))

		Expect(shared.run("xdotool", "windowminimize", "--sync", fmt.Sprint(mousepad.Window.ID))).To(Succeed())
		Expect(desk.FocusApp(ctx, "Mousepad", seconds(5))).To(Succeed())
		focused, err = desk.FocusedWindow(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(focused.ID).To(Equal(mousepad.Window.ID))

		Expect(desk.FocusApp(ctx, "kcalc", seconds(1))).To(MatchError(&desktop.AppNotRunningError{Name: "kcalc"}))
	})

	It("makes a stopped application cost only its own look-ups", func(ctx SpecContext) {
		mousepad := open("mousepad")
		open("Question", "zenity", "--question", "--text", "Go on?")
		healthy, all := lookups(ctx, "zenity"), lookups(ctx, "")
		Expect(syscall.Kill(mousepad.App.PID, syscall.SIGSTOP)).To(Succeed())
		snapshot, err := desk.Snapshot(ctx, "mousepad", 0)
		Expect(err).NotTo(HaveOccurred())
		Expect(snapshot.Apps).To(BeEmpty())
		Expect(snapshot.Faults).To(HaveLen(1))
		Expect(snapshot.Faults[0].Err).To(BeAssignableToTypeOf(&desktop.HungError{}))
		Expect(snapshot.Faults[0].Info.Matches("Mousepad")).To(BeTrue())

		snapshot, err = desk.Snapshot(ctx, "zenity", desktop.NeedBounds|desktop.NeedActions)
		Expect(err).NotTo(HaveOccurred())
		Expect(snapshot.Apps).To(HaveLen(1))
		Expect(snapshot.Faults).To(BeEmpty())
		Expect(snapshot.TakenIn).To(BeNumerically("<", 600*time.Millisecond))
		Expect(lookups(ctx, "zenity")).To(BeNumerically("<", max(2*healthy, healthy+100*time.Millisecond)))
		Expect(lookups(ctx, "")).To(BeNumerically("<", max(2*all, all+100*time.Millisecond)))

		state, err := desk.AppState(ctx, "mousepad")
		Expect(err).NotTo(HaveOccurred())
		Expect(state.Hung).To(BeTrue())
		Expect(state.Windows).To(Equal(1))
		Expect(state.Facts.Processes).To(ContainElement(HaveField("State", "T")))
		Expect(desk.Probe(ctx).OK()).To(BeTrue())

		began := time.Now()
		Expect(must(desk.CloseApp(ctx, "mousepad", seconds(20)))).To(forced("its process was stopped"))
		Expect(time.Since(began)).To(BeNumerically("<", seconds(15)))
		Expect(alive(mousepad.App.PID)).To(BeFalse())
	})

	It("takes an application that was killed for gone", func(ctx SpecContext) {
		mousepad := open("mousepad")
		all := must(desk.Snapshot(ctx, "mousepad", 0)).Apps[0]
		button := all.Root.Children[0]
		Expect(syscall.Kill(mousepad.App.PID, syscall.SIGKILL)).To(Succeed())
		Eventually(func() bool { return alive(mousepad.App.PID) }).WithTimeout(seconds(5)).Should(BeFalse())
		Eventually(func() int {
			return len(must(desk.Snapshot(ctx, "mousepad", desktop.NeedBounds|desktop.NeedText)).Apps)
		}).WithTimeout(seconds(5)).Should(BeZero())
		Eventually(func() string { return must(desk.AppState(ctx, "mousepad")).Exited }).WithTimeout(seconds(5)).
			Should(Equal("signal: killed"))
		gone := BeAssignableToTypeOf(&desktop.GoneError{})
		Expect(desk.Act(ctx, button, desktop.Press)).To(gone)
		Expect(desk.SetFocus(ctx, button)).To(gone)
		Expect(desk.Fill(ctx, []*desktop.Element{button}, desktop.NeedBounds|desktop.NeedText)).To(Succeed())
		Expect(button.Gone).To(BeTrue())
		Expect(must(desk.AppState(ctx, "")).Exited).To(Equal("signal: killed"), "it was opened last")
		Expect(desk.FocusApp(ctx, "mousepad", seconds(1))).To(MatchError(&desktop.AppNotRunningError{Name: "mousepad"}))
	})

	It("ends an application that refuses to close only where it belongs to the session", func(ctx SpecContext) {
		script := shared.script("stubborn.py", gtkScript(`
signal.signal(signal.SIGTERM, signal.SIG_IGN)
window("Stubborn").connect("delete-event", lambda *a: True)`))
		cmd, err := shared.start("/usr/bin/env", SessionIDVariable+"=another", script)
		Expect(err).NotTo(HaveOccurred())
		title := func() string {
			for _, w := range must(desk.Windows(ctx)) {
				if w.App.Matches("stubborn") {
					return w.Title
				}
			}
			return ""
		}
		Eventually(title).WithTimeout(seconds(15)).Should(Equal("Stubborn"))
		_, err = desk.CloseApp(ctx, "stubborn", 300*time.Millisecond)
		Expect(err).To(MatchError(ContainSubstring("not one of this session's")))
		Expect(alive(cmd.Process.Pid)).To(BeTrue())
		Expect(cmd.Process.Kill()).To(Succeed())
		Eventually(title).WithTimeout(seconds(5)).Should(BeEmpty())

		opened := open(script)
		Expect(must(desk.CloseApp(ctx, script, 300*time.Millisecond))).To(Equal(&desktop.Closed{
			Forced: []string{"SIGTERM", "SIGKILL"}, Why: "it still ran when its time was up, with window 'Stubborn'"}))
		Expect(alive(opened.App.PID)).To(BeFalse())
	})

	It("keeps the clipboard and takes screenshots", func(ctx SpecContext) {
		Expect(desk.WriteClipboard(ctx, "żółw")).To(Succeed())
		Expect(desk.ReadClipboard(ctx)).To(Equal("żółw"))
		Expect(desk.Size(ctx)).To(Equal(desktop.Rect{Width: 1280, Height: 800}))
		img, err := desk.Capture(ctx, desktop.Rect{X: 10, Y: 20, Width: 30, Height: 40})
		Expect(err).NotTo(HaveOccurred())
		Expect(img.Bounds()).To(Equal(desktop.Rect{X: 10, Y: 20, Width: 30, Height: 40}.Image()))
	})

	It("does not confuse scripts of one base name in different folders", func(ctx SpecContext) {
		body := gtkScript(`window(os.path.dirname(sys.argv[0]).split("/")[-1])`)
		for _, dir := range []string{"one", "two"} {
			Expect(os.MkdirAll(filepath.Join(shared.env.get("HOME"), dir), 0o700)).To(Succeed())
		}
		one, two := shared.script("one/tool.py", body), shared.script("two/tool.py", body)
		first, second := open(one), open(two)
		Expect(second.Command).NotTo(BeNil())
		Expect([]string{first.Window.Title, second.Window.Title}).To(Equal([]string{"one", "two"}))
	})
})

func must[T any](v T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return v
}

// run runs a program in the session to its end.
func (s *testSession) run(argv ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), seconds(10))
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
