//go:build linux

package x11_test

import (
	"context"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop/xconn/xvfbtest"
)

// texts are clipboard contents: empty, scripts, and longer than one part.
var texts = map[string]string{
	"plain":   "Hello, world",
	"scripts": "Zażółć gęślą jaźń\nΑθήνα Москва € 漢字 😀👩‍💻",
	"empty":   "",
	"1 MiB":   strings.Repeat("0123456789abcdé", 1<<20/16),
	"a part":  strings.Repeat("x", 64<<10),
}

var _ = Describe("clipboard", func() {
	var s *xvfbtest.Server
	BeforeEach(func() { s = xvfbtest.Start(GinkgoTB()) })

	xclip := func(args ...string) *exec.Cmd {
		cmd := exec.Command("xclip", append([]string{"-selection", "clipboard"}, args...)...)
		cmd.Env = []string{"DISPLAY=" + s.Display, "PATH=/usr/bin", "LC_ALL=C.UTF-8"}
		return cmd
	}

	for name, text := range texts {
		It("gives what it was given: "+name, func(ctx context.Context) {
			d, other := open(ctx, s), open(ctx, s)
			Expect(d.WriteClipboard(ctx, text)).To(Succeed())
			for range 3 {
				Expect(d.ReadClipboard(ctx)).To(Equal(text), "from oneself")
				Expect(other.ReadClipboard(ctx)).To(Equal(text), "from another")
			}
			out, err := xclip("-o", "-t", "UTF8_STRING").Output()
			Expect(err).NotTo(HaveOccurred())
			Expect(string(out)).To(Equal(text))
			Expect(other.WriteClipboard(ctx, "mine")).To(Succeed())
			Expect(d.ReadClipboard(ctx)).To(Equal("mine"))
		}, NodeTimeout(time.Minute))
		if text == "" {
			continue
		}
		It("reads what another application holds: "+name, func(ctx context.Context) {
			d := open(ctx, s)
			p := s.Run("xclip", "-selection", "clipboard", "-quiet", "-i")
			_, err := io.WriteString(p.Stdin, text)
			Expect(err).NotTo(HaveOccurred())
			Expect(p.Stdin.Close()).To(Succeed())
			Eventually(func() (string, error) { return d.ReadClipboard(ctx) }).Should(Equal(text))
		}, NodeTimeout(time.Minute))
	}

	It("offers its targets", func(ctx context.Context) {
		d := open(ctx, s)
		Expect(d.ReadClipboard(ctx)).To(BeEmpty(), "nobody owns it")
		Expect(d.WriteClipboard(ctx, "é")).To(Succeed())
		out, err := xclip("-o", "-t", "TARGETS").Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Fields(string(out))).To(ContainElements("UTF8_STRING", "STRING", "TEXT", "text/plain;charset=utf-8"))
		out, err = xclip("-o", "-t", "STRING").Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(Equal([]byte{0xe9}))
		Expect(d.WriteClipboard(ctx, "\xff")).To(MatchError(ContainSubstring("UTF-8")))
	})

	It("does not wait for ever for an owner that hangs", func(ctx context.Context) {
		d := open(ctx, s)
		p := s.Run("xclip", "-selection", "clipboard", "-quiet", "-i")
		_, _ = io.WriteString(p.Stdin, "text")
		_ = p.Stdin.Close()
		Eventually(func() (string, error) { return d.ReadClipboard(ctx) }).Should(Equal("text"))
		p.Signal(syscall.SIGSTOP)
		_, err := d.ReadClipboard(ctx)
		Expect(err).To(MatchError("the clipboard's owner did not answer within 2000 ms"))
		owner, err := d.ClipboardOwner(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(owner).To(Equal(p.Cmd.Process.Pid))
		Expect(d.WriteClipboard(ctx, "back")).To(Succeed())
		Expect(d.ReadClipboard(ctx)).To(Equal("back"))
	}, NodeTimeout(time.Minute))

	for _, text := range []string{"late", strings.Repeat("late ", 1<<20)} {
		It("does not take the late answer of an owner that hung for another's: "+strconv.Itoa(len(text))+" bytes", func(ctx context.Context) {
			d := open(ctx, s)
			p := s.Run("xclip", "-selection", "clipboard", "-quiet", "-i")
			_, _ = io.WriteString(p.Stdin, text)
			_ = p.Stdin.Close()
			Eventually(func() (string, error) { return d.ReadClipboard(ctx) }).Should(Equal(text))
			p.Signal(syscall.SIGSTOP)
			_, err := d.ReadClipboard(ctx)
			Expect(err).To(HaveOccurred())
			Expect(d.WriteClipboard(ctx, "back")).To(Succeed())
			p.Signal(syscall.SIGCONT)
			for range 300 {
				Expect(d.ReadClipboard(ctx)).To(Equal("back"))
			}
		}, NodeTimeout(time.Minute))
	}
})
