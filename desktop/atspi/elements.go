package atspi

import (
	"strconv"
	"sync"

	"github.com/opendesk/opendesk/desktop"
)

// canonicalRoles are the canonical names of AT-SPI's role numbers.
var canonicalRoles = sync.OnceValue(func() []string {
	out := make([]string, len(roleNames))
	for i, n := range roleNames {
		out[i] = desktop.CanonicalRole(n)
	}
	return out
})

// elements turns what was read into elements, the root first, in document
// order.
func (r *reader) elements() (root *desktop.Element, all []*desktop.Element) {
	all = make([]*desktop.Element, 0, len(r.facts))
	info := r.app.info()
	var build func(n ref, parent *desktop.Element, path string, secret bool) *desktop.Element
	build = func(n ref, parent *desktop.Element, path string, secret bool) *desktop.Element {
		f := r.facts[n]
		e := &desktop.Element{
			Name:      f.name,
			States:    f.states.desktop(),
			Ref:       path,
			App:       info,
			Parent:    parent,
			Truncated: r.cut[n],
			Handle: &handle{ref: n, app: r.app, role: f.role, ifaces: f.ifaces,
				described: f.described, description: f.description},
		}
		if e.RawRole = roleName(f.role); e.RawRole != "" {
			e.Role = canonicalRoles()[f.role]
		} else {
			e.RawRole = f.roleName
			e.Role = desktop.CanonicalRole(f.roleName)
		}
		secret = secret || f.role == rolePassword
		if secret {
			e.States |= desktop.Password
		}
		switch {
		case parent == nil:
		case parent.Parent == nil:
			e.Window = e
		default:
			e.Window = parent.Window
		}
		all = append(all, e)

		counts := map[string]int{}
		places := r.places[n]
		for i, c := range r.children[n] {
			cf, ok := r.facts[c]
			if !ok {
				continue
			}
			raw := roleName(cf.role)
			if raw == "" {
				raw = cf.roleName
			}
			place := counts[raw]
			if places != nil {
				place = places[i]
			}
			step := raw + "[" + strconv.Itoa(place) + "]"
			counts[raw]++
			if path != "" {
				step = path + "/" + step
			}
			e.Children = append(e.Children, build(c, e, step, secret))
		}
		return e
	}
	root = build(r.root, nil, "", false)
	return root, all
}
