package child

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// OldestABI is the first version that can prevent truncating a file. Linux 6.2 has it.
const OldestABI = 3

// Rights by what they apply to. A right that an attribute handles and no rule grants is refused.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readDir   = unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	devices   = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	writeDir  = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
)

// plain are the devices that every program may read and write: they contain nothing.
var plain = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// ABI returns the version of Landlock in the kernel.
func ABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}

// ruleset is a set of allowed accesses while it is built.
type ruleset int

// landlock allows this thread what the rules allow. If mounts do not cover what is denied, it allows everything else,
// entry by entry; the folders on the path to it can then not be listed.
//
// Newer versions of Landlock are used where they exist: 5 restricts ioctl on devices, 6 signals and abstract sockets.
func (o Order) landlock() error {
	abi, err := ABI()
	if err != nil {
		return fmt.Errorf("read the version of Landlock: %w", err)
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: readFile | readDir | writeFile | writeDir | devices}
	if abi >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
		if !o.Sockets {
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("create the Landlock rules: %w", errno)
	}
	set := ruleset(fd)
	defer unix.Close(int(fd))
	if err := o.allow(set); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("apply the Landlock rules: %w", errno)
	}
	return nil
}

// allow adds the files and folders that the order leaves open.
func (o Order) allow(set ruleset) error {
	var denied []string
	if !o.Own {
		denied = append(slices.Clip(o.Deny), o.Cover...)
	}
	if err := set.below("/", append([]string{"/dev"}, denied...), readFile); err != nil {
		return err
	}
	if err := set.below("/", denied, readDir); err != nil {
		return err
	}
	for _, p := range plain {
		if err := set.add(p, readFile|writeFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	dir, _ := os.Getwd() // empty: it was removed
	for _, p := range o.remembered(dir) {
		if err := set.below(p, denied, readFile); err != nil {
			return err
		}
	}
	if !o.Own {
		for _, p := range o.Read {
			if err := errors.Join(set.below(p, o.Deny, readFile), set.below(p, o.Deny, readDir)); err != nil {
				return err
			}
		}
	}
	write := o.Write
	if o.Own {
		if _, err := os.Stat(memory); err == nil {
			write = append(slices.Clip(write), memory)
		}
	}
	if o.Cell != nil && o.Cell.Home != "" {
		write = append(slices.Clip(write), o.Cell.Home)
	}
	for _, p := range write {
		if err := set.add(p, readFile|readDir|writeFile|writeDir); err != nil {
			return err
		}
	}
	return nil
}

// below allows rights for everything below dir except the exceptions and the folders that contain one. Landlock cannot
// take away what a rule for a parent grants, so a folder with an exception in it gets a rule for each of its entries
// instead.
func (s ruleset) below(dir string, except []string, rights uint64) error {
	if !slices.ContainsFunc(except, func(e string) bool { return inside(e, dir) }) {
		err := s.add(dir, rights)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil // it was removed, or is closed to this user anyway
		}
		return err
	}
	if slices.Contains(except, dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil { // a folder that can only be passed through: other rules name what is allowed in it
		return nil
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			continue // its target has a rule where it is
		}
		if err := s.below(strings.TrimSuffix(dir, "/")+"/"+e.Name(), except, rights); err != nil {
			return err
		}
	}
	return nil
}

// inside reports whether p is dir or is in it.
func inside(p, dir string) bool { return dir == "/" || p == dir || strings.HasPrefix(p, dir+"/") }

// add allows rights for path and everything below; a file gets those that apply to files.
func (s ruleset) add(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= readFile | writeFile
	}
	if rights == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(s), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("add a Landlock rule for %s: %w", path, errno)
	}
	return nil
}
