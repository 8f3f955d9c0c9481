package session

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

//go:embed files
var files embed.FS

// folderPrefix begins the name of every session's folder.
const folderPrefix = "opendesk-session-"

// maxSocketPath is what fits into a Unix socket's address.
const maxSocketPath = 107

// owner is the content of a session folder's owner file. The file is locked
// (flock) as long as the parent or the keeper lives: a folder whose owner file
// can be locked is nobody's any more.
type owner struct {
	ID        string    `json:"id"`
	Isolation Isolation `json:"isolation"`
	// Parent is the process that started the session, for people to read.
	Parent  int    `json:"parent"`
	Started uint64 `json:"started"`
	// Groups are the control groups that the session's processes are in.
	Groups []string `json:"groups,omitempty"`
}

// folder is a session's folder with its locked owner file.
type folder struct {
	dir  string
	lock *os.File
	// groups are the session's control groups, missing says for each limit
	// without one why there is none.
	groups  []group
	missing map[string]string
}

// newFolder makes a session's folder with everything that its processes read.
func newFolder(o Options, isolation Isolation) (*folder, error) {
	// Until it says whose it is, its name does: see makerGone.
	dir, err := os.MkdirTemp(o.TempDir, folderPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, fmt.Errorf("session folder: %w", err)
	}
	// The buses' sockets are the longest paths below it.
	if socket := filepath.Join(runtimeDirOf(dir), "at-spi", "bus_10000"); len(socket) > maxSocketPath {
		_ = os.Remove(dir)
		return nil, fmt.Errorf("the temporary folder %s is too deep: socket paths may have %d bytes (set TMPDIR to a shorter one)",
			o.TempDir, maxSocketPath)
	}
	f := &folder{dir: dir}
	if err := f.fill(o, isolation); err != nil {
		f.unlock()
		return nil, errors.Join(err, removeAll(dir))
	}
	return f, nil
}

func (f *folder) fill(o Options, isolation Isolation) error {
	if o.Adopt == nil {
		f.groups, f.missing = planGroups(filepath.Base(f.dir)+"-"+strings.ToLower(rand.Text()[:12]), ownTrees())
	}
	if err := f.takeLock(o.ID, isolation); err != nil {
		return fmt.Errorf("owner file: %w", err)
	}
	home := homeOf(f.dir)
	if o.Limits.Home > 0 && isolation == Bwrap {
		if err := os.Mkdir(home, 0o700); err != nil {
			return err
		}
		home = homeFilesOf(f.dir)
	}
	for _, dir := range []string{
		runtimeDirOf(f.dir), tempDirOf(f.dir), home,
		filepath.Join(home, ".config", "gtk-3.0"), filepath.Join(home, ".config", "gtk-4.0"),
		filepath.Join(home, ".config", "glib-2.0", "settings"),
		filepath.Join(home, ".local", "share"), filepath.Join(home, ".local", "state"),
		filepath.Join(home, ".cache"),
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	cookie := xauthority()
	for path, content := range map[string][]byte{
		xauthorityOf(f.dir): cookie,
		busConfigOf(f.dir):  bytes.ReplaceAll(embedded("bus.conf"), []byte("@SOCKET@"), []byte(xmlText(busSocketOf(f.dir)))),
		openboxOf(f.dir):    embedded("openbox.xml"),
		filepath.Join(home, ".config", "gtk-3.0", "settings.ini"):         embedded("gtk.ini"),
		filepath.Join(home, ".config", "gtk-4.0", "settings.ini"):         embedded("gtk.ini"),
		filepath.Join(home, ".config", "glib-2.0", "settings", "keyfile"): embedded("keyfile"),
		filepath.Join(home, ".config", "kdeglobals"):                      embedded("kdeglobals"),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	// Last, so that what the project brings wins.
	if o.HomeSkeleton != "" {
		if err := copyTree(o.HomeSkeleton, home); err != nil {
			return fmt.Errorf("home skeleton: %w", err)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(o.HomeFiles)) {
		if err := copyInto(o.HomeFiles[place], home, place); err != nil {
			return fmt.Errorf("%s for the home: %w", place, err)
		}
	}
	return nil
}

// copyInto copies a file or folder to a place below home.
func copyInto(from, home, place string) error {
	if !filepath.IsLocal(place) {
		return errors.New("is not a place inside of it")
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	to := filepath.Join(home, place)
	if info.IsDir() {
		return copyTree(from, to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return copyEntry(from, to, fs.FileInfoToDirEntry(info))
}

// takeLock makes the owner file.
func (f *folder) takeLock(id string, isolation Isolation) (err error) {
	f.lock, err = lockedFile(ownerOf(f.dir), owner{ID: id, Isolation: isolation, Groups: groupsOf(f.groups)})
	return err
}

// lockedFile makes an owner file. It gets its name when it is locked already,
// so that nobody finds an owner file that is not.
func lockedFile(name string, o owner) (lock *os.File, err error) {
	lock, err = os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
			lock = nil
		}
	}()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, err
	}
	self, _ := readProcess(os.Getpid())
	o.Parent, o.Started = self.pid, self.started
	data, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if _, err := lock.Write(data); err != nil {
		return nil, err
	}
	return lock, os.Rename(name+".new", name)
}

// unlock gives up the parent's share of the lock.
func (f *folder) unlock() {
	if f.lock != nil {
		_ = f.lock.Close()
	}
}

// xauthority is an authority file with one fresh cookie for any host and any
// display: only who can read it gets to the session's X server.
func xauthority() []byte {
	const familyWild = 0xffff
	cookie := make([]byte, 16)
	_, _ = rand.Read(cookie) // never fails
	var b []byte
	b = binary.BigEndian.AppendUint16(b, familyWild)
	for _, field := range [][]byte{nil, nil, []byte("MIT-MAGIC-COOKIE-1"), cookie} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(field)))
		b = append(b, field...)
	}
	return b
}

// embedded gives one of the files that are compiled in.
func embedded(name string) []byte {
	data, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return data
}

// xmlText escapes what must not stand in XML text.
func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// copyTree copies a folder's content into another: folders, files and
// symbolic links; anything else is left out.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", from)
	}
	// A folder that is itself a link is meant as what it points to.
	if from, err = filepath.EvalSymlinks(from); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyEntry(path, filepath.Join(to, rel), d)
	})
}

func copyEntry(from, to string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		return os.MkdirAll(to, 0o700)
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Symlink(target, to)
	case d.Type().IsRegular():
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		// Ours to write, whoever owned it and whatever its mode.
		return os.WriteFile(to, data, info.Mode().Perm()|0o600)
	}
	return nil
}

// removeAll removes a folder with everything in it, folders that their maker
// closed included.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
