package runner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/desktop/guard"
	"github.com/opendesk/opendesk/results"
	"github.com/opendesk/opendesk/runner"
)

func audited(entries *[]results.AuditEntry) func(*runner.Request) {
	return func(r *runner.Request) {
		r.Audit = func(e results.AuditEntry) { *entries = append(*entries, e) }
	}
}

// Every action is in the audit log with what does it again; reads and what the
// runner looks at are in it without.
func TestEveryActionIsAudited(t *testing.T) {
	var entries []results.AuditEntry
	n := newNumbers()
	n.pdf.OnPress = nil
	run(t, n.desktop, strings.Replace(exportReport, `"steps": [`, `"steps": [{"id":"s0","tool":"app","params":{"action":"list"}}, {"id":"w","tool":"wait"},`, 1), audited(&entries))
	var lines []string
	for _, e := range entries {
		replay, err := json.Marshal(e.ReplayParams)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s %t %s %s", e.Step, e.Action, e.Error != "", e.Result, replay))
		if e.Timestamp < 1e9 || e.Params == nil {
			t.Errorf("entry %+v", e)
		}
	}
	want := []string{
		`s0 app_list false  null`,
		`s1 app_open false app {"action":"open","app":"Numbers","name":"Numbers"}`,
		`s2 ui_action false native {"action":"click_menu","app":"Numbers","menu":"File","menu_item":"Export To"}`,
		`s3 ui_action false native {"action":"click","app":"Numbers","identifier":"export-pdf","role":"AXButton","title":"PDF"}`,
		`s3 screenshot false  null`,
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("audited\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// What is typed into a field that hides it is not in the audit log.
func TestSecretsAreMaskedInTheAudit(t *testing.T) {
	for _, states := range []desktop.States{0, desktop.Password} {
		var entries []results.AuditEntry
		d := fake.New(1280, 800)
		form(d, &fake.Node{Role: "entry", States: states})
		if o := run(t, d, typing("hunter2"), audited(&entries)); o.Status != results.Passed {
			t.Fatal(o.Reason)
		}
		all, err := json.Marshal(entries)
		if err != nil || strings.Contains(string(all), "hunter2") != (states == 0) {
			t.Errorf("password field: %t, %v: %s", states != 0, err, all)
		}
	}
}

// What the guard does not allow fails with that reason, and nothing is done.
func TestGuard(t *testing.T) {
	others := guard.Rules{AllowedApps: []string{"Calc", "MAIL"}}
	corner := guard.Rules{ScreenRegion: &desktop.Rect{Width: 100, Height: 100}}
	const notAllowed = "action refused: app 'Numbers' is not among the allowed apps (Calc, MAIL)"
	for _, row := range []struct {
		name, step string
		rules      guard.Rules
		reason     string // "" where it is to be allowed
	}{
		{"open", `"tool":"app","params":{"action":"open","name":"Numbers"}`, others, notAllowed},
		{"close", `"tool":"app","params":{"action":"close","name":"Numbers"}`, others, notAllowed},
		{"focus", `"tool":"app","params":{"action":"focus","name":"Numbers"}`, others, notAllowed},
		{"native click", `"tool":"ui","params":{"action":"click"},"target":{"app":"Numbers","title":"PDF"}`, others, notAllowed},
		{"pointer", `"tool":"mouse","params":{"action":"click"},"target":{"app":"Numbers","title":"PDF"}`, others, notAllowed},
		{"coordinates", `"tool":"mouse","params":{"action":"click","x":300,"y":300}`, others, notAllowed},
		{"scroll", `"tool":"mouse","params":{"action":"scroll","x":300,"y":300}`, others, notAllowed},
		{"drag", `"tool":"mouse","params":{"action":"drag","x":300,"y":300,"end_x":310,"end_y":310}`, others, notAllowed},
		{"typing", `"tool":"keyboard","params":{"action":"type","text":"x"}`, others, notAllowed},
		{"keys", `"tool":"keyboard","params":{"action":"press","key":"a"}`, others, notAllowed},
		{"reading", `"tool":"ui","params":{"action":"get_value"},"target":{"app":"Numbers","title":"PDF"}`, others, ""},
		{"allowed by a part of the name", `"tool":"ui","params":{"action":"click"},"target":{"app":"Numbers","title":"PDF"}`,
			guard.Rules{AllowedApps: []string{"numB"}}, ""},
		{"outside of the region", `"tool":"mouse","params":{"action":"click","x":300,"y":301}`, corner,
			"action refused: (300,301) is outside the allowed screen region (0,0, size 100x100)"},
		{"native click outside", `"tool":"ui","params":{"action":"click"},"target":{"app":"Numbers","title":"PDF"}`, corner,
			"action refused: (190,215) is outside the allowed screen region (0,0, size 100x100)"},
		{"inside of the region", `"tool":"mouse","params":{"action":"click","x":30,"y":30}`, corner, ""},
		{"no rules", `"tool":"mouse","params":{"action":"click","x":300,"y":300}`, guard.Rules{}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := newNumbers()
			n.window.Nodes = append(n.window.Nodes, n.pdf)
			n.desktop.Add(n.app)
			before := len(n.desktop.Log())
			o := run(t, guard.Wrap(n.desktop, row.rules), `{"name":"g","version":1,"steps":[{"id":"s1","resolve_timeout_ms":50,`+row.step+`}]}`)
			if row.reason == "" {
				if o.Status != results.Passed {
					t.Errorf("%s: %s", o.Status, o.Reason)
				}
				return
			}
			if o.Status != results.Failed || o.Reason != row.reason || o.step("s1").Failure.Kind != results.ActionRefused {
				t.Errorf("%s: %s", o.Status, o.Reason)
			}
			for _, did := range n.desktop.Log()[before:] {
				if !strings.HasPrefix(did, "move") {
					t.Errorf("did %q all the same", did)
				}
			}
		})
	}
}

// Steps that are left out are not in the results, and those that remain after
// the failed one are those of the file.
func TestStepsCanBeLeftOut(t *testing.T) {
	for _, row := range []struct {
		only, startAt, want string
		status              results.Status
	}{
		{"", "", "s1 s2 s3", results.Passed}, {"s2", "", "s2", results.Passed},
		{"", "s2", "s2 s3", results.Passed}, {"s9", "", "", results.Broken},
	} {
		n := newNumbers()
		n.desktop.Add(n.app)
		o := run(t, n.desktop, exportReport, func(r *runner.Request) {
			r.Only, r.StartAt = row.only, row.startAt
			emit := r.Emit
			r.Emit = func(e results.Event) {
				if e.Type != results.EventAttemptFinished { // the test's plan has all of them
					emit(e)
				}
			}
		})
		var ids []string
		for _, s := range o.Steps {
			ids = append(ids, s.ID)
		}
		if strings.Join(ids, " ") != row.want || o.Status != row.status {
			t.Errorf("only %q, from %q: %s %s, %v", row.only, row.startAt, o.Status, o.Reason, ids)
		}
	}
}
