// Package session brings up display sessions and takes them down: an X
// server, a session bus, an accessibility bus with its registry, a window
// manager and a private home, owned by one host process.
//
// The parent's side is Start, Session and Sweep. The host's side is HostMain,
// which a program calls when it was started with Options.HostArgs:
//
//	parent ── keeper ── [bwrap] ── host ─┬─ Xvfb, dbus-daemon, at-spi…, openbox
//	                                     ├─ workers
//	                                     └─ applications
//
// The keeper is a small process (the same program again) that outlives both
// the parent and the host: whichever of them is killed, it ends what is left
// of the session and removes its folder. Only Linux has sessions; elsewhere
// Start says so.
package session

import (
	"io"
	"os"
	"time"
)

// Isolation is how a session is separated from the rest of the machine.
type Isolation string

// The ways to isolate.
const (
	// Auto takes Bwrap where it works and None elsewhere.
	Auto Isolation = "auto"
	// Bwrap runs the session in namespaces of its own: processes, IPC, host
	// name and mounts; the system read-only, /tmp and /run private.
	Bwrap Isolation = "bwrap"
	// None shares everything; processes are found by descent and by marker.
	None Isolation = "none"
)

// Network is what the processes of a session reach.
type Network string

// The networks.
const (
	// NetworkHost is the machine's.
	NetworkHost Network = "host"
	// NetworkNone has a loopback of its own and nothing else. It needs Bwrap or
	// the right to make a network namespace.
	NetworkNone Network = "none"
)

// Options says what session to start. The zero value of every field but
// Executable has a meaning.
type Options struct {
	// Geometry is the screen's size and depth, "1280x800x24" by default.
	Geometry string
	// Isolation is Auto by default.
	Isolation Isolation
	// Locale is "C.UTF-8" by default, Timezone "UTC".
	Locale   string
	Timezone string
	// HomeSkeleton is a folder that is copied into the private home, "" for none.
	HomeSkeleton string
	// HomeFiles are further files and folders to copy into the private home:
	// the place there, relative to it, and what is copied, absolute.
	HomeFiles map[string]string
	// Network is what applications reach, NetworkHost by default.
	Network Network
	// Limits bound what the session may use. What cannot be limited here goes
	// on without a limit: Info.Limits says so.
	Limits Limits
	// Environment are KEY=VALUE pairs for applications and workers, on top of
	// the fixed environment; a later pair wins.
	Environment []string
	// IdleTimeout ends a named session in which no command has worked for so
	// long, 0 for never. Commands that only ask how it is do not count.
	IdleTimeout time.Duration
	// Adopt takes over a display instead of starting one; nil for one of the
	// session's own. Isolation is None then, and Geometry, Locale, Timezone,
	// Network and the private home have no meaning.
	Adopt *Adoption
	// Executable is the program that calls HostMain, absolute; HostArgs are
	// the arguments that make it do so.
	Executable string
	HostArgs   []string
	// TempDir is where the session's folder is made, os.TempDir() by default.
	TempDir string
	// ID names the session, also on the root window of its display; random by
	// default. Letters, digits, "-", "_" and "." only, at most 64.
	ID string
	// Spool is a folder that session and parent share, at the same path and
	// writable, "" for none.
	Spool string
	// Readable are further files and folders that must stay readable at their
	// own path where they lie in a part of the file system that isolation
	// makes private (/tmp, /run): the project, above all.
	Readable []string
	// StartTimeout bounds Start, 20 s by default.
	StartTimeout time.Duration
	// Log gets what the host prints, nil for nowhere.
	Log io.Writer
}

// Info describes a running session.
type Info struct {
	// Display is the X display's name (":107").
	Display string `json:"display"`
	// ID is the session's id.
	ID string `json:"id"`
	// Geometry is the screen's size and depth.
	Geometry string `json:"geometry"`
	// Isolation is the mode in effect, IsolationReason why it is not bwrap
	// where Auto was asked for.
	Isolation       Isolation `json:"isolation"`
	IsolationReason string    `json:"isolation_reason,omitempty"`
	// Limits are the limits of the session, and what keeps each.
	Limits []Limit `json:"limits,omitempty"`
	// Groups are the folders of its control groups.
	Groups []string `json:"groups,omitempty"`
	// UID is the user that everything runs as.
	UID int `json:"uid"`
	// HostPID is the host's process id as the parent sees it.
	HostPID int `json:"host_pid"`
	// SessionBus and A11yBus are D-Bus addresses.
	SessionBus string `json:"session_bus"`
	A11yBus    string `json:"a11y_bus"`
	// Home is the private home, RuntimeDir XDG_RUNTIME_DIR, Dir the session's
	// folder above both.
	Home       string `json:"home"`
	RuntimeDir string `json:"runtime_dir"`
	Dir        string `json:"dir"`
	// Spool is the folder that session and parent share, "" for none.
	Spool string `json:"spool,omitempty"`
	// Adopted says that the display is somebody's own.
	Adopted bool `json:"adopted,omitempty"`
	// Env is the whole environment of applications and workers, sorted.
	Env []string `json:"env"`
	// StartTook is how long Start took.
	StartTook time.Duration `json:"start_took"`
}

// WorkerSpec says what worker to run: the session's Executable with Args.
type WorkerSpec struct {
	Args []string
	// Env are KEY=VALUE pairs on top of Info.Env.
	Env []string
	// Events is the write end of a pipe that becomes the worker's file
	// descriptor 3. The caller closes its own copy once RunWorker has
	// returned. Nil for none.
	Events *os.File
	// Aside runs beside the worker that works in a named session: it only
	// looks.
	Aside bool
}

// Exit is how a worker ended.
type Exit struct {
	// Code is the exit code, -1 where a signal ended it.
	Code int `json:"code"`
	// Signal is the signal's name ("killed"), "" for a normal exit.
	Signal string `json:"signal,omitempty"`
	// Output is the end of what it printed on stdout and stderr, at most
	// MaxOutput bytes.
	Output string `json:"output,omitempty"`
}

// MaxOutput bounds Exit.Output and StartError.Output, in bytes.
const MaxOutput = 16 << 10
