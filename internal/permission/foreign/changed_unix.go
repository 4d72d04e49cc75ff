//go:build unix

package foreign

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// identity identifies a file whatever its name; the zero value: nothing is known.
type identity struct{ device, inode uint64 }

// changedAt is the time of a file's last change as the system records it (ctime), which programs cannot set back.
func changedAt(path string, e fs.DirEntry) (time.Time, identity) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return modified(e), identity{}
	}
	return time.Unix(st.Ctim.Unix()), identity{uint64(st.Dev), uint64(st.Ino)}
}

// identify returns the identity of the file at a path, without following links.
func identify(path string) identity {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return identity{}
	}
	return identity{uint64(st.Dev), uint64(st.Ino)}
}
