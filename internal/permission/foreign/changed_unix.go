//go:build unix

package foreign

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// identity tells files apart whatever they are called; the zero value: nothing is known.
type identity struct{ device, inode uint64 }

// changedAt is when a file was last changed by the system's own word, which programs cannot set back.
func changedAt(path string, e fs.DirEntry) (time.Time, identity) {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return modified(e), identity{}
	}
	return time.Unix(st.Ctim.Unix()), identity{uint64(st.Dev), uint64(st.Ino)}
}

// identify is the identity of what is at a path, links not followed.
func identify(path string) identity {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return identity{}
	}
	return identity{uint64(st.Dev), uint64(st.Ino)}
}
