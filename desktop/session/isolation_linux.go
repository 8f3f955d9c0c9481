package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// privateRoots are replaced by empty folders inside a sandbox.
var privateRoots = []string{"/tmp", "/var/tmp", "/run"}

// rootKeeps are the capabilities that root has in a sandbox: those about files
// and users. With more, what is read-only could be made writable again.
var rootKeeps = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID", "CAP_NET_BIND_SERVICE",
}

// capabilityFlags keep root in a sandbox to those; nobody else has any there.
func capabilityFlags(uid int) []string {
	if uid != 0 {
		return nil
	}
	flags := []string{"--cap-drop", "ALL"}
	for _, name := range rootKeeps {
		flags = append(flags, "--cap-add", name)
	}
	return flags
}

// sandboxFlags are what every sandbox has, and what the probe tries. Without
// --die-with-parent the sandbox would outlive a killed keeper.
var sandboxFlags = append(capabilityFlags(os.Geteuid()),
	"--die-with-parent", "--as-pid-1",
	"--unshare-pid", "--unshare-ipc", "--unshare-uts",
	"--ro-bind", "/", "/",
	"--dev", "/dev",
	"--proc", "/proc",
	"--perms", "1777", "--tmpfs", "/tmp",
	"--perms", "1777", "--dir", socketFolder,
	"--perms", "1777", "--tmpfs", "/var/tmp",
	"--perms", "0755", "--tmpfs", "/run",
)

// sandboxArgs are bwrap's arguments up to the command. The error says why no
// sandbox can be made of these options.
func sandboxArgs(o Options, dir, searchPath string) ([]string, error) {
	args := slices.Clone(sandboxFlags)
	if o.Network == NetworkNone {
		args = append(args, ownNetwork)
	}
	for _, path := range readablePaths(o, searchPath) {
		binds, err := readableBinds(path)
		if err != nil {
			return nil, err
		}
		args = append(args, binds...)
	}
	args = append(args, "--bind", dir, dir)
	if o.Limits.Home > 0 {
		args = append(args, "--perms", "0700", "--size", strconv.FormatInt(o.Limits.Home, 10), "--tmpfs", homeOf(dir))
	}
	if o.Spool != "" {
		args = append(args, "--bind", o.Spool, o.Spool)
	}
	return append(args, "--chdir", homeOf(dir), "--"), nil
}

// readableBinds make a path visible that a private folder hides, under the
// name given and under the one that its links lead to.
func readableBinds(path string) ([]string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, nil // nothing there to read
	}
	var args []string
	for _, name := range slices.Compact([]string{filepath.Clean(path), real}) {
		for _, root := range privateRoots {
			if name == root {
				return nil, fmt.Errorf("%s cannot be both private and readable", root)
			}
			if strings.HasPrefix(name, root+"/") {
				args = append(args, "--ro-bind", real, name)
			}
		}
	}
	return args, nil
}

// readablePaths are what a session's processes need to see wherever it lies,
// each once: folders before what is in them.
func readablePaths(o Options, path string) []string {
	paths := slices.Concat(o.Readable, []string{o.Executable, "/etc/resolv.conf"})
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !slices.Contains(privateRoots, filepath.Clean(dir)) {
			paths = append(paths, dir)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// sandboxWorks and cutOffWorks try bwrap once per process, the latter with a
// network of its own.
var (
	sandboxWorks = sync.OnceValues(func() (string, error) { return tryBwrap() })
	cutOffWorks  = sync.OnceValues(func() (string, error) { return tryBwrap(ownNetwork) })
)

// trial is the trial of bwrap that tells whether this network can be had.
func trial(n Network) func() (string, error) {
	if n == NetworkNone {
		return cutOffWorks
	}
	return sandboxWorks
}

// ownNetwork is bwrap's flag for NetworkNone. The sockets that a session needs
// are files or its own, so that they work in it.
const ownNetwork = "--unshare-net"

// tryBwrap runs bwrap with the flags that every sandbox has, and more.
func tryBwrap(more ...string) (path string, err error) {
	path, err = exec.LookPath("bwrap")
	if err != nil {
		return "", errors.New("bwrap is not installed")
	}
	probe, err := exec.LookPath("true")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path, slices.Concat(sandboxFlags, more, []string{"--", probe})...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		why, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
		if why == "" {
			why = err.Error()
		}
		return "", fmt.Errorf("bwrap does not work here: %s", strings.TrimPrefix(why, "bwrap: "))
	}
	return path, nil
}

// sandbox is the decision how to isolate.
type sandbox struct {
	mode   Isolation
	reason string
	// bwrap is the path of the program where mode is Bwrap.
	bwrap string
	// alone says that the host starts in a network of its own; bwrap does that
	// by itself.
	alone bool
}

// decideIsolation settles Auto, with the reason where it is not Bwrap. Without
// bwrap, a session without a network gets one of its own where own gives no
// error; it never gets the machine's.
func decideIsolation(o Options, path string, works func() (string, error), own func() error) (sandbox, error) {
	var err error
	if o.Isolation != None {
		var bwrap string
		if bwrap, err = works(); err == nil {
			_, err = sandboxArgs(o, o.TempDir, path)
		}
		if err == nil {
			return sandbox{mode: Bwrap, bwrap: bwrap}, nil
		}
	}
	if o.Isolation == Bwrap {
		return sandbox{}, &StartError{Part: PartIsolation, Reason: err.Error(), Hint: isolationHint(), cause: err}
	}
	box := sandbox{mode: None, alone: o.Network == NetworkNone}
	if err != nil {
		box.reason = err.Error()
	}
	if !box.alone {
		return box, nil
	}
	if failed := own(); failed != nil {
		reason := "a session without a network needs bwrap, or a network namespace: " + failed.Error()
		if err != nil {
			reason += "; " + err.Error()
		}
		return sandbox{}, &StartError{Part: PartIsolation, Reason: reason, Hint: isolationHint(), cause: failed}
	}
	return box, nil
}

func isolationHint() string {
	restricted, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	if err == nil && strings.TrimSpace(string(restricted)) == "1" && os.Geteuid() != 0 {
		return "AppArmor restricts user namespaces: 'opendesk doctor' has the command that loads ci/apparmor/opendesk-bwrap; or use isolation \"none\""
	}
	return installHints[PartIsolation]
}
