//go:build unix

package permission

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// changedAt is when a file was last changed by the system's own word, which programs cannot set back.
func changedAt(path string, e fs.DirEntry) time.Time {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return modified(e)
	}
	return time.Unix(st.Ctim.Unix())
}
