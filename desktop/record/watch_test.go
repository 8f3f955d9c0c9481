package record

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/fake"
	"github.com/opendesk/opendesk/trajectory"
)

// shop is an application with a button, a field and one for passwords.
type shop struct {
	*fake.Desktop
	app              *fake.App
	window           *fake.Window
	buy, name, entry *fake.Node
	watcher          *watcher
	names            names
}

var (
	onBuy   = desktop.Point{X: 150, Y: 120}
	onNames = names{
		app:      func(a desktop.AppInfo) string { return a.Display() },
		title:    func(e *desktop.Element) string { return e.Name },
		password: "${env:SHOP_PASSWORD}",
	}
)

func newShop() *shop {
	s := &shop{Desktop: fake.New(800, 600), names: onNames}
	label := &fake.Node{Role: "label", Name: "Buy", Bounds: desktop.Rect{X: 140, Y: 110, Width: 20, Height: 20}}
	s.buy = &fake.Node{Role: "button", RawRole: "push button", Name: "Buy", Bounds: desktop.Rect{X: 100, Y: 100, Width: 100, Height: 40}, Children: []*fake.Node{label}}
	s.name = &fake.Node{Role: "entry", RawRole: "text", Name: "Name", States: desktop.Editable, Bounds: desktop.Rect{X: 100, Y: 200, Width: 100, Height: 20}}
	s.entry = &fake.Node{Role: "entry", RawRole: "password text", States: desktop.Editable | desktop.Password, Bounds: desktop.Rect{X: 100, Y: 240, Width: 100, Height: 20}}
	s.window = &fake.Window{Title: "Shop", Bounds: desktop.Rect{X: 50, Y: 50, Width: 400, Height: 400}, Nodes: []*fake.Node{s.buy, s.name, s.entry}}
	s.app = s.Add(&fake.App{Info: desktop.AppInfo{Name: "shop"}, Windows: []*fake.Window{s.window}})
	s.FocusNode(s.name)
	s.watcher = newWatcher(s.Desktop)
	return s
}

// windowsAt are the ids of the windows that are at the point now: of the one in
// front.
func (s *shop) windowsAt(at desktop.Point) []uint32 {
	windows, _ := s.Windows(context.Background())
	if w := topAt(windows, at); w != nil {
		return []uint32{1 << 20, w.ID} // the frame around it first
	}
	return nil
}

// hear has the watcher hear of a change now.
func (s *shop) hear() {
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	for _, v := range s.watcher.views {
		v.forest.change(time.Now())
	}
}

func (s *shop) ask(q wish) *sighting {
	q.first, q.s = true, newSighting()
	q.s.settled = true
	s.watcher.fulfil(context.Background(), q)
	<-q.s.done
	return q.s
}

func (s *shop) press(at desktop.Point, when time.Time) *sighting {
	return s.ask(wish{in: Input{Kind: ButtonDown, Button: left, Point: at, At: when}, windows: s.windowsAt(at)})
}

func (s *shop) typed(when time.Time) *sighting {
	return s.ask(wish{in: Input{Kind: KeyDown, At: when, Stroke: Stroke{Text: "x"}}})
}

func (s *shop) look() *view { return s.watcher.look(context.Background(), onBuy) }

func wantElement(t *testing.T, s *sighting, role, name string, late bool) {
	t.Helper()
	switch e := s.element; {
	case e == nil && role != "":
		t.Errorf("saw nothing, want %s '%s'", role, name)
	case e != nil && (e.RawRole != role || e.Name != name):
		t.Errorf("saw %s '%s', want %s '%s'", e.RawRole, e.Name, role, name)
	}
	if s.late != late {
		t.Errorf("late is %v, want %v", s.late, late)
	}
}

// What was clicked is what was there before the click, not what came of it.
func TestLooksAhead(t *testing.T) {
	s := newShop()
	s.look()
	clicked := time.Now()
	s.Change(func() { s.window.Nodes = []*fake.Node{{Role: "label", Name: "Thank you", Bounds: s.buy.Bounds}} })
	s.hear()
	wantElement(t, s.press(onBuy, clicked), "push button", "Buy", false)
	if n := s.Calls("Snapshot"); n != 1 {
		t.Errorf("looked %d times", n)
	}
}

