package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// init is where a process that Command started becomes the program. That it is no function which main calls saves
// the 5 ms that the other packages need to get ready, and nobody can forget to call it.
func init() {
	if len(os.Args) != 2 || os.Args[0] != marker {
		return
	}
	runtime.LockOSThread() // what follows binds a thread, and this is the one that becomes the program
	code, err := become(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
	}
	os.Exit(code)
}

// become does not return if all goes well.
func become(arg string) (int, error) {
	fd, err := strconv.Atoi(arg)
	if err != nil {
		return 126, fmt.Errorf("which file holds the rules? %w", err)
	}
	f := os.NewFile(uintptr(fd), marker)
	var o order
	if err := json.NewDecoder(f).Decode(&o); err != nil {
		return 126, fmt.Errorf("the rules cannot be read: %w", err)
	}
	f.Close()
	if err := o.apply(); err != nil {
		return 126, err
	}
	if len(o.Args) == 0 {
		return 0, nil
	}
	err = syscall.Exec(o.Path, o.Args, os.Environ())
	return 126, fmt.Errorf("%s cannot be started: %w", o.Path, err)
}

// apply puts the rules on this thread. Each step takes something away, and the earlier ones need what later ones take.
func (o order) apply() error {
	if o.Mounts {
		if err := o.Rules.mount(); err != nil {
			return err
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("privileges cannot be dropped: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("privileges cannot be ruled out: %w", err)
	}
	if err := o.Rules.landlock(o.Mounts); err != nil {
		return err
	}
	return o.Rules.seccomp()
}

// dropCapabilities leaves root only what is needed to work on files of others, and everybody else nothing once the
// program starts.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		for c := uintptr(0); ; c++ {
			if c == unix.CAP_DAC_OVERRIDE || c == unix.CAP_FOWNER || c == unix.CAP_CHOWN {
				continue
			}
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EINVAL && c > unix.CAP_DAC_READ_SEARCH {
				break // there are no more
			} else if err != nil {
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
