package confine

import "golang.org/x/sys/unix"

// spot identifies a file or folder on the system. Inode numbers are reused once a file is removed; the time of birth
// distinguishes the old file from the new one.
type spot struct {
	major, minor uint32
	inode        uint64
	born         int64
	nanoseconds  uint32
}

// spotOf returns false if the file system does not record the time of birth.
func spotOf(path string) (spot, bool) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return spot{}, false
	}
	return spot{st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec}, true
}
