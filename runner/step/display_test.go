//go:build linux && cgo

package step_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/linux"
	"github.com/opendesk/opendesk/desktop/session"
	"github.com/opendesk/opendesk/internal/fold"
	"github.com/opendesk/opendesk/program"
	"github.com/opendesk/opendesk/runner/step"
)

// asHost makes the test binary a session's host.
const asHost = "test-session-host"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asHost {
		os.Exit(session.HostMain(context.Background(), session.HostOptions{ControlFD: 3}))
	}
	os.Exit(m.Run())
}

func TestDisplay(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "actions on real applications")
}

// full is set where the tests that take long are to run as well.
var full = os.Getenv("OPENDESK_FULL") != ""

// One session and one desktop with input serve all specs, since a process can
// have input on one display only. Every spec closes its applications.
var desk *linux.Desktop

var _ = BeforeSuite(func(ctx SpecContext) {
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	dir, err := os.MkdirTemp("", "odstep")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	s, err := session.Start(ctx, session.Options{Executable: self, HostArgs: []string{asHost}, Isolation: session.None, TempDir: dir})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) { Expect(s.Close(ctx)).To(Succeed()) })
	info := s.Info()
	// The specs share a home: a text that one leaves unsaved would be offered
	// to the next, in a dialog over everything else.
	settings, err := os.OpenFile(filepath.Join(info.Home, ".config", "glib-2.0", "settings", "keyfile"), os.O_APPEND|os.O_WRONLY, 0)
	Expect(err).NotTo(HaveOccurred())
	_, err = settings.WriteString("\n[org/xfce/mousepad/preferences/file]\nsession-restore='never'\nautosave-timer=uint32 0\n")
	Expect(errors.Join(err, settings.Close())).To(Succeed())
	for _, pair := range info.Env {
		if value, ok := strings.CutPrefix(pair, "XAUTHORITY="); ok {
			Expect(os.Setenv("XAUTHORITY", value)).To(Succeed())
		}
	}
	Expect(os.Setenv("DISPLAY", info.Display)).To(Succeed())
	desk, err = linux.Open(ctx, linux.Options{
		Display: info.Display, SessionBus: info.SessionBus, A11yBus: info.A11yBus, SessionID: info.ID, Env: info.Env,
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(desk.Close()).To(Succeed()) })
}, NodeTimeout(time.Minute))

// patience is how long anything may take on a busy machine.
const patience = 15 * time.Second

// app is an application that runs for one spec.
type app struct{ name string }

// open starts the command under the name. Relative paths are those of the
// fixtures' applications.
func open(ctx context.Context, name string, command ...string) app {
	GinkgoHelper()
	for i, part := range command {
		if strings.Contains(part, "/") && !filepath.IsAbs(part) {
			path, err := filepath.Abs("../../fixtures/apps/" + part)
			Expect(err).NotTo(HaveOccurred())
			command[i] = path
		}
	}
	opened, err := desk.OpenApp(ctx, desktop.Launch{Name: name, Command: command, Timeout: time.Minute})
	Expect(err).NotTo(HaveOccurred())
	Expect(opened.HasTree).To(BeTrue(), "%s has a tree", name)
	DeferCleanup(func(ctx SpecContext) {
		_, err := desk.CloseApp(ctx, name, time.Second)
		Expect(err).To(Or(BeNil(), BeAssignableToTypeOf(&desktop.AppNotRunningError{})))
	})
	return app{name}
}

// closesPolitely closes the application, which a grab or a dialog that was
// left behind would keep from it.
func (a app) closesPolitely(ctx context.Context) {
	GinkgoHelper()
	closed, err := desk.CloseApp(ctx, a.name, patience)
	Expect(err).NotTo(HaveOccurred())
	Expect(closed.Forced).To(BeEmpty(), "closed without a signal")
}

