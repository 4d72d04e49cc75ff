//go:build !linux

package folder

import (
	"io/fs"
	"time"
)

func changed(info fs.FileInfo) time.Time { return info.ModTime() }
