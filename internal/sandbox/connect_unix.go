//go:build linux || darwin

package sandbox

import "syscall"

// listen opens a port on this machine.
func listen() (port int, done func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, nil, err
	}
	done = func() { syscall.Close(fd) }
	syscall.CloseOnExec(fd)
	here := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if err = syscall.Bind(fd, here); err == nil {
		err = syscall.Listen(fd, 1)
	}
	if err == nil {
		var at syscall.Sockaddr
		if at, err = syscall.Getsockname(fd); err == nil {
			return at.(*syscall.SockaddrInet4).Port, done, nil
		}
	}
	done()
	return 0, nil, err
}

// connect tries to connect to the port.
func connect(port int) error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
}
