package child

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mount arranges the mounts of this process, which has its own mount namespace: everything is read-only except what is
// in Write; what is protected is read-only, too, and neither it nor a folder on the path to it can be renamed or
// removed, because it is a mount point; what is denied is covered. Shared memory is new and private. It needs
// CAP_SYS_ADMIN in the mount namespace, which root has and others get with their user namespace.
func (o Order) mount() error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the working folder: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts cannot be made private: %w", err)
	}
	for _, l := range o.Layers {
		if err := l.mount(); err != nil {
			return err
		}
	}
	if err := o.mountFolders(dir); err != nil {
		return err
	}
	if o.Cell != nil {
		if err := o.Cell.mount(); err != nil {
			return err
		}
	}
	for _, s := range o.Hold {
		// What has vanished since it was scanned needs no protection: in a temporary folder, files come and go.
		if err := s.hold(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s cannot be protected: %w", s.Path, err)
		}
	}
	for _, p := range o.Deny {
		if err := cover(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s cannot be covered: %w", p, err)
		}
	}
	if err := os.Chdir(dir); err != nil { // into what was mounted over it
		return fmt.Errorf("the working folder is hidden from programs: %w", err)
	}
	return nil
}

// mountFolders makes everything read-only except what may be written, and covers what must look empty. Of shared memory
// only what may be read or written there is visible, and dir, the working folder.
//
// The order matters: clones of what may be written are made before everything becomes read-only, those of what may be
// read after. They are attached from the outside in, by length of path, so that a cover never hides what belongs in it.
func (o Order) mountFolders(dir string) error {
	trees := map[string]int{}
	defer func() {
		for _, fd := range trees {
			unix.Close(fd)
		}
	}()
	open := func(paths []string, tree func(string) (int, error)) error {
		for _, p := range paths {
			fd, err := tree(p)
			if err != nil {
				return fmt.Errorf("%s cannot be mounted: %w", p, err)
			}
			trees[p] = fd
		}
		return nil
	}
	if err := open(o.Write, direct); err != nil {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("mounts cannot be made read-only: %w", err)
	}
	elsewhere, err := o.elsewhere()
	defer func() {
		for _, fd := range elsewhere {
			unix.Close(fd)
		}
	}()
	if err != nil {
		return err
	}
	read := slices.DeleteFunc(append(slices.Clone(o.Read), o.remembered(dir)...), func(p string) bool { return trees[p] != 0 })
	if err := open(read, tree); err != nil {
		return err
	}
	all := slices.Concat(o.Cover, slices.Collect(maps.Keys(trees)), []string{memory})
	for _, p := range slices.Compact(slices.SortedFunc(slices.Values(all), byLength)) {
		tree, shown := trees[p]
		if !shown {
			if err := coverFolder(p); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is in a folder that is already covered
				return fmt.Errorf("%s cannot be covered: %w", p, err)
			}
			continue
		}
		if err := mountPoint(tree, p); err != nil {
			return fmt.Errorf("%s cannot be shown: %w", p, err)
		}
		if err := attach(tree, p); err != nil {
			return fmt.Errorf("%s cannot be mounted: %w", p, err)
		}
	}
	for _, c := range o.Cover {
		if _, shown := trees[c]; shown {
			continue
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, c, 0, &readOnly); err != nil && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("%s cannot be made read-only: %w", c, err)
		}
	}
	for i, fd := range elsewhere {
		if err := attach(fd, o.Show[i].At); err != nil {
			return fmt.Errorf("%s cannot be shown at %s: %w", o.Show[i].From, o.Show[i].At, err)
		}
	}
	return nil
}

// elsewhere makes mounts of what is shown elsewhere, not yet attached. Everything is read-only by now, and so are they.
func (o Order) elsewhere() (trees []int, err error) {
	for _, s := range o.Show {
		fd, err := tree(s.From)
		if err != nil {
			return trees, fmt.Errorf("%s cannot be mounted: %w", s.From, err)
		}
		trees = append(trees, fd)
	}
	return trees, nil
}

func byLength(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// memory is where programs share memory.
const memory = "/dev/shm"

// remembered is the working folder if it is in shared memory and not written to: it may be read.
func (o Order) remembered(dir string) []string {
	written := func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") }
	if !strings.HasPrefix(dir, memory+"/") || slices.ContainsFunc(o.Write, written) {
		return nil
	}
	return []string{dir}
}

// coverFolder covers a folder with an empty one, in which mount points can still be created. The cover of shared memory is writable.
func coverFolder(path string) error {
	mode := "755"
	if path == memory {
		mode = "1777"
	}
	fd, err := emptyFolder(mode, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attach(fd, path)
}

// mountPoint creates what a tree can be attached to, if it does not exist.
func mountPoint(tree int, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o600)
}

// hold makes the place a mount point, and read-only if it is the last.
func (s Step) hold() error {
	fd, err := tree(s.Path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if s.Last {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return err
		}
	}
	return attach(fd, s.Path)
}

// cover hides what is at p. A file is covered by a device that cannot be opened, a folder by an empty one. A link is
// left alone: its target is in Deny as well.
func cover(p string) error {
	info, err := os.Lstat(p)
	if errors.Is(err, unix.EACCES) { // an unreadable folder is protected as a whole, and stays closed
		return nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	var fd int
	if info.IsDir() {
		fd, err = emptyFolder("0", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	} else if fd, err = tree("/dev/null"); err == nil {
		err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY})
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attach(fd, p)
}

// emptyFolder is a new empty file system in memory. mode is in octal digits.
func emptyFolder(mode string, attributes int) (int, error) {
	return system("tmpfs", map[string]string{"mode": mode}, attributes)
}

// tree is a mount of what is at path, not yet attached; a link is mounted itself, not its target.
func tree(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
}

// direct is a mount of what is at path if the path has no link: the decision about what may be written was for that path.
func direct(path string) (int, error) {
	at, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	return unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
}

// attach mounts at path, over what is there.
func attach(fd int, path string) error {
	return unix.MoveMount(fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
