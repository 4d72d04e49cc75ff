//go:build unix

package inuse

import (
	"io/fs"
	"os"
	"syscall"
)

// Hold marks the files at these paths as held until release is called. Those that are not there are left out.
func Hold(paths ...string) (release func()) {
	var files []file
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			if f, ok := of(info); ok {
				files = append(files, f)
			}
		}
	}
	count(files, 1)
	return func() { count(files, -1) }
}

// Is says whether a file is held, by what a look at it without opening it gave.
func Is(info fs.FileInfo) bool {
	f, ok := of(info)
	return ok && Number(f.device, f.number)
}

func of(info fs.FileInfo) (file, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return file{}, false
	}
	return file{uint64(st.Dev), uint64(st.Ino)}, true
}
