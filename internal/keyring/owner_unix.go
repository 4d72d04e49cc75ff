//go:build unix

package keyring

import (
	"io/fs"
	"os"
	"syscall"
)

// ours says whether a file belongs to the user we run as.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// open says whether the group or others may do anything with it.
func open(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
