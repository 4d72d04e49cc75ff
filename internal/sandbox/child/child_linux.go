// Package child is what a process does to itself between being this program and becoming the one that is to run under
// rules. It imports little, so that its init runs before most others.
//
// The parent (package sandbox) starts this program again with [Marker] as its name and the number of an open file as
// its argument. The file contains an [Order]. init reads it and, in this order, because each step needs what a later
// one takes away:
//
//  1. joins the network that programs share, if there is one. This takes a second start, since only a process with a single
//     thread can enter a user namespace: see Order.join.
//  2. brings up its loopback, opens the sockets of a cell and sends them to the parent.
//  3. arranges mounts: everything read-only, then what may be written, and last what is protected, covered and denied.
//  4. drops capabilities, prevents new ones, sets limits.
//  5. applies Landlock and seccomp, for its thread and everything after.
//  6. executes the program. In a process namespace of its own it instead stays as the first process, which reaps
//     orphans and ends when the program ends; the kernel then ends the rest.
//
// Any failure is written to standard error with the prefix "sandbox:", and the exit code is 126. A program is never run
// with fewer rules than the order has. The order is trusted, because it comes from the parent; its paths are not, since
// a program that is already running may replace them: what may be written is opened without following links (direct),
// and for the rest the order has paths that the parent has resolved.
//
// Linux only. There is no state besides the process itself, and only ABI is meant to be called.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Marker is the name under which this program is started to become another one. The one argument is the number of the file with the order.
const Marker = "socrates-sandbox"

// init turns the process into the program. Because main does not call it, it runs before the initialization of other
// packages, which takes several times as long as all of this; and nobody can forget to call it.
func init() {
	if len(os.Args) < 2 || len(os.Args) > 3 || os.Args[0] != Marker {
		return
	}
	runtime.LockOSThread() // what follows binds a thread, and this one becomes the program
	if err := become(os.Args[1], len(os.Args) == 3); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(126)
	}
	os.Exit(0)
}

// become does not return if there is a program and all goes well. joined: this process is already in the user namespace
// of the order. If the order has no program (Args is empty), it returns nil once all rules are applied: this is how the
// parent tests a machine.
func become(arg string, joined bool) error {
	fd, err := strconv.Atoi(arg)
	if err != nil {
		return fmt.Errorf("cannot find the sandbox instructions: %w", err)
	}
	f := os.NewFile(uintptr(fd), Marker)
	text, err := io.ReadAll(f)
	if err != nil {
		return fmt.Errorf("cannot read the sandbox instructions: %w", err)
	}
	o, err := parse(string(text))
	if err != nil {
		return err
	}
	if o.User != 0 && !joined {
		return o.join(f)
	}
	f.Close()
	if o.Lend {
		return lend()
	}
	if err := o.apply(); err != nil {
		return err
	}
	switch {
	case len(o.Args) == 0:
		return nil
	case o.Cell != nil, o.Alone:
		return o.run()
	}
	if err := syscall.Exec(o.Path, o.Args, o.Env); err != nil {
		return fmt.Errorf("%s cannot be started: %w", o.Path, err)
	}
	return nil
}

// apply applies the rules to this thread. Each step takes something away that earlier ones need: mounts and networks
// need capabilities, and Landlock prevents mounting.
func (o Order) apply() error {
	if o.Own {
		if err := o.network(); err != nil {
			return err
		}
		if err := o.mount(); err != nil {
			return err
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("privileges cannot be dropped: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("privileges cannot be ruled out: %w", err)
	}
	for _, l := range o.Limits {
		// a lower limit is in force already
		if err := unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: l.Value, Max: l.Value}); err != nil && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("a limit cannot be set: %w", err)
		}
	}
	if err := o.landlock(); err != nil {
		return err
	}
	return o.seccomp()
}

// dropCapabilities leaves root only what is needed to work on other users' files, and everybody else nothing once the program starts.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		for c := uintptr(0); ; c++ {
			has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
			if err != nil {
				break // there are no more
			}
			if has == 0 || c == unix.CAP_DAC_OVERRIDE || c == unix.CAP_FOWNER || c == unix.CAP_CHOWN {
				continue
			}
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
				return err
			}
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return err
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	return unix.Capset(&head, &data[0])
}
