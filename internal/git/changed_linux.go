package git

import (
	"io/fs"
	"syscall"
)

// changed is when a file was last changed in any way, which nobody can set, and what tells it from others of its name.
func changed(info fs.FileInfo) (at int64, inode uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano(), s.Ino
	}
	return 0, 0
}
