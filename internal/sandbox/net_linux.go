package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// Net is a network for several programs, which leads nowhere but to them. It is made when the first one needs it. No
// process keeps it: it is gone once it was closed, or we are gone, and the last program in it has ended. Ready to use as
// its zero value; safe for concurrent use.
type Net struct {
	mu        sync.Mutex
	net, user *os.File // user is nil for root, who needs none
}

// files are the network and the user namespace it belongs to.
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

// borrow takes the namespaces of a child, which then may end.
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
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	defer func() {
		in.Close()
		cmd.Wait()
		if err != nil && said.Len() > 0 {
			err = errors.New(strings.TrimSpace(said.String()))
		}
	}()
	if _, err = io.ReadFull(out, make([]byte, 1)); err != nil {
		return nil, nil, err
	}
	at := "/proc/" + strconv.Itoa(cmd.Process.Pid) + "/ns/"
	if net, err = os.Open(at + "net"); err == nil && os.Geteuid() != 0 {
		if user, err = os.Open(at + "user"); err != nil {
			net.Close()
		}
	}
	return net, user, err
}

// Close lets go of the network.
func (n *Net) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	for _, f := range []*os.File{n.net, n.user} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	n.net, n.user = nil, nil
	return err
}

// Serves says whether a program in the network waits for others at a port of the loopback; 0: at any.
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

// listens looks into the kernel's table of connections for one that waits.
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
