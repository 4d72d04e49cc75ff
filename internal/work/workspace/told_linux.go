package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tellsAll means that this system reveals every change to a file or folder.
const tellsAll = true

// untouched reports that nothing of a file or a link was changed since a time: content, permissions, attributes,
// number of names.
func untouched(in *os.File, name string, since time.Time) bool {
	var is unix.Stat_t
	if unix.Fstatat(int(in.Fd()), name, &is, unix.AT_SYMLINK_NOFOLLOW) != nil ||
		is.Mode&unix.S_IFMT != unix.S_IFREG && is.Mode&unix.S_IFMT != unix.S_IFLNK {
		return false
	}
	return is.Nlink == 1 && time.Unix(is.Ctim.Unix()).Before(since)
}

// bare refuses a folder that is not as it was made: with other permissions, or attributes that new files in it would
// inherit.
func bare(dir string, mode fs.FileMode) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if info.Mode() != mode {
		return fmt.Errorf("%s is %s, not %s", dir, info.Mode(), mode)
	}
	names := make([]byte, 4096)
	n, err := unix.Llistxattr(dir, names)
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		if name != "" && !strings.HasPrefix(name, "security.") { // the system's own
			return fmt.Errorf("%s has the attribute %q", dir, name)
		}
	}
	return nil
}

// inUse reports whether a program that we may inspect works in a folder.
func inUse(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is constant
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
			return true
		}
	}
	return false
}
