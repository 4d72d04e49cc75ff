//go:build unix

package confine

import (
	"os"

	"golang.org/x/sys/unix"
)

// rename moves what is directly in a root to another place on its disk.
func rename(root *os.Root, name, to string) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Renameat(int(dir.Fd()), name, unix.AT_FDCWD, to)
}
