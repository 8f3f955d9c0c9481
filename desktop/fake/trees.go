package fake

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// answerTime is how long a hung application's silence is said to have lasted.
const answerTime = 800 * time.Millisecond

// Snapshot implements desktop.Trees.
func (d *Desktop) Snapshot(ctx context.Context, app string, need desktop.Need) (*desktop.Snapshot, error) {
	s := &desktop.Snapshot{}
	err := d.call(ctx, "Snapshot", func() error {
		d.adopt()
		for _, a := range d.apps {
			if app != "" && !a.Info.Matches(app) {
				continue
			}
			info := a.Info
			switch {
			case a.Hung:
				s.Faults = append(s.Faults, desktop.AppFault{Info: info, Err: &desktop.HungError{Name: info.Display(), After: answerTime}})
			case a.NoTree:
				s.Faults = append(s.Faults, desktop.AppFault{Info: info, Err: &desktop.NoTreeError{Name: info.Display()}})
			default:
				s.Apps = append(s.Apps, d.tree(a, need))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (d *Desktop) tree(a *App, need desktop.Need) *desktop.AppTree {
	info := a.Info
	root := &desktop.Element{Role: "application", RawRole: "application", Name: info.Name, App: &info}
	seen := map[string]int{}
	for _, w := range a.Windows {
		root.Children = append(root.Children, d.element(w.frame(d.focus), w, root, seen, need))
	}
	return &desktop.AppTree{Info: info, Root: root}
}

// frame is the window's top-level element.
func (w *Window) frame(focus *Window) *Node {
	n := &Node{Role: w.Role, Name: w.Title, Bounds: w.Bounds, Children: w.Nodes}
	if n.Role == "" {
		n.Role = "frame"
	}
	if w == focus {
		n.States |= desktop.Active
	}
	if w.Modal {
		n.States |= desktop.Modal
	}
	return n
}

// handle is what an element of a snapshot was made of.
type handle struct {
	node   *Node
	window *Window
	frame  bool
}

// element copies a node and everything below it. seen counts the siblings of
// one raw role so far.
func (d *Desktop) element(n *Node, w *Window, parent *desktop.Element, seen map[string]int, need desktop.Need) *desktop.Element {
	h := &handle{node: n, window: w, frame: parent.Window == nil}
	e := &desktop.Element{Role: n.Role, RawRole: n.rawRole(), App: parent.App, Parent: parent, Window: parent.Window, Handle: h}
	if h.frame {
		e.Window = e
	}
	e.Ref = fmt.Sprintf("%s[%d]", e.RawRole, seen[e.RawRole])
	seen[e.RawRole]++
	if parent.Ref != "" {
		e.Ref = parent.Ref + "/" + e.Ref
	}
	d.copyInto(e, n, need)
	below := map[string]int{}
	for _, c := range n.Children {
		e.Children = append(e.Children, d.element(c, w, e, below, need))
	}
	return e
}

func (n *Node) rawRole() string {
	if n.RawRole != "" {
		return n.RawRole
	}
	return n.Role
}

// states are the node's effective states, the focus included.
func (d *Desktop) states(n *Node) desktop.States {
	s := (desktop.Showing | desktop.Visible | desktop.Enabled | desktop.Sensitive | n.States) &^ n.Without
	if n == d.focused {
		s |= desktop.Focused | desktop.Focusable
	}
	return s
}

func (d *Desktop) copyInto(e *desktop.Element, n *Node, need desktop.Need) {
	e.Name, e.States, e.Truncated = n.Name, d.states(n), n.Truncated
	if need&desktop.NeedIdentifier != 0 {
		e.Identifier = n.Identifier
	}
	if need&desktop.NeedBounds != 0 {
		e.Bounds, e.BoundsKnown, e.NoRoom = n.Bounds, !n.Bounds.Empty(), n.NoRoom
	}
	if need&desktop.NeedActions != 0 {
		e.Actions = slices.Clone(n.Actions)
	}
	if need&desktop.NeedText != 0 {
		e.Value, e.Text = n.Value, n.Text
	}
	if need&desktop.NeedDescription != 0 {
		e.Description = n.Description
	}
}

// alive reports whether what the handle was made of is still on the desktop.
func (d *Desktop) alive(h *handle) bool {
	for _, a := range d.apps {
		if slices.Contains(a.Windows, h.window) {
			return h.frame || contains(h.window.Nodes, h.node)
		}
	}
	return false
}

func contains(nodes []*Node, n *Node) bool {
	return slices.ContainsFunc(nodes, func(c *Node) bool { return c == n || contains(c.Children, n) })
}

// Fill implements desktop.Trees.
func (d *Desktop) Fill(ctx context.Context, elements []*desktop.Element, need desktop.Need) error {
	return d.call(ctx, "Fill", func() error {
		for _, e := range elements {
			h, ok := e.Handle.(*handle)
			switch {
			case !ok:
			case !d.alive(h):
				e.Gone = true
			case h.frame:
				d.copyInto(e, h.window.frame(d.focus), need)
			default:
				d.copyInto(e, h.node, need)
			}
		}
		return nil
	})
}

// actionNames are the toolkits' names for each sort of action.
var actionNames = map[desktop.ActionKind][]string{
	desktop.Press:    {"click", "press", "activate", "toggle", "jump"},
	desktop.ShowMenu: {"ShowMenu", "popup"},
	desktop.Expand:   {"expand or contract", "expand"},
}

// Act implements desktop.Trees.
func (d *Desktop) Act(ctx context.Context, e *desktop.Element, action desktop.ActionKind) error {
	return d.call(ctx, "Act", func() error {
		h, err := d.touch(e)
		if err != nil {
			return err
		}
		n := h.node
		if !slices.ContainsFunc(n.Actions, func(a string) bool { return slices.Contains(actionNames[action], a) }) {
			return &desktop.NoActionError{Action: action, Have: slices.Clone(n.Actions)}
		}
		d.did("%s %s '%s'", action, n.Role, n.Name)
		run(map[desktop.ActionKind]func(){desktop.Press: n.OnPress, desktop.ShowMenu: n.OnMenu, desktop.Expand: n.OnExpand}[action])
		if n.Unanswered {
			return &desktop.UnansweredError{After: answerTime}
		}
		return nil
	})
}

// touch is what has to hold before an element can be acted on.
func (d *Desktop) touch(e *desktop.Element) (*handle, error) {
	h, ok := e.Handle.(*handle)
	if !ok || !d.alive(h) {
		return nil, &desktop.GoneError{What: fmt.Sprintf("%s '%s'", e.Role, e.Name)}
	}
	if h.window.app.Hung {
		return nil, &desktop.UnansweredError{After: answerTime}
	}
	return h, nil
}

func run(f func()) {
	if f != nil {
		f()
	}
}

// SetFocus implements desktop.Trees.
func (d *Desktop) SetFocus(ctx context.Context, e *desktop.Element) error {
	return d.call(ctx, "SetFocus", func() error {
		h, err := d.touch(e)
		if err != nil {
			return err
		}
		d.focus, d.focused = h.window, h.node
		d.did("focus %s '%s'", e.Role, e.Name)
		return nil
	})
}

// FocusedElement implements desktop.Trees.
func (d *Desktop) FocusedElement(ctx context.Context, need desktop.Need) (*desktop.Element, error) {
	var found *desktop.Element
	err := d.call(ctx, "FocusedElement", func() error {
		for _, a := range d.apps {
			if a.Hung || a.NoTree {
				continue
			}
			d.tree(a, need).Root.Walk(func(e *desktop.Element) bool {
				if h, ok := e.Handle.(*handle); ok && d.focused != nil && h.node == d.focused {
					found = e
				}
				return found == nil
			})
		}
		return nil
	})
	return found, err
}

// HasFocusedElement implements desktop.Trees.
func (d *Desktop) HasFocusedElement(ctx context.Context) (bool, error) {
	e, err := d.FocusedElement(ctx, 0)
	return e != nil, err
}

// ScrollTo implements desktop.Trees: it shows a node that was not showing.
func (d *Desktop) ScrollTo(ctx context.Context, e *desktop.Element) error {
	return d.call(ctx, "ScrollTo", func() error {
		h, err := d.touch(e)
		if err != nil {
			return err
		}
		h.node.Without &^= desktop.Showing
		d.did("scroll to %s '%s'", e.Role, e.Name)
		return nil
	})
}

// HitTest implements desktop.Trees: the deepest showing node of the element's
// window at the point. An application whose toolkit is not given does not say.
func (d *Desktop) HitTest(ctx context.Context, e *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	var found *desktop.Element
	err := d.call(ctx, "HitTest", func() error {
		h, ok := e.Handle.(*handle)
		if !ok || e.App.Toolkit == "" {
			return nil
		}
		hit := d.deepest(h.window.Nodes, at)
		e.Window.Walk(func(other *desktop.Element) bool {
			if o, ok := other.Handle.(*handle); ok && hit != nil && o.node == hit {
				found = other
			}
			return found == nil
		})
		return nil
	})
	return found, err
}
