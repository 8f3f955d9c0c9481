package x11

import (
	"context"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop/xconn"
)

// Selection is what an application has selected or copied, in every form that
// it offers.
type Selection struct {
	// Owner is the owner's window, 0 for none.
	Owner uint32          `json:"owner"`
	Parts []SelectionPart `json:"parts,omitempty"`
}

// SelectionPart is one form of a selection.
type SelectionPart struct {
	// Target and Type are names of atoms: "UTF8_STRING", "image/png".
	Target string `json:"target"`
	Type   string `json:"type"`
	// Format is the size of its units, in bits.
	Format byte   `json:"format"`
	Data   []byte `json:"data"`
}

// Bounds of what is remembered of a selection.
const (
	maxSelection  = 32 << 20 // bytes
	selectionTime = 4 * time.Second
)

// notContent are targets that ask for something to be done, or about the owner.
var notContent = []string{
	"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY",
	"CLIENT_WINDOW", "OWNER_OS", "HOST_NAME", "USER", "PROCESS", "TASK", "LENGTH", "FILE_NAME", "NAME", "CLASS",
}

// selectionOwner is the window of the selection's owner, 0 for none.
func (c *clipboard) selectionOwner(ctx context.Context, selection string) (xproto.Window, error) {
	return xconn.Do(ctx, c.conn, "asking for the owner of a selection", func() (xproto.Window, error) {
		atom, err := c.conn.Atom(selection)
		if err != nil {
			return 0, err
		}
		reply, err := xproto.GetSelectionOwner(c.conn.X, atom).Reply()
		if err != nil {
			return 0, err
		}
		return reply.Owner, nil
	})
}

// remember reads the selection in every form. An owner that is silent, or that
// hands over more than is kept, is remembered with what there was before.
func (c *clipboard) remember(ctx context.Context, selection string) (Selection, error) {
	owner, err := c.selectionOwner(ctx, selection)
	s := Selection{Owner: uint32(owner)}
	if err != nil || owner == 0 {
		return s, err
	}
	c.reads.Lock()
	defer c.reads.Unlock()
	limited, cancel := context.WithTimeout(ctx, selectionTime)
	defer cancel()
	targets, err := c.targets(limited, selection)
	size := 0
	for _, target := range targets {
		if err != nil || slices.Contains(notContent, target) {
			continue
		}
		var value []byte
		var kind xproto.Atom
		value, kind, err = c.convert(limited, selection, target)
		if err != nil || kind == 0 || c.format == 0 || size+len(value) > maxSelection {
			continue
		}
		size += len(value)
		part := SelectionPart{Target: target, Format: c.format, Data: value}
		if part.Type, err = c.atomName(limited, kind); err == nil {
			s.Parts = append(s.Parts, part)
		}
	}
	return s, ctx.Err()
}

// targets are the names of the forms that the selection is offered in.
func (c *clipboard) targets(ctx context.Context, selection string) (names []string, err error) {
	value, _, err := c.convert(ctx, selection, "TARGETS")
	if err != nil {
		return nil, err
	}
	atoms := cardinals(&xproto.GetPropertyReply{Format: 32, ValueLen: uint32(len(value) / 4), Value: value}, nil)
	for _, atom := range atoms {
		name, err := c.atomName(ctx, xproto.Atom(atom))
		if err != nil {
			return names, err
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// atomName is the atom's name, "" for what is none.
func (c *clipboard) atomName(ctx context.Context, atom xproto.Atom) (string, error) {
	return xconn.Do(ctx, c.conn, "asking for the name of an atom", func() (string, error) {
		reply, err := xproto.GetAtomName(c.conn.X, atom).Reply()
		if _, bad := err.(xproto.AtomError); bad {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		return reply.Name, nil
	})
}

// keptSelection is a selection that is owned here for an application that lost it.
type keptSelection struct {
	since xproto.Timestamp
	parts map[xproto.Atom]keptPart
}

type keptPart struct {
	kind   xproto.Atom
	format byte
	data   []byte
}

// keep takes the selection over and offers it as it was.
func (c *clipboard) keep(ctx context.Context, selection string, s Selection) error {
	c.reads.Lock()
	defer c.reads.Unlock()
	now, err := c.serverTime(ctx)
	if err != nil {
		return err
	}
	_, err = xconn.Do(ctx, c.conn, "putting a selection back", func() (struct{}, error) {
		k := &keptSelection{since: now, parts: map[xproto.Atom]keptPart{}}
		for _, part := range s.Parts {
			target, err := c.conn.Atom(part.Target)
			if err != nil {
				return struct{}{}, err
			}
			kind, err := c.conn.Atom(part.Type)
			if err != nil {
				return struct{}{}, err
			}
			k.parts[target] = keptPart{kind, part.Format, part.Data}
		}
		atom, err := c.conn.Atom(selection)
		if err != nil {
			return struct{}{}, err
		}
		c.mu.Lock()
		c.kept[atom] = k
		c.mu.Unlock()
		return struct{}{}, xproto.SetSelectionOwnerChecked(c.conn.X, c.window, atom, now).Check()
	})
	return err
}

// handKept answers an application that pastes a kept selection.
func (c *clipboard) handKept(conn *xconn.Conn, e xproto.SelectionRequestEvent, property xproto.Atom, k *keptSelection) bool {
	switch e.Target {
	case conn.Known("TARGETS"):
		value := atoms4(conn.Known("TARGETS"), conn.Known("TIMESTAMP"))
		n := 2
		for target := range k.parts {
			value = append(value, atoms4(target)...)
			n++
		}
		xproto.ChangeProperty(conn.X, xproto.PropModeReplace, e.Requestor, property, xproto.AtomAtom, 32, uint32(n), value)
		return true
	case conn.Known("TIMESTAMP"):
		xproto.ChangeProperty(conn.X, xproto.PropModeReplace, e.Requestor, property, xproto.AtomInteger, 32, 1,
			atoms4(xproto.Atom(k.since)))
		return true
	}
	part, ok := k.parts[e.Target]
	switch {
	case !ok:
		return false
	case part.format == 8:
		c.give(conn, transfer{e.Requestor, property}, part.kind, part.data)
	default:
		units := uint32(len(part.data)) / uint32(max(part.format, 8)/8)
		xproto.ChangeProperty(conn.X, xproto.PropModeReplace, e.Requestor, property, part.kind, part.format, units, part.data)
	}
	return true
}

func atoms4(atoms ...xproto.Atom) (b []byte) {
	for _, a := range atoms {
		b = append(b, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
	}
	return b
}

// hold serves what is ours until all of it is somebody else's, the server has
// gone or ctx ends.
func (c *clipboard) hold(ctx context.Context) {
	for {
		c.mu.Lock()
		ours := c.owned || len(c.kept) > 0
		c.mu.Unlock()
		if !ours {
			return
		}
		select {
		case <-c.lost:
		case <-c.conn.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}
