package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// Net is a network for several programs, which leads nowhere but to them, so that a server which one call starts can be
// tested by the next. It is created when the first program needs it. No process keeps it alive: it disappears once it
// was closed, or we have ended, and the last program in it has ended. It is ready to use as its zero value and safe for
// concurrent use.
type Net struct {
	mu        sync.Mutex
	net, user *os.File // user is nil for root, who needs none
}

// files returns the network and its user namespace.
func (n *Net) files() (net, user *os.File, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.net != nil {
		return n.net, n.user, nil
	}
	if n.net, n.user, err = borrow(); err != nil {
		return nil, nil, fmt.Errorf("the programs of a conversation cannot share a network: %w", err)
	}
	return n.net, n.user, nil
}

// borrow takes over the namespaces of a child, which may then end: an open file keeps a namespace alive without a process.
func borrow() (net, user *os.File, err error) {
	cmd := &exec.Cmd{}
	if err := give(cmd, child.Order{Lend: true}, nil); err != nil {
		return nil, nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	defer func() {
		in.Close()
		cmd.Wait()
		if err != nil {
			err = errors.New(reason(said.Bytes(), err))
		}
	}()
	if _, err = io.ReadFull(out, make([]byte, 1)); err != nil {
		return nil, nil, err
	}
	at := "/proc/" + strconv.Itoa(cmd.Process.Pid) + "/ns/"
	if net, err = os.Open(at + "net"); err == nil && os.Geteuid() != 0 {
		if user, err = os.Open(at + "user"); err != nil {
			net.Close()
			net = nil
		}
	}
	return net, user, err
}

// Close kills what is still in the network and closes it.
func (n *Net) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.net != nil {
		n.end()
	}
	var err error
	for _, f := range []*os.File{n.net, n.user} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	n.net, n.user = nil, nil
	return err
}

// Serves reports whether a program in the network listens on a loopback port; 0: on any.
func (n *Net) Serves(port int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.net == nil {
		return false
	}
	var own unix.Stat_t
	if unix.Fstat(int(n.net.Fd()), &own) != nil {
		return false
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		var st unix.Stat_t
		if unix.Stat(p+"/ns/net", &st) == nil && st.Ino == own.Ino && st.Dev == own.Dev {
			return listens(p+"/net/tcp", port) || listens(p+"/net/tcp6", port)
		}
	}
	return false
}

// listens searches the kernel's table of connections (/proc/PID/net/tcp) for a listening one: state 0A is LISTEN, ports are hexadecimal.
func listens(table string, port int) bool {
	text, _ := os.ReadFile(table)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != "0A" {
			continue
		}
		_, at, _ := strings.Cut(fields[1], ":")
		if got, err := strconv.ParseInt(at, 16, 32); err == nil && (port == 0 || int(got) == port) {
			return true
		}
	}
	return false
}

// end kills the programs of the network, including those that took another environment, group, or their own namespaces.
// It repeats until it finds none, since a process it did not see may have forked, and gives up after a second.
func (n *Net) end() {
	net, user := inode(n.net), inode(n.user)
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		seen := false
		all, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range all {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			p, err := os.FindProcess(pid) // taken before the check, so that no other process is killed
			if err != nil {
				continue
			}
			if within(dir, net, user) {
				seen = p.Kill() == nil || seen
			}
			p.Release()
		}
		if !seen {
			return
		}
	}
}

// namespace identifies a namespace.
type namespace struct{ device, number uint64 }

// inode is the identity of an open namespace; the zero value if there is none.
func inode(f *os.File) (out namespace) {
	var st unix.Stat_t
	if f != nil && unix.Fstat(int(f.Fd()), &st) == nil {
		out = namespace{st.Dev, st.Ino}
	}
	return out
}

// within reports whether a process is in a network, or in a user namespace or one created inside it.
func within(dir string, net, user namespace) bool {
	var st unix.Stat_t
	if unix.Stat(dir+"/ns/net", &st) != nil {
		return false
	}
	if net == (namespace{st.Dev, st.Ino}) {
		return true
	}
	if user == (namespace{}) {
		return false
	}
	fd, err := unix.Open(dir+"/ns/user", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	for err == nil {
		if failed := unix.Fstat(fd, &st); failed != nil || user == (namespace{st.Dev, st.Ino}) {
			unix.Close(fd)
			return failed == nil
		}
		var outer int
		outer, err = unix.IoctlRetInt(fd, unix.NS_GET_PARENT) // an error: it is the outermost one that we may see
		unix.Close(fd)
		fd = outer
	}
	return false
}
