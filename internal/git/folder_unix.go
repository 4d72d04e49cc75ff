//go:build unix

package git

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/inuse"
)

// folder is an open folder. Every operation is below it and follows no link: every name is one part of a path. walk
// walks longer paths, one folder at a time, so that a link planted in the meantime cannot lead elsewhere.
type folder struct{ fd int }

// openFolder opens a folder by its path. It is the only call that takes a path: everything below is opened by a name in
// an open folder, so nobody can replace a part of the path by a link.
func openFolder(path string) (folder, error) {
	fd, err := folder{unix.AT_FDCWD}.openat(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	return folder{fd}, failed("open", path, err)
}

// open opens a subfolder; a link is refused.
func (f folder) open(name string) (folder, error) {
	fd, err := f.openat(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	return folder{fd}, failed("open", name, err)
}

// openat opens name, and repeats the call if a signal interrupts it.
func (f folder) openat(name string, flags int, perm uint32) (int, error) {
	for {
		fd, err := unix.Openat(f.fd, name, flags|unix.O_CLOEXEC, perm)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// close closes the folder.
func (f folder) close() { unix.Close(f.fd) }

// mkdir creates a folder that only its owner may enter.
func (f folder) mkdir(name string) error {
	return failed("mkdir", name, unix.Mkdirat(f.fd, name, 0o700))
}

// remove removes a file or an empty folder.
func (f folder) remove(name string) error {
	return failed("remove", name, unix.Unlinkat(f.fd, name, 0))
}

// look returns what is at name.
func (f folder) look(name string) (look, error) {
	var st unix.Stat_t
	err := unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	for err == unix.EINTR {
		err = unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return look{}, failed("lstat", name, err)
	}
	l := look{kind: other, perm: fs.FileMode(st.Mode & 0o777), size: st.Size, modified: st.Mtim.Nano(), changed: st.Ctim.Nano(),
		inode: uint64(st.Ino)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		if !inuse.Number(uint64(st.Dev), uint64(st.Ino)) { // like a device, it must not be read
			l.kind = kindFile
		}
	case unix.S_IFDIR:
		l.kind = kindDir
	case unix.S_IFLNK:
		l.kind = kindLink
	}
	return l, nil
}

// names returns the names in the folder, in no order.
func (f folder) names() ([]string, error) {
	fd, err := f.openat(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, failed("open", ".", err)
	}
	d := os.NewFile(uintptr(fd), ".")
	defer d.Close()
	return d.Readdirnames(-1)
}

// read fills buf with the beginning of a file's content. If the file has the expected size, it does not check whether there is more.
func (f folder) read(name string, buf []byte, size int64) (n int, err error) {
	fd, err := f.reading(name)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	for n < len(buf) {
		got, err := unix.Read(fd, buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, failed("read", name, err)
		}
		if n += got; got == 0 || int64(n) == size && n < len(buf) {
			break
		}
	}
	return n, nil
}

// reading opens a file without waiting for a writer, in case it has become a pipe.
func (f folder) reading(name string) (int, error) {
	fd, err := f.openat(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	return fd, failed("open", name, err)
}

// stream opens a file for reading; it never waits for a pipe.
func (f folder) stream(name string) (*os.File, error) {
	fd, err := f.reading(name)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// create creates a file that does not exist yet.
func (f folder) create(name string, perm fs.FileMode) (*os.File, error) {
	fd, err := f.creating(name, perm)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// creating creates a file that must not exist, not even as a link.
func (f folder) creating(name string, perm fs.FileMode) (int, error) {
	fd, err := f.openat(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, uint32(perm))
	return fd, failed("create", name, err)
}

// write creates a file that does not exist yet, with its content and, unless it is 0, its time of modification.
func (f folder) write(name string, perm fs.FileMode, body []byte, modified int64) error {
	fd, err := f.creating(name, perm)
	if err != nil {
		return err
	}
	for err == nil && len(body) > 0 {
		var n int
		if n, err = unix.Write(fd, body); err == unix.EINTR {
			n, err = 0, nil
		}
		body = body[max(0, n):]
	}
	if err = errors.Join(err, unix.Close(fd)); err == nil && modified != 0 {
		err = f.setTime(name, modified)
	}
	return failed("write", name, err)
}

// setTime sets a file's time of modification, to the nanosecond: git and build tools compare it.
func (f folder) setTime(name string, modified int64) error {
	at := unix.NsecToTimespec(modified)
	return failed("set the time of", name, unix.UtimesNanoAt(f.fd, name, []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW))
}

// readlink returns a link's target, as written.
func (f folder) readlink(name string) (string, error) {
	buf := make([]byte, 4096)
	n, err := unix.Readlinkat(f.fd, name, buf)
	if err != nil {
		return "", failed("readlink", name, err)
	}
	return string(buf[:n]), nil
}

// symlink creates a link. It does not check the target: the link is copied as it was.
func (f folder) symlink(target, name string) error {
	return failed("symlink", name, unix.Symlinkat(target, f.fd, name))
}

// failed wraps err with the operation and the name; nil stays nil.
func failed(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: what, Path: name, Err: err}
}
