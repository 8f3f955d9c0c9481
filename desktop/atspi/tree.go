package atspi

import (
	"context"
	"errors"
	"time"

	"github.com/opendesk/opendesk/desktop"
)

// Bounds of what one snapshot of an application reads.
const (
	maxChildren = 1000 // of one object
	maxPart     = 600  // read of an object that has more
	maxNodes    = 50_000
	maxDepth    = 200
	// treeBudget bounds the reading of one application that answers each
	// call, but slowly.
	treeBudget = 15 * time.Second
)

// Tree reads the application's whole tree, fresh, and fills every element
// with need. Errors are *desktop.HungError where it stays silent,
// *desktop.GoneError where it left the bus, *desktop.NoTreeError where it has
// no root object (yet), *desktop.EnvironmentError where the bus is down. An
// application without windows has a root without children.
func (b *Bus) Tree(ctx context.Context, app App, need desktop.Need) (*desktop.Element, error) {
	return b.tree(ctx, app, need, true)
}

func (b *Bus) tree(ctx context.Context, app App, need desktop.Need, useCache bool) (*desktop.Element, error) {
	start := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, treeBudget, errSilent)
	defer cancel()
	r := &reader{
		bus:      b,
		app:      &app,
		useCache: useCache,
		facts:    map[ref]facts{},
		children: map[ref][]ref{},
		cut:      map[ref]bool{},
		places:   map[ref][]int{},
	}
	err := r.read(limited)
	if errors.Is(err, errNoRoot) {
		return nil, &desktop.NoTreeError{Name: app.label()}
	}
	if err != nil {
		return nil, b.fault(ctx, app, err, time.Since(start))
	}
	if name := r.facts[r.root].name; name != "" {
		app.Name = name
	}
	root, all := r.elements()
	if need != 0 {
		if err := b.Fill(limited, all, need); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, err
		}
		if root.Gone {
			return nil, &desktop.GoneError{What: "app '" + app.label() + "'"}
		}
	}
	return root, nil
}

// errNoRoot says that the application has no object at its root path.
var errNoRoot = errors.New("no root object")

// reader reads one application's tree.
type reader struct {
	bus      *Bus
	app      *App
	useCache bool

	root     ref
	facts    map[ref]facts // of objects that exist
	children map[ref][]ref // as the objects themselves list them
	cut      map[ref]bool  // have more children than were read
	places   map[ref][]int // where the children that were read stand, of those in cut
}

func (r *reader) batch(ctx context.Context, requests []*request) error {
	return batch(ctx, r.bus.conn, r.bus.timeout, requests)
}

func (r *reader) read(ctx context.Context) error {
	r.root = ref{r.app.BusName, r.app.Path}
	known, parents, err := r.begin(ctx)
	if err != nil {
		return err
	}
	if err := r.prefetch(ctx, known, parents); err != nil {
		return err
	}

	seen := map[ref]bool{r.root: true}
	level := []ref{r.root}
	for depth := 0; len(level) > 0; depth++ {
		if err := r.ask(ctx, level, known); err != nil {
			return err
		}
		if depth == 0 && len(level) > 0 {
			if _, ok := r.facts[r.root]; !ok {
				return errNoRoot
			}
		}
		if depth >= maxDepth {
			for _, n := range level {
				r.cut[n] = r.facts[n].childCount != 0
				delete(r.children, n)
			}
			break
		}
		if err := r.askChildren(ctx, level); err != nil {
			return err
		}
		level = r.descend(level, seen)
	}
	return nil
}

// descend gives the next level: the children that were not met before. It
// keeps of r.children what belongs to the tree.
func (r *reader) descend(level []ref, seen map[ref]bool) []ref {
	var next []ref
	for _, n := range level {
		var own []ref
		for _, c := range r.children[n] {
			if seen[c] {
				continue
			}
			if len(seen) >= maxNodes {
				r.cut[n] = true
				break
			}
			seen[c] = true
			own = append(own, c)
		}
		r.children[n] = own
		next = append(next, own...)
	}
	return next
}

// begin asks for the root and, in the same breath, for the toolkit's cache.
func (r *reader) begin(ctx context.Context) (map[ref]facts, map[ref]ref, error) {
	requests := factRequests(r.root)
	withCache := r.useCache && !r.bus.cacheIsSlow(r.app.BusName)
	items := &request{dest: r.app.BusName, path: "/org/a11y/atspi/cache", method: "org.a11y.atspi.Cache.GetItems"}
	if withCache {
		requests = append(requests, items)
	}
	err := r.batch(ctx, requests)
	if errors.Is(err, errSilent) && withCache && requests[len(requests)-2].err == nil {
		// Everything but the cache was answered: it takes too long there.
		r.bus.setSlowCache(r.app.BusName)
		items.body = nil
		err = nil
	}
	if err != nil {
		return nil, nil, err
	}
	f, ok, err := r.parseFacts(r.root, requests)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNoRoot
	}
	known, parents := parseItems(items.body)
	known[r.root] = f
	return known, parents, nil
}

