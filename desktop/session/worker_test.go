//go:build linux

package session

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb/xproto"
)

// workerForTest does one thing inside a session and gives the exit code. Its
// descriptor 3 is the event pipe where there is one.
func workerForTest(task string, args []string) int {
	if err := tasks[task](args); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

var tasks = map[string]func(args []string) error{
	"environment": func([]string) error {
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
		return emit(os.Environ())
	},
	"crash": func([]string) error {
		fmt.Println("about to crash")
		var p *int
		*p = 1
		return nil
	},
	"exit":   func([]string) error { os.Exit(7); return nil },
	"errand": func(args []string) error { return askForTest(args[0]) },
	"wait": func([]string) error {
		if err := emit("waiting"); err != nil {
			return err
		}
		<-time.After(time.Hour)
		return nil
	},
	"chatter": func([]string) error {
		w := bufio.NewWriter(os.Stdout)
		for i := range 500_000 {
			fmt.Fprintf(w, "line %d\n", i)
		}
		return w.Flush()
	},
	// run runs a command and waits for it.
	"run": func(args []string) error {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	},
	// start starts a command as an application is started, and leaves it.
	"start": func(args []string) error {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		return emit("started")
	},
	// detached starts a command that shares nothing with the session: no
	// process group, no session, no parent, no environment.
	"detached": func(args []string) error {
		return exec.Command("setsid", append([]string{"--fork", "env", "-i"}, args...)...).Run()
	},
	// app starts an application and waits for its window and, unless the
	// first argument is "window", for its name in the accessibility tree.
	"app": func(args []string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, args[1], args[2:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		return awaitApp(ctx, args[0] == "tree")
	},
}

func emit(v any) error { return json.NewEncoder(os.NewFile(3, "events")).Encode(v) }

// a11yBusAddress asks as applications do.
func a11yBusAddress(ctx context.Context) (address string, err error) {
	bus, err := connectBus(ctx, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		return "", err
	}
	defer func() { _ = bus.Close() }()
	err = bus.Object(a11yName, a11yPath).CallWithContext(ctx, a11yName+".GetAddress", 0).Store(&address)
	return address, err
}

// awaitApp waits for a managed window and an application in the registry.
func awaitApp(ctx context.Context, tree bool) error {
	x, err := openDisplay(ctx, os.Getenv("DISPLAY"))
	if err != nil {
		return err
	}
	defer x.Close()
	list, err := x.atom("_NET_CLIENT_LIST")
	if err != nil {
		return err
	}
	address, err := a11yBusAddress(ctx)
	if err != nil {
		return err
	}
	bus, err := dbus.Connect(address)
	if err != nil {
		return err
	}
	defer func() { _ = bus.Close() }()
	root := bus.Object(registryName, "/org/a11y/atspi/accessible/root")
	for {
		windows, err := xproto.GetProperty(x.Conn, false, x.root, list, xproto.AtomWindow, 0, 64).Reply()
		if err != nil {
			return err
		}
		apps, err := root.GetProperty("org.a11y.atspi.Accessible.ChildCount")
		if err != nil {
			return err
		}
		count, _ := apps.Value().(int32)
		if len(windows.Value) > 0 && (count > 0 || !tree) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d windows, %d accessible applications", len(windows.Value)/4, count)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// environmentOf decodes what the task "environment" emitted.
func environmentOf(line string) ([]string, error) {
	var env []string
	err := json.NewDecoder(strings.NewReader(line)).Decode(&env)
	return env, err
}
