package child

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Cell is what the program has to itself: see sandbox.Cell.
type Cell struct {
	Home   string
	Bytes  string
	Files  []File
	System []File // by absolute path
	Listen []string
	Lead   []string
	Send   int // number of the socket over which the listeners are sent
}

// File is a file, a link or a folder to create.
type File struct {
	Name, Text, Link string
	Dir              bool
}

// texts passes the cell to put as parts of an order: a letter and a text each. See Order.String for the other letters.
func (c *Cell) texts(put func(kind byte, texts ...string)) {
	if c.Home != "" {
		put('H', c.Home, c.Bytes)
	}
	for _, f := range c.Files {
		switch {
		case f.Dir:
			put('D', f.Name)
		case f.Link != "":
			put('L', f.Name, f.Link)
		default:
			put('F', f.Name, f.Text)
		}
	}
	for _, f := range c.System {
		put('S', f.Name, f.Text)
	}
	put('Q', c.Listen...)
	put('G', c.Lead...)
	put('X', fmt.Sprint(c.Send))
}

// cell parses a part of an order about a cell. Kinds that consist of two parts come as two parts in a row.
func (o *Order) cell(kind byte, text string) error {
	if o.Cell == nil {
		o.Cell = &Cell{}
	}
	c := o.Cell
	pair := func(all *[]File, second func(*File)) {
		if o.half = !o.half; o.half {
			*all = append(*all, File{Name: text})
			return
		}
		second(&(*all)[len(*all)-1])
	}
	switch kind {
	case 'H':
		if c.Home == "" {
			c.Home = text
		} else {
			c.Bytes = text
		}
	case 'D':
		c.Files = append(c.Files, File{Name: text, Dir: true})
	case 'L':
		pair(&c.Files, func(f *File) { f.Link = text })
	case 'F':
		pair(&c.Files, func(f *File) { f.Text = text })
	case 'S':
		pair(&c.System, func(f *File) { f.Text = text })
	case 'Q':
		c.Listen = append(c.Listen, text)
	case 'G':
		c.Lead = append(c.Lead, text)
	case 'X':
		_, err := fmt.Sscan(text, &c.Send)
		return err
	default:
		return fmt.Errorf("unknown sandbox instruction %q", string(kind)+text)
	}
	return nil
}

// serve opens the sockets for the program and sends them to the parent, who waits for them: a socket belongs to the
// network in which it was created, whoever holds it. If there are none, the parent learns that from the closed end.
func (c *Cell) serve() error {
	defer unix.Close(c.Send)
	for i, ip := range c.Lead {
		if err := lead(i+1, ip); err != nil {
			return fmt.Errorf("cannot redirect %s to the loopback: %w", ip, err)
		}
	}
	var fds []int
	for _, at := range c.Listen {
		fd, err := open(at)
		if err != nil {
			return fmt.Errorf("cannot listen at %s: %w", at, err)
		}
		defer unix.Close(fd)
		fds = append(fds, fd)
	}
	if len(fds) == 0 {
		return nil
	}
	return unix.Sendmsg(c.Send, []byte{1}, unix.UnixRights(fds...), nil, 0)
}

// open creates a socket for "tcp ADDRESS:PORT" or "udp ADDRESS:PORT". Privileged ports (53) can be bound because the
// user namespace grants CAP_NET_BIND_SERVICE.
func open(at string) (fd int, err error) {
	network, rest, _ := strings.Cut(at, " ")
	where, err := netip.ParseAddrPort(rest)
	if err != nil {
		return -1, err
	}
	family, kind := unix.AF_INET, unix.SOCK_STREAM
	if network == "udp" {
		kind = unix.SOCK_DGRAM
	}
	var to unix.Sockaddr
	if ip := where.Addr().Unmap(); ip.Is4() {
		to = &unix.SockaddrInet4{Port: int(where.Port()), Addr: ip.As4()}
	} else {
		family, to = unix.AF_INET6, &unix.SockaddrInet6{Port: int(where.Port()), Addr: where.Addr().As16()}
	}
	if fd, err = unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, err
	}
	if err = unix.Bind(fd, to); err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// lead makes an address local to this network, as alias n of the loopback: what is sent to it arrives here.
