package folder

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is when something was last done to a file, which nobody can set.
func changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
