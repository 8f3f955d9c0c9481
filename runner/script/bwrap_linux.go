package script

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// starter is the Python program that sets the limits and begins the script.
//
//go:embed python/start.py
var starter []byte

// starterPath is where it lies in the sandbox.
const starterPath = "/opt/opendesk-sandbox/start.py"

// nobody is the user that scripts run as. Where we are not root it is only what
// they see.
const nobody = 65534

// shared is what /dev/shm holds, in bytes: semaphores, for one.
const shared = 16 << 20

// openFiles is how many files a process may have open.
const openFiles = 256

// moduleName is what may be the name of a module.
var moduleName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// environment is all that a script finds set.
var environment = []string{
	"HOME=" + WorkDir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=2", "PATH=/usr/bin:/bin",
	"PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "PYTHONUTF8=1", "TMPDIR=" + WorkDir + "/" + scratch, "TZ=UTC",
	ToolsVariable + "=" + strconv.Itoa(ToolsFD), ArchiveVariable + "=" + ArchiveDir, WorkVariable + "=" + WorkDir,
}

// scratch is the folder for temporary files in WorkDir; it is not collected.
const scratch = ".tmp"

// confined is the command line of a sandbox.
type confined struct {
	path string
	args []string
	// data are further descriptors that bwrap reads, from firstData on.
	data [][]byte
}

// The descriptors that bwrap is started with, after the order's first ones
// (stdin is 0): its own report, and what it reads.
const (
	infoFD    = 5
	firstData = 6
)

// confine makes the command line for an order. The modules follow the data.
func confine(o Order, uid int, processes int) (*confined, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &UnavailableError{Reason: "scripts run in a sandbox of bwrap only, which is not installed", Fix: fixBwrap}
	}
	interpreter, err := filepath.EvalSymlinks(o.Interpreter)
	if err != nil {
		return nil, &UnavailableError{Reason: "scripts need " + o.Interpreter + ", which is not there", Fix: fixPython}
	}
	if !strings.HasPrefix(interpreter, "/usr/") {
		return nil, fmt.Errorf("the interpreter %s is not below /usr", interpreter)
	}
	for _, dir := range []string{o.Code, o.Archive} {
		if err := readableBy(uid, dir); err != nil {
			return nil, err
		}
	}
	c := &confined{path: bwrap}
	c.isolate(uid)
	c.system(o.NoProc)
	c.add("--perms", "0777", "--size", strconv.FormatInt(o.Limits.Disk, 10), "--tmpfs", WorkDir,
		"--perms", "0777", "--dir", WorkDir+"/"+scratch,
		"--ro-bind", o.Code, CodeDir)
	if o.Archive != "" {
		if err := c.archive(o.Archive, o.Hidden); err != nil {
			return nil, err
		}
	}
	c.file(starterPath, c.fd(starter))
	if program := filter(); program != nil {
		c.add("--seccomp", strconv.Itoa(c.fd(program)))
	}
	for i, name := range o.Modules {
		if !moduleName.MatchString(name) {
			return nil, fmt.Errorf("%q is no name of a module", name)
		}
		c.file(ToolsDir+"/"+name+".py", firstData+len(c.data)+i)
	}
	c.add("--remount-ro", "/", "--chdir", WorkDir, "--info-fd", strconv.Itoa(infoFD), "--")
	if uid == 0 {
		user := strconv.Itoa(nobody)
		c.add("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all", "--")
	}
	c.add(interpreter, "-s", "-B", starterPath)
	c.add(limitArgs(o.Limits, processes)...)
	c.add(o.File)
	c.add(o.Args...)
	return c, nil
}

// readableBy says whether a script can look into a folder: as root it is run as
// nobody, who can read only what everybody can.
func readableBy(uid int, dir string) error {
	if uid != 0 || dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("the script's folder: %w", err)
	}
	const readable = 0o005
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == nobody || info.Mode().Perm()&readable == readable {
		return nil
	}
	return &UnavailableError{
		Reason: fmt.Sprintf("root's scripts run as user %d, who cannot read %s", nobody, dir),
		Fix:    "chmod -R o+rX " + dir + ", or run as the user whose it is",
	}
}

