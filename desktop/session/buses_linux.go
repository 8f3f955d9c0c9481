package session

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/godbus/dbus/v5"
)

// Names on the buses.
const (
	a11yName     = "org.a11y.Bus"
	a11yPath     = "/org/a11y/bus"
	a11yStatus   = "org.a11y.Status"
	registryName = "org.a11y.atspi.Registry"
)

// startSessionBus starts the private session bus and waits for its address.
func (h *host) startSessionBus(ctx context.Context) error {
	answer, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	h.parts.sessionBus, err = h.startPart(PartSessionBus, []string{"dbus-daemon"}, []string{
		"--nofork", "--nopidfile", "--print-address=3", "--config-file=" + busConfigOf(h.info.Dir),
	}, write)
	_ = write.Close()
	if err != nil {
		return err
	}
	_, err = h.firstLine(ctx, h.parts.sessionBus, answer)
	return err
}

// startA11yBus starts the launcher of the accessibility bus, waits for the
// bus, and declares that somebody reads the trees: Qt publishes none before.
func (h *host) startA11yBus(ctx context.Context) error {
	bus, err := connectBus(ctx, h.info.SessionBus)
	if err != nil {
		return h.unanswered(ctx, h.parts.sessionBus, "connect", err)
	}
	defer func() { _ = bus.Close() }()
	owned, err := watchName(ctx, bus, a11yName)
	if err != nil {
		return h.unanswered(ctx, h.parts.sessionBus, "connect", err)
	}
	h.parts.a11yBus, err = h.startPart(PartA11yBus, LauncherPrograms, []string{"--launch-immediately"})
	if err != nil {
		return err
	}
	var address string
	ready := make(chan error, 1)
	go func() {
		var err error
		address, err = switchA11yOn(ctx, bus, owned)
		ready <- err
	}()
	if err := h.await(ctx, h.parts.a11yBus, ready); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// Applications ask the launcher for it. It must not be in their
	// environment: Qt 6 publishes nothing where AT_SPI_BUS_ADDRESS is set.
	h.info.A11yBus = address
	return nil
}

// switchA11yOn waits for the launcher and gives the accessibility bus's address.
func switchA11yOn(ctx context.Context, bus *dbus.Conn, owned <-chan error) (address string, err error) {
	if err := <-owned; err != nil {
		return "", err
	}
	launcher := bus.Object(a11yName, a11yPath)
	if err := launcher.CallWithContext(ctx, a11yName+".GetAddress", 0).Store(&address); err != nil {
		return "", fmt.Errorf("%s.GetAddress: %w", a11yName, err)
	}
	if address == "" {
		return "", fmt.Errorf("%s.GetAddress gives no address", a11yName)
	}
	for _, property := range []string{"IsEnabled", "ScreenReaderEnabled"} {
		call := launcher.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Set", 0, a11yStatus, property, dbus.MakeVariant(true))
		if call.Err != nil {
			return "", fmt.Errorf("set %s.%s: %w", a11yStatus, property, call.Err)
		}
	}
	return address, nil
}

// startRegistry starts the registry of the accessibility bus. It has to run
// before the first application: Qt 5 registers only once.
func (h *host) startRegistry(ctx context.Context) error {
	bus, err := connectBus(ctx, h.info.A11yBus)
	if err != nil {
		return h.unanswered(ctx, h.parts.a11yBus, "connect", err)
	}
	defer func() { _ = bus.Close() }()
	owned, err := watchName(ctx, bus, registryName)
	if err != nil {
		return h.unanswered(ctx, h.parts.a11yBus, "connect", err)
	}
	h.parts.registry, err = h.startPart(PartRegistry, RegistryPrograms, nil)
	if err != nil {
		return err
	}
	return h.await(ctx, h.parts.registry, owned)
}

// connectBus connects to a bus and says hello.
func connectBus(ctx context.Context, address string) (*dbus.Conn, error) {
	return dbus.Connect(address, dbus.WithContext(ctx))
}

// watchName gives a channel that gets nil when the name has an owner, or an
// error when the connection or the context ends before.
func watchName(ctx context.Context, bus *dbus.Conn, name string) (<-chan error, error) {
	signals := make(chan *dbus.Signal, 16)
	bus.Signal(signals)
	err := bus.AddMatchSignalContext(ctx,
		dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, name))
	if err != nil {
		return nil, err
	}
	owned := make(chan error, 1)
	go func() {
		for {
			select {
			case s, open := <-signals:
				if !open {
					owned <- errors.New("the bus hung up")
					return
				}
				var changed, before, after string
				if s.Name == "org.freedesktop.DBus.NameOwnerChanged" && dbus.Store(s.Body, &changed, &before, &after) == nil &&
					changed == name && after != "" {
					owned <- nil
					return
				}
			case <-ctx.Done():
				owned <- ctx.Err()
				return
			}
		}
	}()
	return owned, nil
}
