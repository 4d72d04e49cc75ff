//go:build unix

package confine

import (
	"os"

	"golang.org/x/sys/unix"
)

// rename moves an entry of a root to another place on the same disk.
func rename(root *os.Root, name, to string) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Renameat(int(dir.Fd()), name, unix.AT_FDCWD, to)
}