// tries performs one step; the target is looked for as long as timeout.
func (a app) tries(ctx context.Context, timeout time.Duration, tool, params, target string) (step.Outcome, error) {
	GinkgoHelper()
	if target != "" {
		target = "," + target
	}
	source := fmt.Sprintf(`{"name":"p","version":1,"steps":[{"id":"s1","tool":%q,"params":%s,"resolve_timeout_ms":%d,"target":{"app":%q%s}}]}`,
		tool, params, timeout.Milliseconds(), a.name, target)
	p, problems := program.Parse("p.program.json", []byte(source))
	Expect(p).NotTo(BeNil(), "%v", problems)
	return step.Perform(ctx, &step.Env{Desktop: desk, Virtual: true, Scale: 1}, p.Steps[0])
}

func (a app) does(ctx context.Context, tool, params, target string) step.Outcome {
	GinkgoHelper()
	out, err := a.tries(ctx, patience, tool, params, target)
	if err != nil {
		Fail(err.Error())
	}
	return out
}

// clicks does a ui click and gives by what it was done. An empty role or title
// is not asked for.
func (a app) clicks(ctx context.Context, role, title string) string {
	GinkgoHelper()
	out := a.does(ctx, "ui", `{"action":"click"}`, target(role, title))
	GinkgoWriter.Printf("click [%s] '%s': %s %q\n", role, title, out.ActedBy, out.Notes)
	return out.ActedBy
}

func target(role, title string) string {
	var parts []string
	if role != "" {
		parts = append(parts, fmt.Sprintf(`"role":%q`, role))
	}
	if title != "" {
		parts = append(parts, fmt.Sprintf(`"title":%q`, title))
	}
	return strings.Join(parts, ",")
}

// chooses does a ui click_menu.
func (a app) chooses(ctx context.Context, menu, item string) {
	GinkgoHelper()
	a.does(ctx, "ui", fmt.Sprintf(`{"action":"click_menu","menu":%q,"menu_item":%q}`, menu, item), "")
}

// misses does a ui click_menu for an item that there is not, and checks that
// no menu stays open.
func (a app) misses(ctx context.Context, menu, item string) {
	GinkgoHelper()
	_, err := a.tries(ctx, time.Second, "ui", fmt.Sprintf(`{"action":"click_menu","menu":%q,"menu_item":%q}`, menu, item), "")
	Expect(err).To(BeAssignableToTypeOf(&step.Error{}), "%v", err)
	Expect(err).To(MatchError(ContainSubstring("no menu item matching")))
	noPopups(ctx)
}

// noPopups waits until no menu is on the screen.
func noPopups(ctx context.Context) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		windows, err := desk.Windows(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		for _, w := range windows {
			g.Expect(w.Override && !w.Tooltip).To(BeFalse(), "popup at %v", w.Bounds)
		}
	}).WithTimeout(patience).Should(Succeed())
}

// presses sends keys to whatever has the focus.
func presses(ctx context.Context, keys ...string) {
	GinkgoHelper()
	for _, k := range keys {
		Expect(desk.Chord(ctx, k)).To(Succeed())
	}
}

// says waits until an element's name, text or value contains the text.
func (a app) says(ctx context.Context, text string) {
	GinkgoHelper()
	Eventually(func() (bool, error) { return a.has(ctx, text) }).WithTimeout(patience).Should(BeTrue(), "%s says %q", a.name, text)
}

func (a app) has(ctx context.Context, text string) (bool, error) {
	snap, err := desk.Snapshot(ctx, a.name, desktop.NeedText)
	if err != nil {
		return false, err
	}
	found := false
	for _, tree := range snap.Apps {
		tree.Root.Walk(func(e *desktop.Element) bool {
			for _, have := range []string{e.Name, e.Text, e.Value} {
				found = found || strings.Contains(fold.Text(have), fold.Text(text))
			}
			return !found
		})
	}
	return found, nil
}

// titled waits until a window's title contains the text.
func (a app) titled(ctx context.Context, text string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		windows, err := desk.Windows(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		var titles []string
		for _, w := range windows {
			titles = append(titles, w.Title)
		}
		g.Expect(titles).To(ContainElement(ContainSubstring(text)))
	}).WithTimeout(patience).Should(Succeed())
}
