//go:build unix

package scratch

import (
	"io/fs"
	"os"
	"syscall"
)

// private says whether a folder is ours alone.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
