package sandbox

import (
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

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// enclose makes cmd start this program, which applies the rules to itself and becomes what cmd was. It fails rather
// than enforce less than the rules say, except for Limits and Group, which not every machine can enforce.
func enclose(cmd *exec.Cmd, r Rules) (*Run, error) {
	if err := holdable(); err != nil {
		return nil, err
	}
	if a := cmd.SysProcAttr; a != nil && (a.Cloneflags != 0 || a.Unshareflags != 0 || a.Credential != nil || a.Chroot != "") {
		return nil, errors.New("the sandbox cannot start a program that also changes its user, root or namespaces")
	}
	group, counted := r.Group.join(r.Limits)
	o := child.Order{Write: r.Write, Deny: r.Deny, Cover: r.Cover, Read: r.Read, Network: r.Network, Sockets: r.Sockets,
		Limits: r.Limits.resources(namespaces() == nil && os.Geteuid() != 0 && !counted), Grouped: group != nil, Own: namespaces() == nil,
		Alone: r.Alone && namespaces() == nil,
		Path:  cmd.Path, Args: cmd.Args, Env: cmd.Environ()}
	if len(o.Args) == 0 {
		o.Args = []string{cmd.Path}
	}
	for _, s := range r.Show {
		o.Show = append(o.Show, child.Shown{From: s.From, At: s.At})
	}
	for _, l := range r.Layers {
		o.Layers = append(o.Layers, child.Layer(l))
	}
	run := &Run{}
	var err error
	if o.Own {
		o.Hold, err = run.hold(r)
	} else {
		err = run.watchOver(r)
	}
	shared := r.Net
	if r.Network || !o.Own {
		shared = nil
	}
	if r.Cell != nil && err == nil {
		shared = nil
		err = r.Cell.order(cmd, &o, run)
	}
	if err == nil {
		err = give(cmd, o, shared)
	}
	if err != nil {
		run.closeCell()
		return nil, err
	}
	if group != nil {
		enter(cmd, group)
	}
	return run, nil
}

// resources are the limits in the kernel's terms. Without a user namespace the kernel would count processes that are not ours; a group
// counts them itself.
func (l Limits) resources(counted bool) (out []child.Limit) {
	for _, one := range []child.Limit{{Resource: unix.RLIMIT_NPROC, Value: uint64(l.Processes)},
		{Resource: unix.RLIMIT_DATA, Value: uint64(l.Memory)},
		{Resource: unix.RLIMIT_FSIZE, Value: uint64(l.File)}, {Resource: unix.RLIMIT_CPU, Value: uint64(l.Seconds)}} {
		if one.Value > 0 && (one.Resource != unix.RLIMIT_NPROC || counted) {
			out = append(out, one)
		}
	}
	return out
}

// hold returns what the child must keep in place, and records what is missing.
func (run *Run) hold(r Rules) (out []child.Step, err error) {
	seen := map[child.Step]bool{}
	for i, p := range slices.Concat(r.Protect, r.Deny) {
		way, err := r.way(p)
		if err != nil {
			return nil, err
		}
		for _, s := range way {
			switch {
			case s.missing && i < len(r.Protect):
				run.missing = append(run.missing, p)
			case !s.missing && !seen[s.Step]:
				seen[s.Step] = true
				out = append(out, s.Step)
			}
		}
	}
	return out, nil
}

// watchOver records the state of what the kernel cannot protect. Denied files inside writable folders are an error: it
// is too late to notice that a secret was read.
func (run *Run) watchOver(r Rules) (err error) {
	inside := func(p string) bool { return r.root(p) != "" }
	if i := slices.IndexFunc(r.Deny, inside); i >= 0 {
		return fmt.Errorf("%s cannot be hidden inside a writable folder: %w", r.Deny[i], namespaces())
	}
	if i := slices.IndexFunc(r.Protect, inside); i >= 0 && !r.Watched {
		return &Unprotected{r.Protect[i], namespaces()}
	}
	run.watch, err = look(r.Protect)
	return err
}

// give turns cmd into a start of this program with the order, in a shared network if there is one.
//
// The numbers of the files follow from their order in ExtraFiles: those the program itself inherits come first and keep
// theirs, then come the order and, if any, the network and its user namespace.
func give(cmd *exec.Cmd, o child.Order, shared *Net) error {
	next := 3 + len(cmd.ExtraFiles)
	files := slices.Clone(cmd.ExtraFiles)
	if shared != nil {
		net, user, err := shared.files()
		if err != nil {
			return err
		}
		files, o.Net = append(files, net), next+1
		if user != nil {
			files, o.User = append(files, user), next+2
		}
	}
	fd, err := unix.MemfdCreate(child.Marker, unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("cannot pass the sandbox rules to the program: %w", err)
	}
	// The file is closed with cmd, when nothing refers to it any longer.
	f := os.NewFile(uintptr(fd), child.Marker)
	if _, err := f.WriteString(o.String()); err != nil {
		return fmt.Errorf("cannot pass the sandbox rules to the program: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("cannot pass the sandbox rules to the program: %w", err)
	}
	cmd.Path = "/proc/self/exe"
	cmd.Args = []string{child.Marker, strconv.Itoa(next)}
	cmd.Env = []string{}
	cmd.ExtraFiles = slices.Insert(files, next-3, f)
	switch {
	case o.Lend:
		separate(cmd, unix.CLONE_NEWNET)
	case o.Cell != nil:
		separate(cmd, unix.CLONE_NEWNS|unix.CLONE_NEWNET|unix.CLONE_NEWPID|unix.CLONE_NEWIPC)
	case o.User != 0: // it is in namespaces once it has joined
	case o.Own:
		flags := uintptr(unix.CLONE_NEWNS | unix.CLONE_NEWIPC)
		if !o.Network && o.Net == 0 {
			flags |= unix.CLONE_NEWNET
		}
		if o.Alone {
			flags |= unix.CLONE_NEWPID
		}
		separate(cmd, flags)
	}
	if a := cmd.SysProcAttr; a != nil && len(a.AmbientCaps) > 0 && len(o.Layers) > 0 {
		a.AmbientCaps = append(a.AmbientCaps, unix.CAP_DAC_OVERRIDE) // to read what the kernel creates for a layer, which nobody may read
	}
	return nil
}

// separate gives cmd its own namespaces. If we are not root, they are inside a user namespace in which we keep our identity.
func separate(cmd *exec.Cmd, flags uintptr) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	a := cmd.SysProcAttr
	a.Cloneflags = flags
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE}
	}
}

// holdable returns why rules cannot be enforced at all on this kernel, if so. It asks the kernel once per process.
var holdable = sync.OnceValue(func() error {
	if _, ok := child.Architectures[runtime.GOARCH]; !ok {
		return fmt.Errorf("the sandbox does not know the system calls of %s", runtime.GOARCH)
	}
	switch abi, err := child.ABI(); {
	case err != nil:
		return fmt.Errorf("the sandbox needs Landlock, which this kernel does not offer: %w", err)
	case abi < child.OldestABI:
		return fmt.Errorf("the sandbox needs Landlock of Linux 6.2 or later, and this kernel has an older one (%d of %d)", abi,
			child.OldestABI)
	}
	return nil
})

// namespaces returns why a child cannot have its own mounts and network, if so. It tries: what settings say differs between systems.
var namespaces = sync.OnceValue(func() error {
	cmd := &exec.Cmd{}
	if err := give(cmd, child.Order{Own: true}, nil); err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	switch path := (*os.PathError)(nil); {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOSPC):
		err = errors.New("their number is limited")
	case errors.As(err, &path):
		err = path.Err
	}
	return fmt.Errorf("this system does not let your programs create namespaces (%s)", reason(out, err))
})
