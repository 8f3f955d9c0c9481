//go:build linux

package linux

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

// The scripts below show a window and write the clipboard's text to a file.
const (
	pasteGTK3 = `#!/usr/bin/python3
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, Gdk, GLib
w = Gtk.Window(title="Paste"); w.add(Gtk.Label(label="x")); w.show_all()
def paste():
    text = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text()
    open(%q, "w").write(text or "")
GLib.idle_add(paste)
Gtk.main()
`
	pasteQt6 = `#!/usr/bin/python3
from PyQt6.QtWidgets import QApplication, QLabel
from PyQt6.QtCore import QTimer
app = QApplication([])
w = QLabel("x"); w.setWindowTitle("Paste"); w.show()
QTimer.singleShot(0, lambda: open(%q, "w").write(app.clipboard().text()))
app.exec()
`
	// copyGTK3 owns the clipboard with a long text.
	copyGTK3 = `#!/usr/bin/python3
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, Gdk
w = Gtk.Window(title="Copy"); w.add(Gtk.Label(label="x")); w.show_all()
Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).set_text(open(%q).read(), -1)
Gtk.main()
`
)

var _ = Describe("the clipboard", func() {
	// Longer than one part, with characters of one to four bytes.
	long := strings.Repeat("Zażółć Ω 漢字 😀👩‍💻 line\n", 20_000)

	DescribeTable("is written before an application runs and pasted there, however long", func(ctx SpecContext, name, script string) {
		Expect(desk.WriteClipboard(ctx, long)).To(Succeed())
		out := filepath.Join(shared.dir, "home", name+".pasted")
		open(shared.script(name, fmt.Sprintf(script, out)))
		Eventually(func() int { text, _ := os.ReadFile(out); return len(text) }).WithTimeout(seconds(20)).Should(Equal(len(long)))
		text, err := os.ReadFile(out)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text) == long).To(BeTrue())
	},
		Entry("GTK 3", "paste-gtk3.py", pasteGTK3),
		Entry("Qt 6", "paste-qt6.py", pasteQt6),
	)

	It("is pasted into xterm by a key", func(ctx SpecContext) {
		out := filepath.Join(shared.dir, "home", "xterm.pasted")
		const text = "echo 'één ✓ ключ'"
		open("terminal", "xterm", "-xrm", `*VT100.translations: #override <Key>F9: insert-selection(CLIPBOARD)`,
			"-e", "/bin/sh", "-c", "read -r line; printf %s \"$line\" >"+out+"; sleep 600")
		Expect(desk.WriteClipboard(ctx, text+"\n")).To(Succeed())
		Expect(desk.Chord(ctx, "F9")).To(Succeed())
		Eventually(func() string { b, _ := os.ReadFile(out); return string(b) }).WithTimeout(seconds(10)).Should(Equal(text))
	})

	It("is read from an application, and its owner is named where it does not answer", func(ctx SpecContext) {
		in := filepath.Join(shared.dir, "home", "long.txt")
		Expect(os.WriteFile(in, []byte(long), 0o600)).To(Succeed())
		opened := open(shared.script("copy-gtk3.py", fmt.Sprintf(copyGTK3, in)))
		Eventually(func() (int, error) { text, err := desk.ReadClipboard(ctx); return len(text), err }).
			WithTimeout(seconds(10)).Should(Equal(len(long)))
		Expect(must(desk.ReadClipboard(ctx)) == long).To(BeTrue())

		Expect(syscall.Kill(opened.App.PID, syscall.SIGSTOP)).To(Succeed())
		_, err := desk.ReadClipboard(ctx)
		var silent *desktop.ClipboardOwnerError
		Expect(errors.As(err, &silent)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError("the clipboard's owner 'copy-gtk3.py' did not answer within 2000 ms"))
		Expect(desk.WriteClipboard(ctx, "mine again")).To(Succeed())
		Expect(desk.ReadClipboard(ctx)).To(Equal("mine again"))
		Expect(syscall.Kill(opened.App.PID, syscall.SIGCONT)).To(Succeed())
		Consistently(func() (string, error) { return desk.ReadClipboard(ctx) }).WithTimeout(seconds(1)).Should(Equal("mine again"))
	})
})
