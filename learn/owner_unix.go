//go:build unix

package learn

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and group of the one that it replaces, as
// far as this process may.
func keepOwner(f *os.File, was fs.FileInfo) {
	stat, ok := was.Sys().(*syscall.Stat_t)
	if ok && f.Chown(int(stat.Uid), int(stat.Gid)) != nil {
		_ = f.Chown(-1, int(stat.Gid))
	}
}
