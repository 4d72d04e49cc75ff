package confine

import "golang.org/x/sys/unix"

// spot is a file or folder as the system knows it. Inode numbers are reused once a file is removed; the time of
// birth tells the old one from the new one.
type spot struct {
	major, minor uint32
	inode        uint64
	born         int64
	nanoseconds  uint32
}

// spotOf is false where the file system does not know when a file was made.
func spotOf(path string) (spot, bool) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return spot{}, false
	}
	return spot{st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec}, true
}
