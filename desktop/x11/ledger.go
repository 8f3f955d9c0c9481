package x11

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/xconn"
)

// A process that is killed cannot put lent keys back. So before the first
// loan, what all spare keys meant is written to a property of the root window,
// and the process owns a selection while it has loans, which the server takes
// away when the process dies. Who finds the property without an owner puts the
// keys back.
const (
	atomLedger = "_OPENDESK_LENT_KEYS"
	atomLender = "_OPENDESK_LENDER"
)

// claim makes this process the one that lends keys and writes the ledger.
// *desktop.EnvironmentError where another process lends keys.
func (k *Keymap) claim(ctx context.Context) error {
	if k.loans.claimed {
		return nil
	}
	d := k.d
	_, err := xconn.Do(ctx, d.conn, "claiming the keyboard's unused keys", func() (struct{}, error) {
		owner, err := k.lender()
		if err != nil {
			return struct{}{}, err
		}
		if owner != 0 && owner != d.helper {
			return struct{}{}, &desktop.EnvironmentError{Part: desktop.PartDisplay,
				Err: errors.New("another process of opendesk types on this display")}
		}
		xproto.SetSelectionOwner(d.conn.X, d.helper, d.conn.Known(atomLender), xproto.TimeCurrentTime)
		entry := ledger{rest: k.loans.rest, was: k.loans.was}.bytes()
		return struct{}{}, xproto.ChangePropertyChecked(d.conn.X, xproto.PropModeReplace, d.conn.Root,
			d.conn.Known(atomLedger), xproto.AtomCardinal, 32, uint32(len(entry)/4), entry).Check()
	})
	k.loans.claimed = err == nil
	return err
}

// lender is the window of the process that has loans, 0 for none.
func (k *Keymap) lender() (xproto.Window, error) {
	reply, err := xproto.GetSelectionOwner(k.d.conn.X, k.d.conn.Known(atomLender)).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Owner, nil
}

// release says that nothing is lent any more.
func (k *Keymap) release(ctx context.Context) error {
	_, err := xconn.Do(ctx, k.d.conn, "giving the keyboard's keys back", func() (struct{}, error) {
		xproto.DeleteProperty(k.d.conn.X, k.d.conn.Root, k.d.conn.Known(atomLedger))
		return struct{}{}, xproto.SetSelectionOwnerChecked(k.d.conn.X, 0, k.d.conn.Known(atomLender), xproto.TimeCurrentTime).Check()
	})
	return err
}

// collect puts back what a process that has gone had lent.
func (k *Keymap) collect(ctx context.Context) error {
	left, err := xconn.Do(ctx, k.d.conn, "looking for keys that were lent", func() (*ledger, error) {
		property := k.d.property(k.d.conn.Root, atomLedger)
		owner, err := k.lender()
		if err != nil || owner != 0 {
			return nil, err
		}
		reply, err := property.Reply()
		if err != nil || len(reply.Value) == 0 {
			return nil, err
		}
		return parseLedger(reply.Value), nil
	})
	if err != nil || left == nil {
		return err
	}
	l, err := k.read(ctx)
	if err != nil {
		return err
	}
	if err := k.putBack(ctx, &loans{rest: left.rest, was: left.was}, l); err != nil {
		return fmt.Errorf("putting back keys that were lent: %w", err)
	}
	return nil
}

// ledger is what the property says: eight bytes for the layout's other keys,
// then for each spare key its code, in four bytes, and what it meant.
type ledger struct {
	rest uint64
	was  map[byte]keySyms
}

func (e ledger) bytes() []byte {
	b := make([]byte, 8)
	xgb.Put64(b, e.rest)
	for _, code := range slices.Sorted(maps.Keys(e.was)) {
		b = append(b, code, 0, 0, 0)
		b = append(b, e.was[code].bytes()...)
	}
	return b
}

// parseLedger reads a property; what is torn or foreign gives no keys.
func parseLedger(b []byte) *ledger {
	none := &ledger{was: map[byte]keySyms{}}
	if len(b) < 8 {
		return none
	}
	e := &ledger{rest: xgb.Get64(b), was: map[byte]keySyms{}}
	for b = b[8:]; len(b) > 0; {
		if len(b) < 4 {
			return none
		}
		code := b[0]
		key, rest := parseKey(b[4:])
		if rest == nil {
			return none
		}
		e.was[code], b = key, rest
	}
	return e
}
