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

// sandboxFlags are what every sandbox has, and what the probe tries. Without
// --die-with-parent the sandbox would outlive a killed keeper.
var sandboxFlags = []string{
	"--die-with-parent", "--as-pid-1",
	"--unshare-pid", "--unshare-ipc", "--unshare-uts",
	"--ro-bind", "/", "/",
	"--dev", "/dev",
	"--proc", "/proc",
	"--perms", "1777", "--tmpfs", "/tmp",
	"--perms", "1777", "--dir", socketFolder,
	"--perms", "1777", "--tmpfs", "/var/tmp",
	"--perms", "0755", "--tmpfs", "/run",
}

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

// readablePaths are what a session's processes need to see wherever it lies.
func readablePaths(o Options, path string) []string {
	paths := slices.Concat(o.Readable, []string{o.Executable, "/etc/resolv.conf"})
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !slices.Contains(privateRoots, filepath.Clean(dir)) {
			paths = append(paths, dir)
		}
	}
	return paths
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
}

// decideIsolation settles Auto, with the reason where it is not Bwrap.
func decideIsolation(o Options, path string, works func() (string, error)) (sandbox, error) {
	if o.Isolation == None && o.Network == NetworkNone {
		return sandbox{}, &StartError{Part: PartIsolation, Reason: "a session without a network needs bwrap, and isolation \"none\" does without it"}
	}
	if o.Isolation == None {
		return sandbox{mode: None}, nil
	}
	bwrap, err := works()
	if err == nil {
		_, err = sandboxArgs(o, o.TempDir, path)
	}
	if err == nil {
		return sandbox{mode: Bwrap, bwrap: bwrap}, nil
	}
	if o.Network == NetworkNone {
		return sandbox{}, &StartError{Part: PartIsolation, Reason: "a session without a network needs bwrap: " + err.Error(), Hint: "Debian/Ubuntu: apt-get install bubblewrap", cause: err}
	}
	if o.Isolation == Bwrap {
		return sandbox{}, &StartError{Part: PartIsolation, Reason: err.Error(), Hint: isolationHint(), cause: err}
	}
	return sandbox{mode: None, reason: err.Error()}, nil
}

func isolationHint() string {
	restricted, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	if err == nil && strings.TrimSpace(string(restricted)) == "1" && os.Geteuid() != 0 {
		return "AppArmor restricts user namespaces: 'opendesk doctor' has the command that loads ci/apparmor/opendesk-bwrap; or use isolation \"none\""
	}
	return installHints[PartIsolation]
}