// prefetch asks, in two batches for the whole tree, for the children of the
// objects that the cache claims to be below the root. Where the cache is
// right, the level by level walk then finds everything answered.
func (r *reader) prefetch(ctx context.Context, known map[ref]facts, parents map[ref]ref) error {
	below := map[ref][]ref{}
	for child, parent := range parents {
		below[parent] = append(below[parent], child)
	}
	reach := []ref{r.root}
	seen := map[ref]bool{r.root: true}
	for i := 0; i < len(reach) && len(reach) < maxNodes; i++ {
		for _, c := range below[reach[i]] {
			if !seen[c] {
				seen[c] = true
				reach = append(reach, c)
			}
		}
	}
	var counts []*request
	var unknown []ref
	for _, n := range reach {
		if known[n].childCount < 0 {
			unknown = append(unknown, n)
			counts = append(counts, &request{dest: n.dest, path: n.path, method: getProperty, args: []any{accessible, "ChildCount"}})
		}
	}
	if err := r.batch(ctx, counts); err != nil {
		return err
	}
	for i, n := range unknown {
		f := known[n]
		if count, ok := variantOf(counts[i].body).(int32); ok && counts[i].err == nil {
			f.childCount = int(count)
			known[n] = f
		}
	}
	for _, n := range reach {
		r.facts[n] = known[n]
	}
	if err := r.askChildren(ctx, reach); err != nil {
		return err
	}
	for _, n := range reach {
		if _, exists := r.facts[n]; !exists {
			delete(known, n) // the cache is behind: it has to say so itself
		}
	}
	clear(r.facts)
	return nil
}

// ask completes r.facts for the level. Objects that have gone meanwhile are
// left out.
func (r *reader) ask(ctx context.Context, level []ref, known map[ref]facts) error {
	var missing []ref
	var requests []*request
	for _, n := range level {
		if f, ok := known[n]; ok && f.childCount >= 0 {
			r.facts[n] = f
			continue
		}
		missing = append(missing, n)
		requests = append(requests, factRequests(n)...)
	}
	if err := r.batch(ctx, requests); err != nil {
		return err
	}
	for i, n := range missing {
		f, ok, err := r.parseFacts(n, requests[i*factCalls:(i+1)*factCalls])
		if err != nil {
			return err
		}
		if ok {
			if k, cached := known[n]; cached {
				f.ifaces, f.description, f.described = k.ifaces, k.description, k.described
			}
			r.facts[n] = f
		}
	}
	return r.askRoleNames(ctx, level)
}

// askRoleNames asks for the names of roles whose number says nothing.
func (r *reader) askRoleNames(ctx context.Context, level []ref) error {
	var nameless []ref
	var requests []*request
	for _, n := range level {
		if f, ok := r.facts[n]; ok && roleName(f.role) == "" {
			nameless = append(nameless, n)
			requests = append(requests, &request{dest: n.dest, path: n.path, method: accessible + ".GetRoleName"})
		}
	}
	if err := r.batch(ctx, requests); err != nil {
		return err
	}
	for i, n := range nameless {
		if peerGone(requests[i].err) && n.dest == r.root.dest {
			return requests[i].err
		}
		f := r.facts[n]
		f.roleName = stringOf(requests[i].body)
		r.facts[n] = f
	}
	return nil
}

// askChildren completes r.children for the objects in nodes.
func (r *reader) askChildren(ctx context.Context, nodes []ref) error {
	type asked struct {
		node   ref
		from   int
		n      int
		places []int // of the children asked for one by one, nil for GetChildren
	}
	var plan []asked
	var requests []*request
	for _, n := range nodes {
		f, exists := r.facts[n]
		if _, done := r.children[n]; done || !exists {
			continue
		}
		from := len(requests)
		var places []int
		switch {
		case f.childCount == 0:
		case f.childCount <= maxChildren:
			requests = append(requests, &request{dest: n.dest, path: n.path, method: accessible + ".GetChildren"})
		default:
			r.cut[n] = true
			places = r.part(ctx, n, f.childCount)
			for _, place := range places {
				requests = append(requests, &request{dest: n.dest, path: n.path, method: accessible + ".GetChildAtIndex",
					args: []any{int32(place)}})
			}
		}
		plan = append(plan, asked{n, from, len(requests) - from, places})
	}
	if err := r.batch(ctx, requests); err != nil {
		return err
	}
	for _, p := range plan {
		children := []ref{}
		var places []int
		gone := false
		for i, q := range requests[p.from : p.from+p.n] {
			switch {
			case peerGone(q.err) && p.node.dest == r.root.dest:
				return q.err
			case peerGone(q.err) || mayBeGone(q.err):
				gone = true
			case q.err != nil:
				r.cut[p.node] = true
			case p.places == nil:
				children = parseRefs(first(q.body))
			default:
				if c := parseRef(first(q.body)); !c.null() {
					children = append(children, c)
					places = append(places, p.places[i])
				}
			}
		}
		if gone {
			delete(r.facts, p.node) // it was there a moment ago
			continue
		}
		r.children[p.node] = children
		if p.places != nil {
			r.places[p.node] = places
		}
	}
	return nil
}

// factCalls is how many calls ask for one object's facts.
const factCalls = 4

// factRequests asks for an object's facts. GetAll would need fewer calls and
// makes Qt 5 crash. The role comes last: where it is answered, the object
// existed when the others were.
func factRequests(n ref) []*request {
	return []*request{
		{dest: n.dest, path: n.path, method: getProperty, args: []any{accessible, "Name"}},
		{dest: n.dest, path: n.path, method: getProperty, args: []any{accessible, "ChildCount"}},
		{dest: n.dest, path: n.path, method: accessible + ".GetState"},
		{dest: n.dest, path: n.path, method: accessible + ".GetRole"},
	}
}

// parseFacts reads the answers to factRequests; ok is false for an object
// that does not exist. It fails when the application has gone.
func (r *reader) parseFacts(n ref, q []*request) (f facts, ok bool, err error) {
	if peerGone(q[3].err) && n.dest == r.root.dest {
		return f, false, q[3].err
	}
	role, ok := first(q[3].body).(uint32)
	if q[3].err != nil || !ok {
		return f, false, nil
	}
	f.role = role
	f.name, _ = variantOf(q[0].body).(string)
	count, _ := variantOf(q[1].body).(int32)
	f.childCount = max(0, int(count))
	f.states = parseStates(first(q[2].body))
	return f, true, nil
}
