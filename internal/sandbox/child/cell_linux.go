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
	System []File // by whole path
	Listen []string
	Lead   []string
	Send   int // the file of the socket over which the listeners are sent
}

// File is a file, a link or a folder that is made.
type File struct {
	Name, Text, Link string
	Dir              bool
}

// texts are the cell as parts of an order: a letter and a text each. See Order.String for the other letters.
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

// cell reads a part of an order about a cell. Two parts of a kind that comes in pairs follow one another.
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

// serve opens the sockets that the program is to find and sends them to the parent, who waits for it there: a
// socket belongs to the network it was made in, whoever holds it. Without sockets the parent learns from the closed
// end that none come.
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

// open makes a socket at "tcp ADDRESS:PORT" or "udp ADDRESS:PORT". Privileged ports (53) can be bound because the
// namespace of the user grants CAP_NET_BIND_SERVICE.
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

// lead makes an address one of this network's own, as alias n of the loopback: what is sent to it arrives here.
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

// mount puts the home in its place, and the files of the system that the program is to find otherwise.
func (c *Cell) mount() error {
	if err := c.mountHome(); err != nil {
		return fmt.Errorf("cannot create the home folder: %w", err)
	}
	for _, f := range c.System {
		if err := f.replace(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s cannot be replaced: %w", f.Name, err)
		}
	}
	// Where a part of /proc is covered, as in many containers, the system does not let us mount another: then the program
	// sees the numbers of other processes, but reaches none.
	const still = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY
	if fd, err := system("proc", nil, still); err == nil {
		defer unix.Close(fd)
		return attach(fd, "/proc")
	}
	return nil
}

// mountHome puts a home in memory where the cell's is to be, if it has one, and fills it.
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

// make makes the file below a home that is mounted already. Folders on the way are made, too.
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

// replace covers a file of the system with another, which may only be read.
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

// system is a new file system, not yet attached.
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

// run starts the program and ends as it ends. This process is the first of its namespace: when it ends, the kernel ends
// all others in it, whatever they left or closed. Signals that the program's group gets are ignored here, lest this
// process end before the program could handle them.
func (o Order) run() error {
	pid, err := syscall.ForkExec(o.Path, o.Args, &syscall.ProcAttr{Env: o.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		return fmt.Errorf("%s cannot be started: %w", o.Path, err)
	}
	// what is meant for the program reaches it: they share a group
	signal.Ignore(unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM)
	if err := letGo(); err != nil {
		return err
	}
	for {
		var status unix.WaitStatus
		switch ended, err := unix.Wait4(-1, &status, 0, nil); {
		case err == unix.EINTR || err == nil && ended != pid: // somebody whose parent has ended
		case err != nil:
			return err
		case status.Signaled():
			os.Exit(128 + int(status.Signal()))
		default:
			os.Exit(status.ExitStatus())
		}
	}
}
