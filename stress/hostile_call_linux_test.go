package stress_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// raw makes a system call by its number.
func raw(call uintptr, a ...uintptr) (uintptr, error) {
	var b [6]uintptr
	copy(b[:], a)
	r, _, errno := unix.Syscall6(call, b[0], b[1], b[2], b[3], b[4], b[5])
	if errno != 0 {
		return r, errno
	}
	return r, nil
}

func text(s string) uintptr { p, _ := unix.BytePtrFromString(s); return uintptr(unsafe.Pointer(p)) }

func victim() int { pid, _ := strconv.Atoi(os.Getenv("VIC")); return pid }

func at(name string) string { return filepath.Join(os.Getenv("HOME"), name) }

// spoil appends to a file.
func spoil(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString("evil")
	}
	return err
}

// show prints a file.
func show(path string) error {
	data, err := os.ReadFile(path)
	os.Stdout.Write(data)
	return err
}

// inUserNamespace runs this program's call again in new namespaces, in which it is root.
func inUserNamespace(call string) error {
	self, _ := os.Executable()
	cmd := exec.Command(self, "hostile", "call", call)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}}
	return cmd.Run()
}

func writable(path string) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
}

// everyProcess does something with what /proc has of each.
func everyProcess(part string, do func(path string) error) (err error) {
	all, _ := filepath.Glob("/proc/[0-9]*/" + part)
	for _, p := range all {
		err = errors.Join(err, do(p))
	}
	return err
}

func join(kind int, then func()) func(string) error {
	return func(path string) error {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		done := make(chan error)
		go func() {
			runtime.LockOSThread()
			err := errors.Join(unix.Unshare(unix.CLONE_FS), unix.Setns(fd, kind))
			if err == nil {
				then()
			}
			done <- err
		}()
		return <-done
	}
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	c.Write([]byte("evil"))
	return c.Close()
}

// memoryOf prints what the memory of a process holds of secrets.
func memoryOf(pid int, read func(address uintptr, into []byte) (int, error)) error {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if fmt.Sscanf(line, "%x-%x r", &from, &to); to == 0 || to-from > 64<<20 {
			continue
		}
		data := make([]byte, to-from)
		n, err := read(from, data)
		if i := strings.Index(string(data[:max(n, 0)]), "heron"+os.Getenv("TOK")); err == nil && i >= 0 {
			fmt.Printf("%s\n", data[i:min(n, i+60)])
		}
	}
	return nil
}

func byFile(pid int) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return err
	}
	return memoryOf(pid, func(a uintptr, into []byte) (int, error) { return f.ReadAt(into, int64(a)) })
}

