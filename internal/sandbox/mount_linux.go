package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// mount arranges the mounts of this process, which has a namespace of its own: everything may only be read but what is
// in Write; what is protected may only be read, too, and neither it nor a folder on the way to it can be renamed or
// removed, because a mount point cannot; what is denied is covered.
func (r Rules) mount() error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the working folder: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts cannot be made private: %w", err)
	}
	if err := r.mountWritable(); err != nil {
		return err
	}
	held := map[string]bool{}
	for _, p := range r.Protect {
		if err := r.hold(p, held); err != nil {
			return err
		}
	}
	for _, p := range r.Deny {
		if err := r.hold(p, held); err != nil {
			return err
		}
		if err := cover(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s cannot be covered: %w", p, err)
		}
	}
	return os.Chdir(dir) // into what was mounted over it
}

func (r Rules) mountWritable() error {
	trees := make([]int, len(r.Write))
	for i, p := range r.Write {
		fd, err := tree(p)
		if err != nil {
			return fmt.Errorf("%s cannot be mounted: %w", p, err)
		}
		defer unix.Close(fd)
		trees[i] = fd
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("what is mounted cannot be made read-only: %w", err)
	}
	for i, p := range r.Write {
		if err := attach(trees[i], p); err != nil {
			return fmt.Errorf("%s cannot be mounted: %w", p, err)
		}
	}
	return nil
}

// hold makes p read-only and everything on the way to it a mount point.
func (r Rules) hold(p string, held map[string]bool) error {
	way, err := r.way(p)
	if err != nil {
		return err
	}
	for _, s := range way {
		if held[s.path] {
			continue
		}
		held[s.path] = true
		if s.missing {
			return fmt.Errorf("%s went away while the sandbox was set up", s.path)
		}
		fd, err := tree(s.path)
		if err == nil && s.last {
			err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
		}
		if err == nil {
			err = attach(fd, s.path)
			unix.Close(fd)
		}
		if err != nil {
			return fmt.Errorf("%s cannot be protected: %w", s.path, err)
		}
	}
	return nil
}

// cover hides what is at p. A file is covered by a device that cannot be opened, a folder by an empty one. What a link
// leads to is in Deny as well.
func cover(p string) error {
	info, err := os.Lstat(p)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	var fd int
	if info.IsDir() {
		fd, err = emptyFolder()
	} else if fd, err = tree("/dev/null"); err == nil {
		err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY})
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attach(fd, p)
}

func emptyFolder() (int, error) {
	system, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(system)
	if err := unix.FsconfigSetString(system, "mode", "0"); err != nil {
		return -1, err
	}
	if err := unix.FsconfigCreate(system); err != nil {
		return -1, err
	}
	return unix.Fsmount(system, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// tree is a mount of what is at path, not yet attached; a link is itself, not what it leads to.
func tree(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
}

func attach(fd int, path string) error {
	return unix.MoveMount(fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// step is a place on the way from a writable folder to a path in it.
type step struct {
	path    string
	last    bool // nothing below it matters: it is the path, or a link, or no folder
	missing bool // it is not there, so nothing below it is
}

// way is what must stay in place for p to stay what it is; nothing if p is in no writable folder. Links on it are
// followed: they must stay, and so must what is on the way from them to p.
func (r Rules) way(p string) (out []step, err error) {
	for range 20 {
		steps, link, err := r.stretch(p)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be protected: %w", p, err)
		}
		out = append(out, steps...)
		if link == "" {
			return out, nil
		}
		p = link
	}
	return nil, fmt.Errorf("%s cannot be protected: too many links on the way to it", p)
}

// stretch is the way to p up to the first link, and where p lies by that link.
func (r Rules) stretch(p string) (out []step, link string, err error) {
	root := r.root(p)
	if root == "" {
		return nil, "", nil
	}
	at := root
	names := strings.Split(strings.Trim(strings.TrimPrefix(p, root), "/"), "/")
	for i, name := range names {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return append(out, step{path: at, last: true, missing: true}), "", nil
		case err != nil:
			return nil, "", err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := filepath.EvalSymlinks(at)
			if err != nil {
				return nil, "", fmt.Errorf("%s is a link that leads nowhere", at)
			}
			return append(out, step{path: at, last: true}), filepath.Join(to, filepath.Join(names[i+1:]...)), nil
		}
		last := i == len(names)-1 || !info.IsDir()
		out = append(out, step{path: at, last: last})
		if last {
			break
		}
	}
	return out, "", nil
}
