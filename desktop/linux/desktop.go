//go:build linux

package linux

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/opendesk/opendesk/desktop"
	"github.com/opendesk/opendesk/desktop/atspi"
	"github.com/opendesk/opendesk/desktop/capture"
	"github.com/opendesk/opendesk/desktop/input"
	"github.com/opendesk/opendesk/desktop/x11"
)

// Desktop is one X display with its applications.
type Desktop struct {
	// Pointer and Keyboard; every call fails where Options.NoInput was set.
	desktop.Pointer
	desktop.Keyboard

	options Options
	env     environ
	bus     *atspi.Bus
	x       *x11.Display
	camera  *capture.Capturer
	clients *clients

	untaken  untaken
	catalog  *catalog
	entries  map[entryKey]*entry
	programs programs
	opened   *openedApps

	closers  []func() error
	changes  chan struct{}
	quit     chan struct{}
	closing  sync.Once
	watching sync.WaitGroup
}

var _ desktop.Desktop = (*Desktop)(nil)

// Open connects to the display and the buses. Every error is a
// *desktop.EnvironmentError that names the part that does not answer.
func Open(ctx context.Context, o Options) (_ *Desktop, err error) {
	d := &Desktop{
		options:  o,
		env:      o.Env,
		entries:  map[entryKey]*entry{},
		programs: programs{},
		opened:   &openedApps{aliases: map[processKey][]string{}, marks: map[processKey]string{}, names: map[string]string{}},
		changes:  make(chan struct{}, 1),
		quit:     make(chan struct{}),
	}
	defer func() {
		if err != nil {
			_ = d.Close()
		}
	}()
	if err := d.openDisplay(ctx); err != nil {
		return nil, asFault(desktop.PartDisplay, err)
	}
	if err := d.openBuses(ctx); err != nil {
		return nil, asFault(desktop.PartA11yBus, err)
	}
	d.watching.Go(func() { d.forward(d.bus.Changes()) })
	d.watching.Go(func() { d.forward(d.x.Changes()) })
	return d, nil
}

// asFault makes every error an EnvironmentError, of part where it names none.
func asFault(part desktop.Part, err error) error {
	var fault *desktop.EnvironmentError
	if errors.As(err, &fault) {
		return fault
	}
	return &desktop.EnvironmentError{Part: part, Err: err}
}

// openDisplay connects to the X server and, once it has proved to be the
// right one, opens pointer and keyboard on it.
func (d *Desktop) openDisplay(ctx context.Context) error {
	x, err := x11.Open(ctx, d.options.Display)
	if err != nil {
		return err
	}
	d.x = x
	d.closers = append(d.closers, x.Close)
	if want := d.options.SessionID; want != "" {
		have, err := x.Identity(ctx)
		if err != nil {
			return err
		}
		if have != want {
			return fmt.Errorf("the X server at %s is not this session's (it is marked %q, not %q)", d.options.Display, have, want)
		}
	}
	camera, err := capture.Open(ctx, d.options.Display)
	if err != nil {
		return err
	}
	d.camera = camera
	d.closers = append(d.closers, camera.Close)
	if d.options.NoInput {
		none := noInput{}
		d.Pointer, d.Keyboard = none, none
		return nil
	}
	keys, err := x.Keymap(ctx)
	if err != nil {
		return err
	}
	in, err := input.Open(ctx, d.options.Display, keys)
	if err != nil {
		return err
	}
	d.Pointer, d.Keyboard = notedPointer{in, &d.untaken}, notedKeyboard{in, &d.untaken}
	d.closers = append(d.closers, in.Close)
	return nil
}

func (d *Desktop) openBuses(ctx context.Context) error {
	address := d.options.A11yBus
	if address == "" {
		found, err := a11yAddress(ctx, d.options.SessionBus)
		if err != nil {
			return err
		}
		address = found
	}
	switchOn := d.options.SessionBus
	if d.options.KeepStatus {
		switchOn = ""
	}
	bus, err := patiently(ctx, func() (*atspi.Bus, error) {
		return atspi.Open(ctx, atspi.Options{Address: address, SessionAddress: switchOn})
	})
	if err != nil {
		return err
	}
	d.bus = bus
	d.clients = newClients(address)
	d.closers = append(d.closers, bus.Close, func() error { d.clients.close(); return nil })
	return nil
}

// forward passes wake-ups on.
func (d *Desktop) forward(from <-chan struct{}) {
	for {
		select {
		case <-from:
			select {
			case d.changes <- struct{}{}:
			default:
			}
		case <-d.quit:
			return
		}
	}
}

// Changes implements desktop.Desktop.
func (d *Desktop) Changes() <-chan struct{} { return d.changes }

// Close gives pointer, clipboard, keymap and connections back. Applications
// that were opened go on. A second call does nothing.
func (d *Desktop) Close() error {
	d.closing.Do(func() { close(d.quit) })
	d.watching.Wait()
	var errs []error
	for i := len(d.closers) - 1; i >= 0; i-- {
		errs = append(errs, d.closers[i]())
	}
	d.closers = nil
	return errors.Join(errs...)
}

// Size implements desktop.Screen.
func (d *Desktop) Size(ctx context.Context) (desktop.Rect, error) { return d.x.Size(ctx) }

// Capture implements desktop.Screen.
func (d *Desktop) Capture(ctx context.Context, region desktop.Rect) (*image.RGBA, error) {
	return d.camera.Capture(ctx, region)
}

// Probe implements desktop.Prober, over the connections that are open.
func (d *Desktop) Probe(ctx context.Context) desktop.Health {
	var (
		wg                   sync.WaitGroup
		display, wm, session desktop.Probe
		accessibility        []desktop.Probe
	)
	wg.Go(func() { display = d.x.ProbeDisplay(ctx) })
	wg.Go(func() { wm = d.x.ProbeWindowManager(ctx) })
	wg.Go(func() { session = probeSessionBus(ctx, d.options.SessionBus) })
	wg.Go(func() { accessibility = d.bus.Probe(ctx) })
	wg.Wait()
	return inOrder([]desktop.Probe{display, wm, session}, accessibility)
}
