//go:build !linux

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// tellsAll means that the system reveals every change to a file or folder: this one does not, so each workspace is a
// new one.
const tellsAll = false

func untouched(*os.File, string, time.Time) bool { return false }

func bare(string, fs.FileMode) error { return errors.ErrUnsupported }

// inUse reports whether a program works in a folder, which this system does not tell.
func inUse(string) bool { return false }
