package atspi

// parseItems reads the answer of org.a11y.atspi.Cache.GetItems, whose items
// are either
//
//	(so)(so)(so) i i as s u s au     object, app, parent, index, children, …
//	(so)(so)(so) a(so) as s u s au   object, app, parent, children, … (Qt 5)
//
// What toolkits put there is what the single calls would say at that moment,
// but neither the set of objects nor the number of children can be relied on:
// GTK 3 and GTK 4 leave out objects that nobody has asked for yet, GTK 4 says
// that the application has no children, and indexes are often -1. So items
// only save asking for facts; the structure is always asked for.
func parseItems(body []any) (items map[ref]facts, parents map[ref]ref) {
	list, _ := first(body).([][]any)
	items = make(map[ref]facts, len(list))
	parents = make(map[ref]ref, len(list))
	for _, fields := range list {
		var f facts
		var rest []any
		switch {
		case len(fields) == 10:
			count, ok := fields[4].(int32)
			if !ok {
				continue
			}
			f.childCount = int(count)
			rest = fields[5:]
		case len(fields) == 9:
			f.childCount = len(parseRefs(fields[3]))
			rest = fields[4:]
		default:
			continue
		}
		f.cached = true
		r := parseRef(fields[0])
		role, ok := rest[2].(uint32)
		if r.null() || !ok {
			continue
		}
		f.ifaces = parseIfaces(rest[0])
		f.name, _ = rest[1].(string)
		f.role = role
		f.description, _ = rest[3].(string)
		f.described = true
		f.states = parseStates(rest[4])
		items[r] = f
		parents[r] = parseRef(fields[2])
	}
	return items, parents
}
