package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// adopted is what is written down before anything of somebody's display is
// changed, so that whoever is left can put it back: the host's keeper, the
// parent, or a later sweep.
type adopted struct {
	// Command is what puts it back, in the environment Environment.
	Command     []string `json:"command"`
	Environment []string `json:"environment"`
	Display     string   `json:"display"`
	SessionBus  string   `json:"session_bus"`
	// State is what HostOptions.Remember gave.
	State json.RawMessage `json:"state,omitempty"`
	// A11y are the properties of org.a11y.Status.
	A11y map[string]bool `json:"a11y"`
}

func adoptedOf(dir string) string { return filepath.Join(dir, "adopted.json") }

// a11yProperties are those of org.a11y.Status. On somebody's own display, only
// IsEnabled is switched on: desktops start a screen reader, which speaks, with
// the other one. Both are put back.
var a11yProperties = []string{"IsEnabled", "ScreenReaderEnabled"}

// putBackNeeds are the variables that putting back needs. The others may be
// secret, and this is written to a file.
var putBackNeeds = []string{"PATH", "HOME", "USER", "LANG", "DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMPDIR"}

// only are those variables of the environment.
func only(env, names []string) (kept []string) {
	for _, pair := range env {
		if name, _, ok := cutPair(pair); ok && slices.Contains(names, name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// adoptedEnvironment is the environment of a session on somebody's own display.
func adoptedEnvironment(o Options, dir string) []string {
	env := mergeEnvironment(o.Adopt.Environment, []string{
		"DISPLAY=" + o.Adopt.Display, "DBUS_SESSION_BUS_ADDRESS=" + o.Adopt.SessionBus, "OMP_THREAD_LIMIT=1",
		"NO_AT_BRIDGE=0", "GNOME_ACCESSIBILITY=1", "QT_ACCESSIBILITY=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
	})
	env = withoutVariable(env, "AT_SPI_BUS_ADDRESS") // Qt 6 publishes nothing where it is set
	modules := "gail:atk-bridge"
	for _, pair := range env {
		if name, value, _ := cutPair(pair); name == "GTK_MODULES" && value != "" && !strings.Contains(value, "atk-bridge") {
			modules = value + ":" + modules
		} else if name == "GTK_MODULES" && value != "" {
			modules = value
		}
	}
	env = mergeEnvironment(env, []string{"GTK_MODULES=" + modules})
	env = mergeEnvironment(env, o.Environment)
	return mergeEnvironment(env, []string{MarkerID + "=" + o.ID, MarkerDir + "=" + dir})
}

// takeOver takes over somebody's display: what it is like is written down, then
// accessibility is switched on.
func (h *host) takeOver(ctx context.Context) error {
	ctx, cancel := context.WithDeadline(ctx, h.setup.Deadline)
	defer cancel()
	a := adopted{
		Command: h.setup.PutBack, Environment: only(h.info.Env, putBackNeeds),
		Display: h.info.Display, SessionBus: h.info.SessionBus, A11y: map[string]bool{},
	}
	if h.options.Remember != nil {
		var err error
		if a.State, err = h.options.Remember(ctx, h.info.Display); err != nil {
			return &StartError{Part: PartXvfb, Reason: fmt.Sprintf("display %s: %v", h.info.Display, err)}
		}
	}
	bus, err := connectBus(ctx, h.info.SessionBus)
	if err != nil {
		return &StartError{Part: PartSessionBus, Reason: err.Error(), Hint: "run it from a terminal of the desktop's session"}
	}
	defer func() { _ = bus.Close() }()
	for _, property := range a11yProperties {
		if a.A11y[property], err = a11yProperty(ctx, bus, property); err != nil {
			return noA11y(err)
		}
	}
	if err := writeAdopted(h.info.Dir, a); err != nil {
		return err
	}
	if !a.A11y["IsEnabled"] {
		if err := setA11yProperty(ctx, bus, "IsEnabled", true); err != nil {
			return noA11y(err)
		}
	}
	if err := bus.Object(a11yName, a11yPath).CallWithContext(ctx, a11yName+".GetAddress", 0).Store(&h.info.A11yBus); err != nil {
		return noA11y(err)
	}
	return startUserRegistry(ctx, h.info.A11yBus)
}

// writeAdopted writes it in one move.
func writeAdopted(dir string, a adopted) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.WriteFile(adoptedOf(dir)+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(adoptedOf(dir)+".new", adoptedOf(dir))
}

func noA11y(err error) error {
	return &StartError{
		Part: PartA11yBus, Reason: "the session bus gives no accessibility bus: " + err.Error(),
		Hint: "Debian/Ubuntu: apt-get install at-spi2-core, then log in again, or start /usr/libexec/at-spi-bus-launcher --launch-immediately",
	}
}

func a11yProperty(ctx context.Context, bus *dbus.Conn, name string) (bool, error) {
	var value dbus.Variant
	err := bus.Object(a11yName, a11yPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, a11yStatus, name).Store(&value)
	if err != nil {
		return false, fmt.Errorf("%s.%s: %w", a11yStatus, name, err)
	}
	on, _ := value.Value().(bool)
	return on, nil
}

func setA11yProperty(ctx context.Context, bus *dbus.Conn, name string, on bool) error {
	call := bus.Object(a11yName, a11yPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Set", 0, a11yStatus, name, dbus.MakeVariant(on))
	if call.Err != nil {
		return fmt.Errorf("set %s.%s: %w", a11yStatus, name, call.Err)
	}
	return nil
}

// startUserRegistry has the accessibility bus start its registry where it does
// not run yet.
func startUserRegistry(ctx context.Context, address string) error {
	bus, err := connectBus(ctx, address)
	if err != nil {
		return noA11y(err)
	}
	defer func() { _ = bus.Close() }()
	const byName, noFlags = "org.freedesktop.DBus.StartServiceByName", uint32(0)
	if call := bus.BusObject().CallWithContext(ctx, byName, 0, registryName, noFlags); call.Err != nil {
		return &StartError{Part: PartRegistry, Reason: call.Err.Error(), Hint: installHints[PartRegistry]}
	}
	return nil
}

// putBackA11y sets the properties to what they were.
func putBackA11y(ctx context.Context, a adopted) error {
	bus, err := connectBus(ctx, a.SessionBus)
	if err != nil {
		return err
	}
	defer func() { _ = bus.Close() }()
	var errs []error
	for _, property := range a11yProperties {
		now, err := a11yProperty(ctx, bus, property)
		if err == nil && now != a.A11y[property] {
			err = setA11yProperty(ctx, bus, property, a.A11y[property])
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