// Something has changed, but not there: the element alone is asked.
func TestStillThere(t *testing.T) {
	s := newShop()
	s.look()
	s.Change(func() { s.name.Text = "Ann" })
	s.hear()
	wantElement(t, s.press(onBuy, time.Now()), "push button", "Buy", false)
	if n := s.Calls("Snapshot"); n != 1 {
		t.Errorf("looked %d times", n)
	}
}

// A window has come up that nobody had looked at when it was clicked.
func TestLate(t *testing.T) {
	s := newShop()
	s.look()
	ok := &fake.Node{Role: "button", RawRole: "push button", Name: "OK", Bounds: s.buy.Bounds}
	dialog := &fake.Window{Title: "Really?", Role: "dialog", Bounds: desktop.Rect{X: 90, Y: 90, Width: 200, Height: 100}, Nodes: []*fake.Node{ok}}
	s.Change(func() { s.app.Windows = append(s.app.Windows, dialog); s.Focus(dialog) })
	s.hear()
	got := s.press(onBuy, time.Now())
	wantElement(t, got, "push button", "OK", true)
	if got.window.Title != "Really?" {
		t.Errorf("in window %s", got.window.Title)
	}
}

// A menu that nobody had looked at has gone with the click: nothing is known,
// and above all not what lies under it.
func TestGoneWithTheClick(t *testing.T) {
	s := newShop()
	s.look()
	s.hear()
	got := s.ask(wish{in: Input{Kind: ButtonDown, Button: left, Point: onBuy, At: time.Now()}, windows: []uint32{4711}})
	if got.element != nil || got.window != nil {
		t.Errorf("saw %+v", got.element)
	}
}

// A menu that was seen has gone with the click: the item is known.
func TestMenuGoneWithTheClick(t *testing.T) {
	s := newShop()
	v := s.look()
	letter := &desktop.Element{Role: "menu item", RawRole: "menu item", Name: "Letter", States: desktop.Showing | desktop.Visible,
		Bounds: desktop.Rect{X: 110, Y: 110, Width: 80, Height: 20}, BoundsKnown: true}
	root := v.forest.trees[s.app.Info.PID][0].Root
	letter.Parent, letter.App, letter.Window = root, root.Children[0].App, letter
	root.Children = append(root.Children, letter)
	menu := desktop.Window{ID: 4711, App: v.windows[0].App, Override: true, Bounds: desktop.Rect{X: 105, Y: 105, Width: 90, Height: 60}}
	v.windows = append([]desktop.Window{menu}, v.windows...)
	wantElement(t, s.press(onBuy, time.Now()), "menu item", "Letter", false)
}

// Without a first look everything is late, and without an app nothing is known.
func TestNothingSeen(t *testing.T) {
	s := newShop()
	wantElement(t, s.press(onBuy, time.Now()), "push button", "Buy", true)
	if got := s.press(desktop.Point{X: 5, Y: 5}, time.Now()); got.element != nil || got.window != nil || s.names.context(got) != nil {
		t.Errorf("saw %+v", got.element)
	}
}

func TestPasswords(t *testing.T) {
	s := newShop()
	s.FocusNode(s.entry)
	s.look()
	if got := s.typed(time.Now()); !got.hidden() {
		t.Error("the password would be written down")
	}
	// The focus moves into the field while somebody types.
	s.FocusNode(s.name)
	s.hear()
	got := s.typed(time.Now())
	wantElement(t, got, "text", "Name", true)
	if got.hidden() {
		t.Error("a name is no password")
	}
	s.Change(func() { s.FocusNode(s.entry) })
	s.hear()
	last := make(chan struct{})
	s.watcher.fulfil(context.Background(), wish{in: Input{Kind: KeyDown, At: time.Now()}, s: got, last: last})
	<-last
	if !got.hidden() {
		t.Error("a part of it went into the password field")
	}
	if e := s.names.event(&action{kind: trajectory.Type, text: "secret", seen: got}); e.Text != "${env:SHOP_PASSWORD}" || !e.Password {
		t.Errorf("written down: %+v", e)
	}
}