// fixBwrap is what to do where there is no bwrap.
const fixBwrap = "Debian/Ubuntu: apt-get install bubblewrap; 'opendesk doctor' tells more"

func (c *confined) add(args ...string) { c.args = append(c.args, args...) }

// fd is the descriptor at which bwrap will find the data.
func (c *confined) fd(data []byte) int {
	c.data = append(c.data, data)
	return firstData + len(c.data) - 1
}

// file puts a file that everybody can read into the sandbox.
func (c *confined) file(path string, fd int) {
	c.add("--perms", "0444", "--ro-bind-data", strconv.Itoa(fd), path)
}

// isolate takes everything away that is not a file. Root keeps the right to
// become nobody, which is then gone as well; others get a user namespace.
func (c *confined) isolate(uid int) {
	c.add("--die-with-parent", "--new-session", "--hostname", "sandbox",
		"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
	if uid == 0 {
		c.add("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
		return
	}
	c.add("--unshare-user", "--uid", strconv.Itoa(nobody), "--gid", strconv.Itoa(nobody))
}

// system binds what programs need to run, and nothing of /etc.
func (c *confined) system(noProc bool) {
	c.add("--ro-bind", "/usr", "/usr")
	for _, name := range []string{"/lib", "/lib32", "/lib64", "/libx32", "/bin"} {
		info, err := os.Lstat(name)
		switch {
		case err != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			if target, err := os.Readlink(name); err == nil {
				c.add("--symlink", target, name)
			}
		case info.IsDir():
			c.add("--ro-bind", name, name)
		}
	}
	if !noProc {
		c.add("--proc", "/proc")
	}
	c.add("--dev", "/dev", "--perms", "1777", "--size", strconv.Itoa(shared), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
}

// archive binds the project without what is hidden in it.
func (c *confined) archive(dir string, hidden []string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("the script's archive: %w", err)
	}
	c.add("--ro-bind", real, ArchiveDir)
	for _, name := range slices.Concat(AlwaysHidden, hidden) {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("what is to be hidden is not in the archive: %q", name)
		}
		// A link is hidden by hiding what it leads to; outside there is nothing.
		target, err := filepath.EvalSymlinks(filepath.Join(real, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("hide %s from the script: %w", name, err)
		}
		inside, ok := strings.CutPrefix(target, strings.TrimSuffix(real, "/")+"/")
		if !ok {
			continue
		}
		info, err := os.Stat(target)
		if err != nil {
			return fmt.Errorf("hide %s from the script: %w", name, err)
		}
		place := ArchiveDir + "/" + inside
		if info.IsDir() {
			c.add("--tmpfs", place, "--remount-ro", place)
		} else {
			c.add("--ro-bind", "/dev/null", place)
		}
	}
	return nil
}

// limitArgs are the limits of a process that the starter sets. Data is what a
// process may have of its own; its address space may be larger, by what is
// mapped and never touched. A file may be a little larger than all of them, so
// that it is the folder that is full first.
func limitArgs(l Limits, processes int) []string {
	const unused, more = 1 << 30, 1 << 20
	cpu := int64((l.CPU + time.Second - 1) / time.Second)
	var args []string
	for _, n := range []int64{cpu, l.Memory, l.Memory + unused, l.Disk + more, int64(processes), openFiles} {
		args = append(args, strconv.FormatInt(n, 10))
	}
	return args
}

// processLimit is the limit of processes for a user that the kernel is to keep,
// where no control group does. It is exact where the sandbox has a user
// namespace that counts by itself, which kernels do from 5.14 on. Elsewhere it
// is only there to slow down what the watch will end.
func processLimit(uid, max int, grouped bool) (limit int, exact bool) {
	const atMost = 2000
	switch {
	case grouped:
		return 0, false
	case uid != 0 && countsByNamespace():
		return max + 1, true // with bwrap's own
	}
	return atMost + max, false
}

func countsByNamespace() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	var major, minor int
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 5 || major == 5 && minor >= 14
}
