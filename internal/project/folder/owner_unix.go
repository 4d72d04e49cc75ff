//go:build unix

package folder

import (
	"errors"
	"os"
	"syscall"
)

// keepOwner gives file the owner and group of base in dir, as far as our user may: it will replace it.
func keepOwner(dir *os.Root, base string, file *os.File) error {
	was, err := dir.Lstat(base)
	if err != nil {
		return nil // it was deleted, and is created again
	}
	now, err := file.Stat()
	if err != nil {
		return err
	}
	a, ok := was.Sys().(*syscall.Stat_t)
	b, ok2 := now.Sys().(*syscall.Stat_t)
	if ok && ok2 && (a.Uid != b.Uid || a.Gid != b.Gid) {
		file.Chown(int(a.Uid), int(a.Gid))
	}
	return nil
}

// notFolder reports whether the system found a file where a folder should be.
func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