func TestWhatCameOfIt(t *testing.T) {
	s := newShop()
	s.name.Text = "An"
	s.look()
	a := &action{kind: trajectory.Type, began: time.Now(), ended: time.Now(), text: "n", seen: s.typed(time.Now())}
	early := s.look()
	a.ended = time.Now().Add(time.Hour)
	if c := s.names.change(a, early); c != nil {
		t.Errorf("what was seen before it was over has not come of it: %+v", c)
	}
	a.ended = time.Now()
	total := &fake.Node{Role: "label", Name: "Total: 12", Bounds: desktop.Rect{X: 100, Y: 300, Width: 100, Height: 20}}
	part := &fake.Node{Role: "label", Name: "hop", Bounds: desktop.Rect{X: 100, Y: 320, Width: 100, Height: 20}}
	hidden := &fake.Node{Role: "label", Name: "Nobody sees it", Without: desktop.Showing}
	s.Change(func() {
		s.name.Text = "Ann"
		s.window.Title = "Shop of Ann"
		s.window.Nodes = append(s.window.Nodes, total, part, hidden)
		s.app.Windows = append(s.app.Windows, &fake.Window{Title: "Hints", Bounds: desktop.Rect{X: 500, Y: 50, Width: 100, Height: 100}})
	})
	first := s.look()
	time.Sleep(20 * time.Millisecond)
	c := s.names.change(a, s.look())
	if c != nil && c.FrontAfter != first.began.Sub(a.ended).Seconds() {
		t.Errorf("in front after %v s, first seen after %v", c.FrontAfter, first.began.Sub(a.ended))
	}
	switch {
	case c == nil || c.Front == nil || c.Front.Window != "Shop of Ann" || c.Value == nil || *c.Value != "Ann":
		t.Fatalf("got %+v", c)
	case len(c.Windows) != 1 || c.Windows[0].Title != "Hints":
		t.Errorf("windows %+v", c.Windows)
	}
	var appeared []string
	for _, e := range c.Appeared {
		appeared = append(appeared, e.Title+e.Value)
	}
	if want := []string{"Shop of Ann", "Ann", "Total: 12", "Hints"}; !reflect.DeepEqual(appeared, want) {
		t.Errorf("appeared %q, want %q", appeared, want)
	}
}

// An app that does not tell everything has told nothing: what it showed before
// did not vanish, and does not appear again.
func TestHalfATree(t *testing.T) {
	s := newShop()
	s.name.Text = "Ann"
	s.look()
	a := &action{kind: trajectory.Key, key: "return", began: time.Now(), ended: time.Now(), seen: s.typed(time.Now())}
	s.FailNth("Fill", s.Calls("Fill")+1, context.DeadlineExceeded)
	later := s.look()
	if c := s.names.change(a, later); c == nil || c.Value != nil || len(c.Appeared) > 0 {
		t.Errorf("got %+v", c)
	}
	a = &action{kind: trajectory.Key, key: "return", began: time.Now(), ended: time.Now(), seen: s.typed(time.Now())}
	if c := s.names.change(a, s.look()); c == nil || len(c.Appeared) > 0 {
		t.Errorf("got %+v", c)
	}
}

// The watcher looks when the pointer comes to an app, and again when something
// has changed there; not while nothing does.
func TestWatches(t *testing.T) {
	s := newShop()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.watcher.run(ctx) }()
	go s.watcher.listen(ctx)
	looks := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); s.Calls("Snapshot") < n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("looked %d times, want %d", s.Calls("Snapshot"), n)
			}
		}
	}
	looks(1)
	s.watcher.move(onBuy)
	time.Sleep(2 * quietAfter)
	if n := s.Calls("Snapshot"); n != 1 {
		t.Errorf("looked %d times at what did not change", n)
	}
	s.Change(func() { s.name.Text = "Ann" })
	looks(2)
	s.Change(func() { s.window.Title = "Another" })
	looks(3)
	// An app that did not tell everything is asked once more.
	s.FailNth("Fill", s.Calls("Fill")+1, context.DeadlineExceeded)
	s.Change(func() { s.window.Title = "A third" })
	looks(5)
	stop()
	<-done
}

