//go:build linux || darwin

package sandbox

import "syscall"

// connect tries to send to this machine by UDP, which succeeds whether or not anybody listens.
func connect() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return syscall.Connect(fd, &syscall.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
}
