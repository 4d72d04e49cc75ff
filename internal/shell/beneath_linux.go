package shell

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// noWait prevents a pipe that replaced a file from hanging the open.
const noWait = unix.O_NONBLOCK

// openBeneath makes the kernel refuse every link in the path. Kernels before 5.6 cannot.
func openBeneath(path string, flag int, perm os.FileMode) (*os.File, error) {
	top, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: "/", Err: err}
	}
	defer unix.Close(top)
	how := unix.OpenHow{Flags: uint64(flag | noWait | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	if flag&os.O_CREATE != 0 {
		how.Mode = uint64(perm.Perm())
	}
	for {
		fd, err := unix.Openat2(top, strings.TrimPrefix(path, "/"), &how)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN): // something was renamed in the meantime
			continue
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // a system call filter may not know this one
			return openStepwise(path, flag, perm)
		case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EXDEV):
			err = errMoved
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return os.NewFile(uintptr(fd), path), nil
	}
}
