package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/results"
)

// get_value is an element's value, else its text, else its name; what is in a
// password field is never recorded.
func TestGetValue(t *testing.T) {
	for _, row := range []struct {
		node *fake.Node
		want string
	}{
		{&fake.Node{Role: "slider", Name: "Volume", Text: "loud", Value: "77"}, "77"},
		{&fake.Node{Role: "entry", Name: "Customer", Text: "Ada"}, "Ada"},
		{&fake.Node{Role: "label", Name: "Total: 12 €"}, "Total: 12 €"},
		{&fake.Node{Role: "password text", Name: "Password", Text: "secret", States: desktop.Password}, ""},
	} {
		t.Run(row.node.Role, func(t *testing.T) {
			d := fake.New(800, 600)
			d.Add(&fake.App{Info: desktop.AppInfo{Name: "Form"}, Windows: []*fake.Window{{
				Title: "f", Bounds: desktop.Rect{Width: 400, Height: 300}, Nodes: []*fake.Node{row.node},
			}}})
			o := run(t, d, fmt.Sprintf(`{"name":"g","version":1,"steps":[{"id":"s1","tool":"ui","params":{"action":"get_value"},
				"target":{"app":"Form","title":%q}}]}`, row.node.Name))
			if o.Status != results.Passed || o.step("s1").Value != row.want {
				t.Errorf("%s %s: value %q, want %q", o.Status, o.Reason, o.step("s1").Value, row.want)
			}
		})
	}
}

// The clipboard's text is the step's value; an owner that does not hand it
// over is the app's fault, not the environment's.
func TestClipboard(t *testing.T) {
	const source = `{"name":"c","version":1,"steps":[
		{"id":"s1","tool":"clipboard","params":{"action":"write","text":"Zażółć 😀"}},
		{"id":"s2","tool":"clipboard","params":{"action":"read"}}]}`
	d := fake.New(800, 600)
	if o := run(t, d, source); o.Status != results.Passed || o.step("s2").Value != "Zażółć 😀" {
		t.Errorf("%s %s: value %q", o.Status, o.Reason, o.step("s2").Value)
	}
	for _, err := range []error{
		&desktop.ClipboardOwnerError{Owner: "xclip", After: 2 * time.Second}, context.DeadlineExceeded, errors.New("it holds a picture"),
	} {
		d := fake.New(800, 600)
		d.FailNth("ReadClipboard", 1, err)
		o := run(t, d, source)
		if f := o.step("s2").Failure; o.Status != results.Failed || f.Kind != results.ActionRefused || !strings.Contains(f.Reason, "clipboard") && !strings.Contains(f.Reason, err.Error()) {
			t.Errorf("%v: %s, %+v", err, o.Status, f)
		}
	}
}
