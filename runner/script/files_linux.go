package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxDepth bounds how deep folders are followed.
const maxDepth = 16

// collector takes the files out of a work folder that nobody uses any more. It
// follows no links and opens regular files only.
type collector struct {
	files []File
	left  int
	total int64
}

// collect gives the files in a folder, sorted by name, and how many it left.
func collect(folder *os.File) ([]File, int) {
	var c collector
	c.walk(folder, "", 0)
	slices.SortFunc(c.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return c.files, c.left
}

func (c *collector) walk(folder *os.File, prefix string, depth int) {
	for {
		// Not all at once: there may be very many.
		entries, err := folder.ReadDir(256)
		slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, entry := range entries {
			if depth == 0 && entry.Name() == scratch {
				continue
			}
			c.take(folder, entry.Name(), prefix, depth)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.left++
			}
			return
		}
	}
}

func (c *collector) take(folder *os.File, name, prefix string, depth int) {
	var st unix.Stat_t
	if unix.Fstatat(int(folder.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		c.left++
		return
	}
	kind := st.Mode & unix.S_IFMT
	flags := unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	switch {
	case kind == unix.S_IFDIR && depth < maxDepth:
		flags |= unix.O_DIRECTORY
	case kind == unix.S_IFREG && len(c.files) < MaxFiles && st.Size <= MaxFileBytes && c.total+st.Size <= MaxFilesBytes:
	default:
		c.left++
		return
	}
	fd, err := unix.Openat(int(folder.Fd()), name, flags, 0)
	if err != nil {
		c.left++
		return
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close() //nolint:errcheck // was only read
	if kind == unix.S_IFDIR {
		c.walk(f, prefix+name+"/", depth+1)
		return
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes))
	if err != nil {
		c.left++
		return
	}
	sum := sha256.Sum256(data)
	c.total += int64(len(data))
	c.files = append(c.files, File{
		Name: strings.ToValidUTF8(prefix+name, "\uFFFD"), Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:]), Data: data,
	})
}
