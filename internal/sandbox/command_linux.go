package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// marker is the name under which this program starts itself to put the rules on and become another program.
const marker = "socrates-sandbox"

// order is what the parent tells the child, through a file in memory.
type order struct {
	Rules  Rules
	Mounts bool // the child has a mount namespace of its own and may arrange it
	Path   string
	Args   []string // none: only try whether the rules can be put on
}

// enclose has cmd start this program, which puts the rules on itself and becomes what cmd was.
func enclose(cmd *exec.Cmd, r Rules) (*Run, error) {
	if err := holdable(); err != nil {
		return nil, err
	}
	if a := cmd.SysProcAttr; a != nil && (a.Cloneflags != 0 || a.Unshareflags != 0 || a.Credential != nil || a.Chroot != "") {
		return nil, errors.New("the sandbox cannot start a program that also changes its user, root or namespaces")
	}
	o := order{Rules: r, Path: cmd.Path, Args: cmd.Args, Mounts: namespaces() == nil}
	if len(o.Args) == 0 {
		o.Args = []string{cmd.Path}
	}
	run := &Run{}
	err := run.prepare(r, o.Mounts)
	if err == nil {
		err = o.give(cmd)
	}
	if err != nil {
		_, failed := run.End()
		return nil, errors.Join(err, failed)
	}
	return run, nil
}

// prepare puts in place what the child needs to find, or remembers how things are where the kernel will not hold them.
func (run *Run) prepare(r Rules, mounts bool) (err error) {
	if mounts {
		for _, p := range slices.Concat(r.Protect, r.Deny) {
			place, err := r.place(p)
			if err != nil {
				return err
			}
			if place != nil {
				run.placeholders = append(run.placeholders, *place)
			}
		}
		return nil
	}
	for _, p := range r.Deny {
		if r.root(p) != "" {
			return fmt.Errorf("%s cannot be hidden inside a folder that may be written: %w", p, namespaces())
		}
	}
	var inside []string
	for _, p := range r.Protect {
		if r.root(p) != "" {
			inside = append(inside, p)
		}
	}
	if len(inside) > 0 && !r.Watched {
		return fmt.Errorf("%s cannot be kept from being written inside a folder that may be: %w", inside[0], namespaces())
	}
	run.watch, err = look(inside)
	return err
}

// give turns cmd into a start of this program with the order.
func (o order) give(cmd *exec.Cmd) error {
	fd, err := unix.MemfdCreate(marker, unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("the rules of the sandbox cannot be handed over: %w", err)
	}
	// The file is closed with cmd, when nothing refers to it any longer.
	f := os.NewFile(uintptr(fd), marker)
	if err := json.NewEncoder(f).Encode(o); err != nil {
		return fmt.Errorf("the rules of the sandbox cannot be handed over: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("the rules of the sandbox cannot be handed over: %w", err)
	}
	cmd.Path = "/proc/self/exe"
	cmd.Args = []string{marker, strconv.Itoa(3 + len(cmd.ExtraFiles))}
	cmd.ExtraFiles = append(cmd.ExtraFiles[:len(cmd.ExtraFiles):len(cmd.ExtraFiles)], f)
	if o.Mounts {
		separate(cmd)
	}
	return nil
}

// separate gives cmd a mount namespace of its own. Who is not root gets it inside a user namespace, as himself.
func separate(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	a := cmd.SysProcAttr
	a.Cloneflags = unix.CLONE_NEWNS
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
}

// holdable says why rules cannot be held at all on this kernel, if so.
var holdable = sync.OnceValue(func() error {
	if _, ok := architectures[runtime.GOARCH]; !ok {
		return fmt.Errorf("the sandbox does not know the system calls of %s", runtime.GOARCH)
	}
	switch abi, err := landlockABI(); {
	case err != nil:
		return fmt.Errorf("the sandbox needs Landlock, which this kernel does not offer: %w", err)
	case abi < oldestABI:
		return fmt.Errorf("the sandbox needs Landlock of Linux 6.2 or later, and this kernel has an older one (%d of %d)", abi, oldestABI)
	}
	return nil
})

// namespaces says why a child cannot arrange its mounts, if so. It tries: what settings say differs between systems.
var namespaces = sync.OnceValue(func() error {
	cmd := &exec.Cmd{}
	if err := (order{Mounts: true}).give(cmd); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("this system lets no program of yours arrange its own mounts (%s)", reason(out, err))
	}
	return nil
})
