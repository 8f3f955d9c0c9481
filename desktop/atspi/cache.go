package atspi

// parseItems reads the answer of org.a11y.atspi.Cache.GetItems, whose items
// are either
//
//	(so)(so)(so) i i as s u s au     object, app, parent, index, children, …
//	(so)(so)(so) a(so) as s u s au   object, app, parent, children, … (Qt 5)
//
// GTK 3, GTK 4 and WebKit make every item anew from the object itself, by the
// functions that answer the single calls, so a fact is as fresh there as from
// those. The set of items cannot be relied on: objects that nobody has asked
// for yet are left out. Nor can the links between them: indexes and numbers of
// children are often -1, and GTK 4's application claims to have no children.
// So items save asking for facts; what children an object has, it is asked.
func parseItems(body []any) (items map[ref]facts, parents map[ref]ref) {
	list, _ := first(body).([]item)
	items = make(map[ref]facts, len(list))
	parents = make(map[ref]ref, len(list))
	for _, i := range list {
		if !i.object.null() {
			items[i.object], parents[i.object] = i.facts, i.parent
		}
	}
	return items, parents
}

// cacheIsSlow tells whether the connection's cache took too long before.
func (b *Bus) cacheIsSlow(dest string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slowCache[dest]
}

func (b *Bus) setSlowCache(dest string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slowCache[dest] = true
}
