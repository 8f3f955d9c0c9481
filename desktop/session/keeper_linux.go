package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// keeperVariable holds the keeperOrder of a process that is to be a keeper.
const keeperVariable = "OPENDESK_SESSION_KEEPER"

// The descriptors that a keeper begins with.
const (
	controlFD = 3 // handed on to the host, with a door to the keeper after it
	lifeFD    = 4 // a pipe that ends when the parent ends
	lockFD    = 5 // the session's owner file, locked as long as it is open
)

// hostDoorFD is where the host begins with the door to the keeper.
const hostDoorFD = 4

// How long the keeper waits: for a host that was told to end, and for what is
// being killed.
const (
	hostGrace = 1200 * time.Millisecond
	killGrace = 500 * time.Millisecond
	// sweepGrace is for who comes last and leaves nobody to clear up after it: on
	// a starved machine even what was killed takes long to end.
	sweepGrace = 3 * time.Second
)

// keeperSays begins what a keeper prints of what it could not clear up.
const keeperSays = "session keeper: "

// keeperOrder says what a keeper starts and what it clears up.
type keeperOrder struct {
	Command   []string  `json:"command"`
	Dir       string    `json:"dir"`
	Isolation Isolation `json:"isolation"`
	// Groups are the control groups that the host starts in.
	Groups []string `json:"groups,omitempty"`
	// Alone says that the host starts in a network of its own.
	Alone bool `json:"alone,omitempty"`
	// Readable are the places in private folders that the session can read.
	Readable []string `json:"readable,omitempty"`
}

// keeperMain starts the host and stays until the host or the parent has
// ended. Then it ends every process of the session and removes its folder.
// Orphans come to it when the host is killed, however far they have moved
// away from their session and process group. It gives the host's exit code,
// 128 and the signal's number where a signal ended it.
func keeperMain(orderText string, do func(context.Context, *Errand) json.RawMessage) int {
	var order keeperOrder
	if err := json.Unmarshal([]byte(orderText), &order); err != nil || len(order.Command) == 0 {
		fmt.Fprintf(os.Stderr, "session keeper: bad %s: %v\n", keeperVariable, err)
		return 2
	}
	leakNothing()
	told := make(chan os.Signal, 8)
	// SIGPIPE: what we print may have lost its reader.
	signal.Notify(told, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGPIPE)
	kids, err := newChildren()
	if err != nil {
		fmt.Fprintln(os.Stderr, "session keeper:", err)
		return 2
	}
	office, door, err := newOffice(order, kids, do)
	if err != nil {
		fmt.Fprintln(os.Stderr, "session keeper:", err)
		return 2
	}
	control := os.NewFile(controlFD, "control")
	path, args, more, err := entering(enterOrder{Groups: order.Groups, Loopback: order.Alone, Command: order.Command})
	if err != nil {
		fmt.Fprintln(os.Stderr, "session keeper:", err)
		return 2
	}
	host, err := kids.start(command{
		name: PartHost, path: path, args: args,
		env: append(withoutVariable(os.Environ(), keeperVariable), more...), dir: order.Dir,
		extra: []*os.File{control, door}, inherit: true, alone: order.Alone,
	})
	_, _ = control.Close(), door.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "session keeper:", err)
		return 2
	}
	awaitEnd(host, told)
	office.shut()
	end(func() []process { return descendants(os.Getpid()) }, killGrace)
	if err := reclaim(order.Dir, order.Isolation, order.Groups, sweepGrace); err != nil {
		fmt.Fprintln(os.Stderr, keeperSays+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if !host.ended() {
		return 128 + int(unix.SIGKILL)
	}
	if host.status.Signaled() {
		return 128 + int(host.status.Signal())
	}
	return host.status.ExitStatus()
}

// awaitEnd returns when the host has ended, or some time after the parent
// has: the host notices that by itself and ends in good order.
func awaitEnd(host *child, told <-chan os.Signal) {
	parentGone := make(chan struct{})
	go func() {
		_, _ = os.NewFile(lifeFD, "life").Read(make([]byte, 1))
		close(parentGone)
	}()
	for waiting := true; waiting; {
		select {
		case <-host.done:
			return
		case <-parentGone:
			waiting = false
		case sig := <-told:
			waiting = sig == unix.SIGPIPE
		}
	}
	select {
	case <-host.done:
	case <-time.After(hostGrace):
	}
}

// reclaim ends what is left of the session's processes and removes what the
// session has on disk. Killing may take so long.
func reclaim(dir string, isolation Isolation, groups []string, within time.Duration) error {
	groups = slices.Concat(groups, errandGroups(dir))
	if !end(func() []process { return belonging(dir, groups) }, within) {
		return fmt.Errorf("%s: processes of the session would not end", dir)
	}
	if err := removeGroups(groups, killGrace); err != nil {
		return err
	}
	notAsItWas := putBack(dir)
	if isolation == None {
		releaseDisplay(dir)
	}
	if err := removeAll(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return errors.Join(notAsItWas, fmt.Errorf("remove the session's folder: %w", err))
	}
	return notAsItWas
}

// leakNothing keeps every descriptor but the first three from our children,
// those included that we were started with by accident.
func leakNothing() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		for _, fd := range []int{controlFD, lifeFD, lockFD} {
			unix.CloseOnExec(fd)
		}
	}
}

func withoutVariable(env []string, name string) []string {
	var kept []string
	for _, pair := range env {
		if len(pair) <= len(name) || pair[:len(name)+1] != name+"=" {
			kept = append(kept, pair)
		}
	}
	return kept
}