func TestElementAt(t *testing.T) {
	showing := desktop.Showing | desktop.Visible
	app := &desktop.AppInfo{PID: 7}
	root := &desktop.Element{App: app}
	add := func(parent *desktop.Element, role, name string, x, y, w, h int, states desktop.States) *desktop.Element {
		e := &desktop.Element{Role: role, RawRole: role, Name: name, App: app, Parent: parent, Window: parent.Window, States: states,
			Bounds: desktop.Rect{X: x, Y: y, Width: w, Height: h}, BoundsKnown: true}
		if parent == root {
			e.Window = e
		}
		parent.Children = append(parent.Children, e)
		return e
	}
	frame := add(root, "window", "Editor", 0, 0, 400, 300, showing)
	menu := add(add(frame, "menu bar", "", 0, 0, 400, 20, showing), "menu", "File", 0, 0, 40, 20, showing)
	add(menu, "menu item", "Save", 2, 22, 96, 20, showing)
	add(menu, "menu item", "Closed", 2, 44, 96, 20, desktop.Visible)
	text := add(frame, "entry", "", 0, 20, 400, 280, showing|desktop.Editable)
	bar := add(frame, "panel", "", 0, 260, 400, 40, showing)
	add(add(bar, "button", "Find", 10, 265, 60, 30, showing), "image", "", 12, 267, 20, 20, showing)
	add(bar, "label", "Line 1", 100, 265, 60, 30, showing)
	dialog := add(root, "dialog", "Find", 100, 100, 200, 100, showing)
	add(dialog, "button", "Close", 110, 170, 60, 20, showing)
	list := add(add(frame, "combo box", "A4", 200, 265, 60, 30, showing), "list", "", 5, 240, 100, 60, showing)
	add(list, "list item", "Letter", 5, 260, 100, 30, showing)
	v := &view{forest: &forest{trees: map[int][]*desktop.AppTree{7: {{Info: *app, Root: root}}}}}

	window := func(title string, bounds desktop.Rect, override bool) *desktop.Window {
		return &desktop.Window{Title: title, App: *app, Bounds: bounds, Override: override}
	}
	editor := window("Editor", frame.Bounds, false)
	popup := window("", desktop.Rect{X: 0, Y: 20, Width: 100, Height: 70}, true)
	choice := window("", desktop.Rect{X: 2, Y: 238, Width: 104, Height: 64}, true)
	find := window("Find", dialog.Bounds, false)
	for name, test := range map[string]struct {
		window *desktop.Window
		x, y   int
		want   string
	}{
		"a menu of the bar":              {editor, 10, 10, "File"},
		"an item of the open menu":       {popup, 50, 30, "Save"},
		"what the menu does not cover":   {editor, 300, 50, ""},
		"a place in the menu of no item": {popup, 50, 85, "none"},
		"a choice over a button":         {choice, 30, 272, "Letter"},
		"a picture on a button":          {editor, 20, 275, "Find"},
		"a label of its own":             {editor, 120, 275, "Line 1"},
		"a dialog over the window":       {find, 120, 180, "Close"},
		"the window beside the dialog":   {editor, 320, 150, ""},
	} {
		got := v.elementAt(test.window, desktop.Point{X: test.x, Y: test.y})
		switch {
		case got == nil && test.want != "none":
			t.Errorf("%s: nothing", name)
		case got != nil && got.Name != test.want:
			t.Errorf("%s: got %s '%s'", name, got.Role, got.Name)
		case got != nil && test.want == "" && got != text:
			t.Errorf("%s: got %s", name, got.Role)
		}
	}
	if path := onNames.menuPath(menu.Children[0]); !reflect.DeepEqual(path, []string{"File", "Save"}) {
		t.Errorf("menu path %q", path)
	}
}

// liar is a desktop whose elements all claim to have the focus, as Qt's tabs do.
type liar struct{ *fake.Desktop }

func (liar) IsFocused(context.Context, *desktop.Element) (bool, error) { return true, nil }

// A text is not taken to go where none can go, whatever claims to have the focus.
func TestFocusThatIsClaimed(t *testing.T) {
	s := newShop()
	s.watcher = newWatcher(liar{s.Desktop})
	s.FocusNode(s.buy)
	s.look()
	s.Change(func() { s.FocusNode(s.entry) })
	s.hear()
	if got := s.typed(time.Now()); !got.hidden() {
		t.Error("the password would be written down")
	}
}
