//go:build !linux

package folder

import (
	"io/fs"
	"time"
)

// changed is when a file was last written, which a program can set: here there is nothing better to ask.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }
