package workspace

import "golang.org/x/sys/windows"

// Free returns how many bytes this user can still write to the disk of a folder.
func Free(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free, all, whole uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, &all, &whole)
	return int64(free), err
}
