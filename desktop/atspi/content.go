package atspi

import (
	"context"
	"time"
)

// HasContent reports whether any of the application's windows has anything in
// it. That is asked of an application that is being started, which is to get
// on with it: the root and its windows are asked, and nothing below them.
// Errors are those of Tree.
func (b *Bus) HasContent(ctx context.Context, app App) (bool, error) {
	start := time.Now()
	has, err := b.hasContent(ctx, app)
	if err != nil {
		return false, b.fault(ctx, app, err, time.Since(start))
	}
	return has, nil
}

func (b *Bus) hasContent(ctx context.Context, app App) (bool, error) {
	windows, err := b.childrenOf(ctx, []ref{{app.BusName, app.Path}})
	if err != nil {
		return false, err
	}
	below, err := b.childrenOf(ctx, windows)
	return len(below) > 0, err
}

// childrenOf are the children of the objects that exist. Of one that has more
// than a tree would be read whole with, the first stands for all.
func (b *Bus) childrenOf(ctx context.Context, parents []ref) ([]ref, error) {
	counts := make([]*request, len(parents))
	for i, p := range parents {
		counts[i] = &request{dest: p.dest, path: p.path, method: getProperty, args: []any{accessible, "ChildCount"}}
	}
	if err := batch(ctx, b.conn, b.timeout, counts); err != nil {
		return nil, err
	}
	var asked []*request
	for i, p := range parents {
		if peerGone(counts[i].err) {
			return nil, counts[i].err
		}
		switch count, _ := variantOf(counts[i].body).(int32); {
		case counts[i].err != nil || count <= 0:
		case count <= maxChildren:
			asked = append(asked, &request{dest: p.dest, path: p.path, method: accessible + ".GetChildren"})
		default:
			asked = append(asked, &request{dest: p.dest, path: p.path, method: accessible + ".GetChildAtIndex", args: []any{int32(0)}})
		}
	}
	if err := batch(ctx, b.conn, b.timeout, asked); err != nil {
		return nil, err
	}
	var children []ref
	for _, q := range asked {
		if peerGone(q.err) {
			return nil, q.err
		}
		if list := parseRefs(first(q.body)); len(list) > 0 {
			children = append(children, list...)
		} else if one := parseRef(first(q.body)); !one.null() {
			children = append(children, one)
		}
	}
	return children, nil
}
