package child

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// network moves this thread into its network, which leads nowhere unless the order has Network.
func (o Order) network() error {
	switch {
	case o.Net != 0:
		err := unix.Setns(o.Net, unix.CLONE_NEWNET)
		unix.Close(o.Net)
		if o.User != 0 && err == nil {
			unix.Close(o.User)
			err = unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_NEWIPC)
		}
		if err != nil {
			return fmt.Errorf("cannot join the network of the other programs: %w", err)
		}
	case !o.Network:
		if err := loopback(); err != nil {
			return fmt.Errorf("the loopback cannot be set up: %w", err)
		}
	}
	if o.Cell != nil {
		return o.Cell.serve()
	}
	return nil
}

// lend brings up a network and stays, so that the parent can take hold of it: it prints a line when ready, and ends
// when the parent closes its input.
func lend() error {
	if err := loopback(); err != nil {
		return fmt.Errorf("the loopback cannot be set up: %w", err)
	}
	os.Stdout.WriteString("\n")
	io.Copy(io.Discard, os.Stdin)
	return nil
}

// loopback brings up the only interface of this process's network namespace, which is down in a new one.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// join starts this program again inside the user namespace of the order, and exits with its status. Only a process with
// a single thread can enter such a namespace, and this one has several: it makes a copy of itself, which has one and
// enters. It returns only on errors.
func (o Order) join(order *os.File) error {
	if _, err := order.Seek(0, io.SeekStart); err != nil {
		return err
	}
	args, err := syscall.SlicePtrFromStrings(append(os.Args, "joined"))
	if err != nil {
		return err
	}
	broken := [2]int{}
	if err := unix.Pipe2(broken[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	c := copied{user: uintptr(o.User), parent: uintptr(os.Getpid()), report: uintptr(broken[1]), self: &[]byte("/proc/self/exe\x00")[0],
		args: &args[0], env: new(*byte)}
	c.head.Version = unix.LINUX_CAPABILITY_VERSION_3
	c.caps[0] = unix.CapUserData{Effective: 1 << unix.CAP_SYS_ADMIN, Permitted: 1 << unix.CAP_SYS_ADMIN,
		Inheritable: 1 << unix.CAP_SYS_ADMIN}
	for i := range c.all {
		c.all[i] = 0xff
	}
	pid, errno := c.enter()
	runtime.KeepAlive(args)
	unix.Close(broken[1])
	if errno == 0 {
		errno = report(broken[0])
	}
	if errno != 0 {
		return fmt.Errorf("cannot join the namespace of the other programs: %w", errno)
	}
	// Signals meant for the program reach it: they share a group.
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM)
	if err := letGo(); err != nil {
		return err
	}
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(pid, &status, 0, nil); err == nil {
			break
		} else if err != unix.EINTR {
			return err
		}
	}
	if status.Signaled() {
		os.Exit(128 + int(status.Signal()))
	}
	os.Exit(status.ExitStatus())
	return nil
}

// copied is what the copy needs, prepared in advance: the copy can neither allocate nor be scheduled.
type copied struct {
	user, parent, report uintptr
	self                 *byte
	args, env            **byte
	head                 unix.CapUserHeader
	caps                 [2]unix.CapUserData
	all, before          [8]byte // signals
	errno                syscall.Errno
}

// enter makes the copy. The copy may only make system calls until it is this program again, with the privilege to
// arrange its mounts. It dies with its parent.
//
//go:norace
//go:noinline
func (c *copied) enter() (pid int, errno syscall.Errno) {
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&c.all)),
		uintptr(unsafe.Pointer(&c.before)), 8, 0, 0)
	made, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || made != 0 {
		syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&c.before)), 0, 8, 0, 0)
		return int(made), errno
	}
	var ppid uintptr
	if _, _, c.errno = syscall.RawSyscall(unix.SYS_SETNS, c.user, unix.CLONE_NEWUSER, 0); c.errno != 0 {
		goto failed
	}
	if _, _, c.errno = syscall.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&c.head)), uintptr(unsafe.Pointer(&c.caps)),
		0); c.errno != 0 {
		goto failed
	}
	if _, _, c.errno = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN, 0, 0,
		0); c.errno != 0 {
		goto failed
	}
	if _, _, c.errno = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0); c.errno != 0 {
		goto failed
	}
	if ppid, _, c.errno = syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); ppid != c.parent {
		goto failed
	}
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&c.before)), 0, 8, 0, 0)
	_, _, c.errno = syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(c.self)), uintptr(unsafe.Pointer(c.args)),
		uintptr(unsafe.Pointer(c.env)))
failed:
	syscall.RawSyscall(unix.SYS_WRITE, c.report, uintptr(unsafe.Pointer(&c.errno)), unsafe.Sizeof(c.errno))
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 126, 0, 0)
	}
}

// report returns the error with which the copy failed; 0: it has become the program again.
func report(fd int) syscall.Errno {
	var errno syscall.Errno
	for {
		n, err := unix.Read(fd, unsafe.Slice((*byte)(unsafe.Pointer(&errno)), unsafe.Sizeof(errno)))
		if err == unix.EINTR {
			continue
		}
		unix.Close(fd)
		if n > 0 && errno == 0 {
			errno = unix.ESRCH
		}
		return errno
	}
}

// letGo closes the standard streams of a process that stays while the program runs: they belong to the program, and a
// process that writes to it must learn when nobody reads any longer.
func letGo() error {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup3(null, fd, 0); err != nil {
			return err
		}
	}
	return nil
}
