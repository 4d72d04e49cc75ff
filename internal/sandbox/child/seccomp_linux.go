package child

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Architectures are those whose system calls the filter knows.
var Architectures = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}

// refused are calls that bypass the rules, or reach what the kernel keeps for the user (keys): other processes' memory
// and files, system calls that the filter does not see (io_uring), files by handle instead of by path.
var refused = []uint32{
	unix.SYS_PTRACE, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_KCMP, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_PIDFD_GETFD,
	unix.SYS_OPEN_BY_HANDLE_AT,
}

// ofItself are calls that limit, reschedule or move a process, with the number of the argument that says which: a
// program may only do so to itself, which is 0. Its own number, or a thread's, cannot be told from another's and is
// refused.
var ofItself = map[uint32]uint32{
	unix.SYS_PRLIMIT64: 0, unix.SYS_SETPRIORITY: 1, unix.SYS_IOPRIO_SET: 1, unix.SYS_SCHED_SETAFFINITY: 0, unix.SYS_SCHED_SETSCHEDULER: 0,
	unix.SYS_SCHED_SETPARAM: 0, unix.SYS_SCHED_SETATTR: 0, unix.SYS_MIGRATE_PAGES: 0, unix.SYS_MOVE_PAGES: 0,
}

// ofUser are the calls of ofItself that can apply to all processes of a user, for which 0 also stands: the value of the first argument
// that says so.
var ofUser = map[uint32]uint32{unix.SYS_SETPRIORITY: unix.PRIO_USER, unix.SYS_IOPRIO_SET: 3}

// shared are calls for memory, semaphores and messages that all programs of a machine share, if the program has no
// namespace of its own for them. They include calls that use an existing one, since its number can be guessed.
var shared = []uint32{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMCTL, unix.SYS_SEMOP,
	unix.SYS_SEMTIMEDOP, unix.SYS_MSGGET, unix.SYS_MSGCTL, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}

// Offsets in the data that the kernel passes to the filter; only the lower half of an argument is checked, as the calls themselves do.
const (
	callNumber   = 0
	callArch     = 4
	callArgument = 16
)

// filter is a program for the kernel's packet filter.
type filter []unix.SockFilter

func (f *filter) load(offset uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (f *filter) answer(a uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: a})
}

// when adds a branch for the case that the loaded value compares with k. Jf counts instructions in eight bits, so a
// branch has at most 255 of them.
func (f *filter) when(compare uint16, k uint32, then filter) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, K: k, Jf: uint8(len(then))})
	*f = append(*f, then...)
}

// answer returns a filter that returns a verdict.
func answer(a uint32) (f filter) { f.answer(a); return f }

func refusal(errno unix.Errno) filter { return answer(unix.SECCOMP_RET_ERRNO | uint32(errno)) }

// filter allows all calls except those that open connections which the rules do not allow, that bypass the rules, or
// that type into the user's terminal.
func (o Order) filter() (f filter) {
	f.load(callArch)
	f.when(unix.BPF_JEQ, Architectures[runtime.GOARCH], filter{{Code: unix.BPF_JMP | unix.BPF_JA, K: 1}})
	f.answer(unix.SECCOMP_RET_KILL_PROCESS)
	f.load(callNumber)
	if runtime.GOARCH == "amd64" {
		f.when(unix.BPF_JGE, 0x40000000, refusal(unix.ENOSYS)) // the same calls under other numbers
	}
	for _, call := range refused {
		f.when(unix.BPF_JEQ, call, refusal(unix.EPERM))
	}
	if o.Grouped { // it could start a process in another group without write access to its files; programs then use clone
		f.when(unix.BPF_JEQ, unix.SYS_CLONE3, refusal(unix.ENOSYS))
	}
	if !o.Own {
		for _, call := range shared {
			f.when(unix.BPF_JEQ, call, refusal(unix.EPERM))
		}
	}
	for call, argument := range ofItself {
		var which filter
		if user, ok := ofUser[call]; ok {
			which.load(callArgument)
			which.when(unix.BPF_JEQ, user, refusal(unix.EPERM))
		}
		which.load(callArgument + 8*argument)
		which.when(unix.BPF_JEQ, 0, answer(unix.SECCOMP_RET_ALLOW))
		f.when(unix.BPF_JEQ, call, append(which, refusal(unix.EPERM)...))
	}
	var families filter
	families.load(callArgument)
	if o.Sockets {
		families.when(unix.BPF_JEQ, unix.AF_UNIX, answer(unix.SECCOMP_RET_ALLOW))
	}
	if o.Network || o.Own { // its own network leads nowhere
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
			families.when(unix.BPF_JEQ, family, answer(unix.SECCOMP_RET_ALLOW))
		}
	}
	families = append(families, refusal(unix.EACCES)...)
	f.when(unix.BPF_JEQ, unix.SYS_SOCKET, families)
	if !o.Sockets { // from one end of a pair of datagram sockets, data can be sent to any socket with a path
		var kinds filter
		kinds.load(callArgument + 8)
		kinds = append(kinds, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf})
		for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
			kinds.when(unix.BPF_JEQ, kind, answer(unix.SECCOMP_RET_ALLOW))
		}
		f.when(unix.BPF_JEQ, unix.SYS_SOCKETPAIR, append(kinds, refusal(unix.EACCES)...))
	}
	var requests filter
	requests.load(callArgument + 8)
	for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX} {
		requests.when(unix.BPF_JEQ, request, refusal(unix.EPERM))
	}
	requests.answer(unix.SECCOMP_RET_ALLOW)
	f.when(unix.BPF_JEQ, unix.SYS_IOCTL, requests)
	f.answer(unix.SECCOMP_RET_ALLOW)
	return f
}

// seccomp applies the filter to this thread. It needs no_new_privs, and cannot be removed again.
func (o Order) seccomp() error {
	f := o.filter()
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	if err != nil {
		return fmt.Errorf("system calls cannot be filtered: %w", err)
	}
	return nil
}
