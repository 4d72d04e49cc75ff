//go:build !linux

package folder

import (
	"io/fs"
	"time"
)

// changed is the time of a file's last write, which a program can set: nothing better is available here.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }
