//go:build linux && cgo

package step_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner/step"
)

// openField opens a window with a text field by the toolkit.
func openField(ctx SpecContext, toolkit string, options ...string) app {
	GinkgoHelper()
	script, err := filepath.Abs("../../desktop/input/testdata/field.py")
	Expect(err).NotTo(HaveOccurred())
	return open(ctx, "field", append([]string{"/usr/bin/python3", script, toolkit, "alone"}, options...)...)
}

func typeParams(text string) string {
	quoted, err := json.Marshal(text)
	Expect(err).NotTo(HaveOccurred())
	return fmt.Sprintf(`{"action":"type","text":%s}`, quoted)
}

const manyScripts = "Zażółć gęślą jaźń, ÀÉÎ€ß Αθήνα Москва שלום עולם हिन्दी 漢字かな 한글 e\u0301 😀👩‍👩‍👧 «[@^~`]»"

// textOf reads the field.
func textOf(ctx SpecContext, a app) string {
	GinkgoHelper()
	return a.does(ctx, "ui", `{"action":"get_value"}`, target("entry", "")).Value
}

var _ = Describe("typing", func() {
	for _, toolkit := range []string{"gtk3", "gtk4", "qt5", "qt6"} {
		It("is read back from a field of "+toolkit, func(ctx SpecContext) {
			a := openField(ctx, toolkit)
			for range 2 {
				out := a.does(ctx, "ui", typeParams(manyScripts), target("entry", ""))
				Expect(out.Notes).To(BeEmpty())
			}
			Expect(textOf(ctx, a)).To(Equal(strings.Repeat(manyScripts, 2)))
		}, NodeTimeout(time.Minute))

		It("fails where a field of "+toolkit+" loses a character", func(ctx SpecContext) {
			a := openField(ctx, toolkit, "drop=ó")
			_, err := a.tries(ctx, patience, "ui", typeParams(manyScripts), target("entry", ""))
			var failure *step.Error
			Expect(errors.As(err, &failure)).To(BeTrue(), "%v", err)
			Expect(failure.Kind).To(Equal(results.TextMistyped))
			Expect(failure.Details).To(ContainElement("character 4, 'ó' (U+00F3), is missing"))
		}, NodeTimeout(time.Minute))

		It("says nothing of a password field of "+toolkit, func(ctx SpecContext) {
			a := openField(ctx, toolkit, "secret", "drop=ó")
			out := a.does(ctx, "ui", typeParams("hasło ó 1"), target("entry", ""))
			Expect(out.Notes).To(BeEmpty())
		}, NodeTimeout(time.Minute))

		It("keeps lines and tabs in an editor of "+toolkit, func(ctx SpecContext) {
			a := openField(ctx, toolkit, "multiline")
			const text = "eins\n\tzwei żó\n\n漢字\t😀\n"
			out := a.does(ctx, "ui", typeParams(text), target("entry", ""))
			Expect(out.Notes).To(BeEmpty())
			Expect(strings.ReplaceAll(textOf(ctx, a), "\u2029", "\n")).To(Equal(text))
		}, NodeTimeout(time.Minute))
	}

	It("is exact in mousepad", func(ctx SpecContext) {
		mousepad := open(ctx, "mousepad", "mousepad", "--disable-server")
		text := manyScripts + "\n\t" + manyScripts
		Expect(mousepad.does(ctx, "keyboard", typeParams(text), "").Notes).To(BeEmpty())
		Expect(textOf(ctx, mousepad)).To(Equal(text))
	}, NodeTimeout(time.Minute))

	It("is exact in Chromium, whose keys do by their place what they do elsewhere by their meaning", func(ctx SpecContext) {
		needsFull()
		tickets := open(ctx, "tickets", "tickets/chromium.sh", "--force-renderer-accessibility")
		const visitor = `"identifier":"visitor"`
		var han strings.Builder
		for r := rune(0x4e00); r < 0x4e00+300; r++ {
			han.WriteRune(r)
		}
		for _, text := range []string{manyScripts, han.String()} {
			tickets.does(ctx, "ui", `{"action":"press_key","key":"a","modifiers":["cmd"]}`, visitor)
			tickets.does(ctx, "ui", typeParams(text), visitor)
			Eventually(func() string {
				return tickets.does(ctx, "ui", `{"action":"get_value"}`, visitor).Value
			}).WithTimeout(patience).Should(Equal(text))
		}
	}, NodeTimeout(2*time.Minute))
})