func lead(n int, ip string) error {
	addr, err := netip.ParseAddr(ip)
	if err != nil || !addr.Is4() {
		return errors.New("only an IPv4 address can be")
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq(fmt.Sprintf("lo:%d", n))
	if err != nil {
		return err
	}
	four := addr.As4()
	if err := lo.SetInet4Addr(four[:]); err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFADDR, lo); err != nil {
		return err
	}
	if err := lo.SetInet4Addr([]byte{255, 255, 255, 255}); err != nil { // not its whole network
		return err
	}
	return unix.IoctlIfreq(fd, unix.SIOCSIFNETMASK, lo)
}

// mount mounts the home, and the system files that the program sees with other content.
func (c *Cell) mount() error {
	if err := c.mountHome(); err != nil {
		return fmt.Errorf("cannot create the home folder: %w", err)
	}
	for _, f := range c.System {
		if err := f.replace(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s cannot be replaced: %w", f.Name, err)
		}
	}
	// If a part of /proc is covered, as in many containers, the system does not let us mount another /proc: then the
	// program sees the numbers of other processes, but cannot reach them.
	const still = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY
	if fd, err := system("proc", nil, still); err == nil {
		defer unix.Close(fd)
		return attach(fd, "/proc")
	}
	return nil
}

// mountHome mounts a home in memory in the cell's place for it, if it has one, and fills it.
func (c *Cell) mountHome() error {
	if c.Home == "" {
		return nil
	}
	fd, err := system("tmpfs", map[string]string{"mode": "0700", "size": c.Bytes}, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := attach(fd, c.Home); err != nil {
		return err
	}
	for _, f := range c.Files {
		if err := f.make(c.Home); err != nil {
			return err
		}
	}
	return nil
}

// make creates the file below a home that is mounted already, with the folders above it.
func (f File) make(home string) error {
	at := filepath.Join(home, f.Name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	switch {
	case f.Dir:
		return os.MkdirAll(at, 0o700)
	case f.Link != "":
		return os.Symlink(f.Link, at)
	}
	return os.WriteFile(at, []byte(f.Text), 0o600)
}

// replace covers a system file with another one, which is read-only.
func (f File) replace() error {
	at, err := filepath.EvalSymlinks(f.Name)
	if err != nil {
		return err
	}
	dir, err := emptyFolder("0755", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	fd, err := unix.Openat(dir, "file", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte(f.Text))
	unix.Close(fd)
	if err != nil {
		return err
	}
	file, err := unix.OpenTree(dir, "file", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(file)
	if err := unix.MountSetattr(file, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	return attach(file, at)
}

// system creates a new file system, not yet attached.
func system(kind string, options map[string]string, attributes int) (int, error) {
	fd, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	for name, value := range options {
		set := func() error { return unix.FsconfigSetString(fd, name, value) }
		if value == "" {
			set = func() error { return unix.FsconfigSetFlag(fd, name) }
		}
		if err := set(); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(fd); err != nil {
		return -1, err
	}
	return unix.Fsmount(fd, unix.FSMOUNT_CLOEXEC, attributes)
}

// run starts the program and exits with its status. This process is the first of its namespace: when it ends, the
// kernel ends all others in it, whatever they left or closed. It ignores the signals that the program's group gets, so
// that it does not end before the program can handle them.
func (o Order) run() error {
	pid, err := syscall.ForkExec(o.Path, o.Args, &syscall.ProcAttr{Env: o.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		return fmt.Errorf("%s cannot be started: %w", o.Path, err)
	}
	// Signals meant for the program reach it: they share a group.
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM)
	if err := letGo(); err != nil {
		return err
	}
	for {
		var status unix.WaitStatus
		switch ended, err := unix.Wait4(-1, &status, 0, nil); {
		case err == unix.EINTR || err == nil && ended != pid: // a process whose parent has ended
		case err != nil:
			return err
		case status.Signaled():
			os.Exit(128 + int(status.Signal()))
		default:
			os.Exit(status.ExitStatus())
		}
	}
}
