package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// Cells returns why programs cannot have a Cell on this machine; nil: they can. It tries once and caches the result.
func Cells() error {
	if err := holdable(); err != nil {
		return err
	}
	return namespaces()
}

// order adds the cell to the child's order. The child sends its listeners over a socket that is added to cmd.
func (c *Cell) order(cmd *exec.Cmd, o *child.Order, run *Run) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := Cells(); err != nil {
		return fmt.Errorf("no cell: %w", err)
	}
	if home, err := os.Stat(c.Home); c.Home != "" && (err != nil || !home.IsDir()) {
		return fmt.Errorf("the home of a cell must be a folder: %s", c.Home)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("no cell: %w", err)
	}
	run.ours, run.theirs = os.NewFile(uintptr(pair[0]), "listeners"), os.NewFile(uintptr(pair[1]), "listeners")
	run.listeners, o.Network = len(c.Listen), false
	cmd.ExtraFiles = append(cmd.ExtraFiles, run.theirs)
	o.Cell = &child.Cell{Home: c.Home, Bytes: strconv.FormatInt(c.Bytes, 10), Listen: c.Listen, Lead: c.Lead, Send: 2 + len(cmd.ExtraFiles)}
	for _, f := range c.Files {
		o.Cell.Files = append(o.Cell.Files, child.File{Name: f.Name, Text: f.Text, Link: f.Link, Dir: f.Dir})
	}
	for at, text := range c.System {
		o.Cell.System = append(o.Cell.System, child.File{Name: at, Text: text})
	}
	return nil
}

// Listeners returns the sockets of Cell.Listen, in the network of the program. It must be called once, after the
// program was started, and waits until its network exists. The caller closes them.
func (r *Run) Listeners() ([]*os.File, error) {
	if r.ours == nil {
		return nil, nil
	}
	r.theirs.Close()
	defer r.ours.Close()
	if r.listeners == 0 {
		return nil, nil
	}
	return r.receive()
}

// Await is Listeners for a caller who does not start the program himself: serve is called with the sockets once the program's network
// exists, and never if it does not come to exist. It must be called once, before the program starts; End waits until serve has returned.
func (r *Run) Await(serve func(sockets []*os.File)) {
	r.awaited = make(chan struct{})
	go func() {
		defer close(r.awaited)
		if sockets, err := r.receive(); err == nil {
			serve(sockets)
		}
	}()
}

// settle ends what Await began; the program has ended, or will not be started.
func (r *Run) settle() {
	if r.awaited == nil {
		return
	}
	unix.Shutdown(int(r.ours.Fd()), unix.SHUT_RDWR) // a waiting receive gets no sockets
	<-r.awaited
	r.closeCell()
}

// receive waits for the sockets from the program's network.
func (r *Run) receive() ([]*os.File, error) {
	text, room := make([]byte, 1), make([]byte, unix.CmsgSpace(4*r.listeners))
	var n, got int
	var err error = unix.EINTR
	for errors.Is(err, unix.EINTR) {
		n, got, _, _, err = unix.Recvmsg(int(r.ours.Fd()), text, room, unix.MSG_CMSG_CLOEXEC)
	}
	if err == nil && n == 0 {
		err = errors.New("it ended before")
	}
	if err != nil {
		return nil, fmt.Errorf("the network of the program did not come up: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(room[:got])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("the network of the program did not come up: %w", errors.Join(err, unix.EBADMSG))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	var out []*os.File
	for _, fd := range fds {
		out = append(out, os.NewFile(uintptr(fd), "listener"))
	}
	return out, nil
}

// closeCell closes what is left of a program that was not started, so that nobody waits for its listeners.
func (r *Run) closeCell() {
	if r.ours != nil {
		r.ours.Close()
		r.theirs.Close()
	}
}
