package folder

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is the time of a file's last change (ctime), which nobody can set.
func changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
