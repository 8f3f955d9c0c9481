//go:build linux

package atspi

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
)

// lines writes a tree as text, one element a line, for comparing.
func lines(root *desktop.Element) []string {
	var out []string
	root.Walk(func(e *desktop.Element) bool {
		h := e.Handle.(*handle)
		out = append(out, line(h.path, e.RawRole, e.Name, e.States&^desktop.Password, len(e.Children)))
		return true
	})
	return out
}

func line(path any, role, name string, states desktop.States, children int) string {
	return fmt.Sprintf("%v %s %q %b %d", path, role, name, states, children)
}

// serially reads the same by the plainest way there is: one call at a time,
// no cache, depth first.
func serially(ctx context.Context, b *Bus, r ref) []string {
	ask := func(method string, args ...any) []any {
		body, err := callOne(ctx, b.conn, b.timeout, request{dest: r.dest, path: r.path, method: method, args: args})
		ExpectWithOffset(1, err).NotTo(HaveOccurred())
		return body
	}
	name, _ := variantOf(ask(getProperty, accessible, "Name")).(string)
	number, _ := first(ask(accessible + ".GetRole")).(uint32)
	role := roleName(number)
	if role == "" {
		role = stringOf(ask(accessible + ".GetRoleName"))
	}
	states := parseStates(first(ask(accessible + ".GetState"))).desktop()
	children := parseRefs(first(ask(accessible + ".GetChildren")))
	out := []string{line(r.path, role, name, states, len(children))}
	for _, c := range children {
		out = append(out, serially(ctx, b, c)...)
	}
	return out
}

// expectTruth holds Tree, with and without the toolkit's cache, against the
// serial walk.
func expectTruth(ctx context.Context, b *Bus, a App, when string) {
	// The application may still be busy with what was done to it: what counts
	// is that all three agree once it stands still.
	Eventually(func(g Gomega) {
		truth := serially(ctx, b, ref{a.BusName, a.Path})
		for _, cache := range []bool{true, false} {
			root, err := b.tree(ctx, a, 0, cache)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(strings.Join(lines(root), "\n")).To(Equal(strings.Join(truth, "\n")), "%s, cache %v", when, cache)
		}
	}).WithTimeout(8 * settle).WithPolling(settle / 10).Should(Succeed())
}