// calls are the attempts that need system calls of their own.
var calls = map[string]func() error{
	"openat2": func() error {
		fd, err := unix.Openat2(unix.AT_FDCWD, "../notes", &unix.OpenHow{Flags: unix.O_WRONLY | unix.O_APPEND})
		unix.Write(fd, []byte("evil"))
		return err
	},
	"openat2-magic": func() error {
		fd, err := unix.Openat2(unix.AT_FDCWD, "/proc/self/root"+at("notes"), &unix.OpenHow{Flags: unix.O_WRONLY | unix.O_APPEND})
		unix.Write(fd, []byte("evil"))
		return err
	},
	"openat2-env": func() error {
		for _, resolve := range []uint64{0, unix.RESOLVE_BENEATH, unix.RESOLVE_NO_XDEV, unix.RESOLVE_IN_ROOT} {
			if fd, err := unix.Openat2(unix.AT_FDCWD, "deep/../.env", &unix.OpenHow{Flags: unix.O_RDONLY, Resolve: resolve}); err == nil {
				b := make([]byte, 999)
				n, _ := unix.Read(fd, b)
				os.Stdout.Write(b[:max(n, 0)])
			}
		}
		return nil
	},
	"dirty-pipe": func() error {
		fd, err := unix.Open(at("notes"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		var p [2]int
		unix.Pipe(p[:])
		off := int64(0)
		_, err = unix.Splice(fd, &off, p[1], nil, 1, 0)
		unix.Write(p[1], []byte("evil"))
		return err
	},
	"fchmodat2": func() error {
		fd, _ := unix.Open(at("notes"), unix.O_PATH, 0)
		_, err := raw(unix.SYS_FCHMODAT2, uintptr(fd), text(""), 0o777, unix.AT_EMPTY_PATH)
		return errors.Join(err, unix.Fchmodat(unix.AT_FDCWD, at("notes"), 0o777, 0))
	},
	"mount-setattr":      func() error { return errors.Join(writable("/"), writable(at("")), spoil(at("notes"))) },
	"mount-setattr-user": func() error { return inUserNamespace("mount-setattr") },
	"mount-setattr-git": func() error {
		return errors.Join(writable(".git"), spoil(".git/config"), inUserNamespace("mount-setattr-git-2"))
	},
	"mount-setattr-git-2": func() error {
		return errors.Join(writable(".git"), unix.Unmount(".git", unix.MNT_DETACH), spoil(".git/config"))
	},
	"open-tree": func() error {
		return errors.Join(openTree(at("notes"), "tr"), spoil("tr"), inUserNamespace("open-tree-2"))
	},
	"open-tree-2":    func() error { return errors.Join(openTree(at("notes"), "tr2"), writable("tr2"), spoil("tr2")) },
	"open-tree-read": func() error { return errors.Join(openTree(".", "/mnt"), inUserNamespace("open-tree-read-2")) },
	"open-tree-read-2": func() error {
		os.Mkdir("trd", 0o700)
		return errors.Join(openTree(".", "trd"), show("trd/.env"), show("/mnt/.env"), openTree("..", "trd"), show("trd/.netrc"))
	},
	"umount-env": func() error {
		return errors.Join(unix.Unmount(".env", unix.MNT_DETACH), show(".env"), inUserNamespace("umount-env-2"))
	},
	"umount-env-2": func() error {
		return errors.Join(unix.Unmount(".env", unix.MNT_DETACH), unix.Unmount(at(""), unix.MNT_DETACH), show(".env"), show(at(".netrc")))
	},
	"pivot-root": func() error { return errors.Join(pivot(), inUserNamespace("pivot-root-2")) },
	"pivot-root-2": func() error {
		return errors.Join(unix.Mount(".", ".", "", unix.MS_BIND, ""), pivot(), spoil("/old"+at("notes")))
	},
	"chroot-back": func() error {
		os.Mkdir("jail", 0o700)
		return errors.Join(unix.Chroot("jail"), unix.Chdir("../../../../../../.."), unix.Chroot("."), spoil(at("notes")), inUserNamespace("chroot-back-2"))
	},
	"chroot-back-2": func() error {
		os.Mkdir("jail2", 0o700)
		home := at("notes")
		return errors.Join(unix.Chroot("jail2"), unix.Chdir("../../../../../../.."), unix.Chroot("."), spoil(home))
	},
	"setns-all": func() error {
		return errors.Join(everyProcess("ns/mnt", join(unix.CLONE_NEWNS, func() { spoil(at("notes")) })), everyProcess("ns/user", join(unix.CLONE_NEWUSER, func() { spoil(at("notes")) })))
	},
	"setns-net": func() error {
		return everyProcess("ns/net", join(unix.CLONE_NEWNET, func() { dial("tcp", "127.0.0.1:"+os.Getenv("PORT")) }))
	},
	"handle": func() error {
		h, id, err := unix.NameToHandleAt(unix.AT_FDCWD, at("notes"), 0)
		if err != nil {
			return err
		}
		_ = id
		dir, _ := unix.Open("/", unix.O_RDONLY, 0)
		fd, err := unix.OpenByHandleAt(dir, h, unix.O_WRONLY|unix.O_APPEND)
		unix.Write(fd, []byte("evil"))
		return err
	},
	"handle-read": func() error {
		h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, ".env", 0)
		if err != nil {
			return err
		}
		dir, _ := unix.Open(".", unix.O_RDONLY, 0)
		fd, err := unix.OpenByHandleAt(dir, h, unix.O_RDONLY)
		b := make([]byte, 999)
		n, _ := unix.Read(fd, b)
		os.Stdout.Write(b[:max(n, 0)])
		return err
	},
	"ring":        ring,
	"ring-read":   ring,
	"ring-socket": ring,
	"tcp":         func() error { return dial("tcp", "127.0.0.1:"+os.Getenv("PORT")) },
	"pair-connect": func() error {
		p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		raw(unix.SYS_CONNECT, uintptr(p[0]), text("\x00\x00"), 2) // lets go of its other end
		err = errors.Join(unix.Connect(p[0], &unix.SockaddrUnix{Name: os.Getenv("SOCK")}), unix.Connect(p[1], &unix.SockaddrUnix{Name: "@" + os.Getenv("ABS")}))
		unix.Write(p[0], []byte("evil"))
		return err
	},
	"pair-send": func() error {
		p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return errors.Join(unix.Sendto(p[0], []byte("evil"), 0, &unix.SockaddrUnix{Name: os.Getenv("SOCK") + "d"}), unix.Connect(p[0], &unix.SockaddrUnix{Name: os.Getenv("SOCK") + "d"}),
			unix.Sendto(p[0], []byte("evil"), 0, nil), unix.Sendto(p[1], []byte("evil"), 0, &unix.SockaddrUnix{Name: "@" + os.Getenv("ABS") + "d"}))
	},
	"x32-socket": func() error {
		fd, err := raw(0x40000000+unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Connect(int(fd), &unix.SockaddrUnix{Name: os.Getenv("SOCK")})
	},
	"socketcall": func() error { return oldCall(102) },
	"pidfd-getfd": func() error {
		pid, err := unix.PidfdOpen(victim(), 0)
		if err != nil {
			return err
		}
		for i := range 20 {
			fd, failed := unix.PidfdGetfd(pid, i, 0)
			if err = errors.Join(err, failed); failed == nil {
				b := make([]byte, 999)
				n, _ := unix.Pread(fd, b, 0)
				os.Stdout.Write(b[:max(n, 0)])
				unix.Write(fd, []byte("evil"))
			}
		}
		return err
	},
	"pidfd-signal": func() error {
		pid, err := unix.PidfdOpen(victim(), 0)
		return errors.Join(err, unix.PidfdSendSignal(pid, unix.SIGKILL, nil, 0))
	},
	"mem-parent": func() error { return byFile(os.Getppid()) },
	"mem-victim": func() error { return byFile(victim()) },
	"vm-readv": func() error {
		return memoryOf(victim(), func(a uintptr, into []byte) (int, error) {
			return unix.ProcessVMReadv(victim(), []unix.Iovec{iovec(into)}, []unix.RemoteIovec{{Base: a, Len: len(into)}}, 0)
		})
	},
	"vm-writev": func() error {
		b := []byte("evil")
		_, err := unix.ProcessVMWritev(victim(), []unix.Iovec{{Base: &b[0], Len: 4}}, []unix.RemoteIovec{{Base: 0x400000, Len: 4}}, 0)
		return err
	},
	"ptrace-victim": func() error { return unix.PtraceAttach(victim()) },
	"ptrace-seize":  func() error { return unix.PtraceSeize(victim()) },
	"keyctl": func() error {
		id, err := unix.KeyctlSearch(unix.KEY_SPEC_USER_KEYRING, "user", "heron"+os.Getenv("TOK"), 0)
		b := make([]byte, 999)
		n, _ := unix.KeyctlBuffer(unix.KEYCTL_READ, id, b, 0)
		os.Stdout.Write(b[:max(n, 0)])
		return err
	},
	"keyctl-add": func() error {
		id, err := unix.AddKey("user", "evil"+os.Getenv("TOK"), []byte("evil"), unix.KEY_SPEC_USER_KEYRING)
		if err == nil {
			os.WriteFile("loot/key", []byte(strconv.Itoa(id)), 0o600)
		}
		return err
	},
	"shm-person": func() error {
		for id := range 100 {
			if a, err := raw(unix.SYS_SHMAT, uintptr(id), 0, unix.SHM_RDONLY); err == nil {
				fmt.Println(id, a)
			}
		}
		return nil
	},
	"perf": func() error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE}, victim(), -1, -1, 0)
		return err
	},
	"bpf": func() error {
		var a [128]byte
		_, err := raw(unix.SYS_BPF, 5, uintptr(unsafe.Pointer(&a)), 128)
		return err
	},
	"userfaultfd":     func() error { _, err := raw(unix.SYS_USERFAULTFD, 0); return err },
	"personality":     func() error { _, err := raw(unix.SYS_PERSONALITY, 0x0040000); return err },
	"process-madvise": func() error { _, err := raw(unix.SYS_PROCESS_MADVISE, 3, 0, 0, 20, 0); return err },
	"migrate": func() error {
		mask := uint64(1)
		_, err := raw(unix.SYS_MIGRATE_PAGES, uintptr(victim()), 64, uintptr(unsafe.Pointer(&mask)), uintptr(unsafe.Pointer(&mask)))
		_, err2 := raw(unix.SYS_MOVE_PAGES, uintptr(victim()), 0, 0, 0, 0, 0)
		return errors.Join(err, err2)
	},
	"setpriority-user": func() error {
		return errors.Join(unix.Setpriority(unix.PRIO_PROCESS, victim(), 19), unix.Setpriority(unix.PRIO_USER, os.Getuid(), 19), unix.Setpriority(unix.PRIO_PGRP, victim(), 19),
			unix.Setpriority(unix.PRIO_USER, 0, 19))
	},
	"clone-signal": func() error { // whose end tells the parent with a signal of its choice
		_, err := raw(unix.SYS_CLONE, uintptr(unix.CLONE_PARENT|unix.SIGKILL), 0, 0, 0, 0)
		return err
	},
	"clone-parent": func() error {
		pid, err := raw(unix.SYS_CLONE, uintptr(unix.CLONE_PARENT|unix.SIGCHLD), 0, 0, 0, 0)
		if err == nil && pid == 0 {
			raw(unix.SYS_SETSID)
			unix.Exec("/bin/sleep", []string{"sleep", os.Getenv("TOK")}, nil)
		}
		return err
	},
	"vfork-daemon": func() error {
		cmd := exec.Command("sleep", os.Getenv("TOK"))
		cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Pdeathsig: 0}
		return cmd.Start()
	},
	"machine": func() error {
		_, e1 := raw(unix.SYS_INIT_MODULE, 0, 0, text(""))
		_, e2 := raw(unix.SYS_SWAPON, text("/dev/vda"), 0)
		_, e3 := raw(unix.SYS_ACCT, text(at("notes")))
		_, e4 := raw(unix.SYS_SETHOSTNAME, text("evil"), 4)
		return errors.Join(e1, e2, e3, e4)
	},
	"threads": func() error {
		for i := range 300 {
			go func() { runtime.LockOSThread(); select {} }()
			_ = i
		}
		runtime.Gosched()
		return nil
	},
}

// oldCall makes one of the calls of 32-bit programs; where there is no such way it is the 64-bit one of that number.
func oldCall(number uintptr) error {
	args := [3]uint32{unix.AF_UNIX, unix.SOCK_STREAM, 0}
	_, err := raw(number, 1, uintptr(unsafe.Pointer(&args)))
	return err
}

// ring sets up an asynchronous ring; nothing is asked of it, because there must be none.
func ring() error {
	var params [120]byte
	fd, err := raw(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params)))
	if err == nil {
		os.WriteFile("loot/ring", []byte(strconv.Itoa(int(fd))), 0o600)
	}
	return err
}

func openTree(from, to string) error {
	os.WriteFile(to, nil, 0o600)
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE)
	if err != nil {
		return err
	}
	return unix.MoveMount(fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func pivot() error {
	os.Mkdir("old", 0o700)
	return unix.PivotRoot(".", "old")
}

// iovec is a piece of our memory. The width of its length is the processor's.
func iovec(of []byte) unix.Iovec {
	v := unix.Iovec{Base: &of[0]}
	v.SetLen(len(of))
	return v
}
