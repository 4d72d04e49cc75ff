package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// grouped are the attempts of this file's tests.
func grouped(what, arg string) error {
	switch what {
	case "take": // so many MiB, for a while
		n, _ := strconv.Atoi(arg)
		taken := make([]byte, n<<20)
		for i := 0; i < len(taken); i += 4096 {
			taken[i] = 1
		}
		time.Sleep(3 * time.Second)
		_, err := fmt.Fprintln(os.Stderr, "kept", taken[len(taken)/2])
		return err
	case "into": // a process in another group, without writing a file
		dir, err := unix.Open(arg, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		args := struct{ flags, pidfd, childTID, parentTID, exit, stack, stackSize, tls, setTID, setTIDSize, cgroup uint64 }{flags: 1 << 33, exit: uint64(unix.SIGCHLD), cgroup: uint64(dir)}
		pid, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
		if errno != 0 {
			return errno
		}
		if pid == 0 {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	}
	return errors.ErrUnsupported
}

// needsGroups skips where the system has no control groups for us.
func needsGroups(t *testing.T) *hierarchy {
	t.Helper()
	if err := holdable(); err != nil {
		t.Skip(err)
	}
	if delegated() == nil {
		t.Skipf("no control group (cgroup v2, memory and pids delegated, writable) is ours or the one above: %q", candidates("/proc/self"))
	}
	return delegated()
}

func ours(at *hierarchy) (names []string) {
	entries, _ := os.ReadDir(at.path)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "socrates-") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestGroup: what programs take together is bounded, and nothing of a group is left.
func TestGroup(t *testing.T) {
	at := needsGroups(t)
	bothWays(t, func(t *testing.T, mounts bool) {
		p := newPlace(t)
		run := func(l Limits, script string) (out string, ok bool, over int64) {
			g := &Group{}
			r := Rules{Write: []string{p.work}, Limits: l, Group: g}
			out, ok = p.sh(t, &r, script)
			over = g.Exceeded()
			if len(ours(at)) != 1 {
				t.Errorf("%s: groups %q", script, ours(at))
			}
			if err := g.Close(); err != nil || len(ours(at)) != 0 {
				t.Errorf("%s: %v, groups left: %q", script, err, ours(at))
			}
			return out, ok, over
		}
		if at.memory {
			l := Limits{Memory: 300 << 20}
			if out, ok, over := run(l, `$SELF attempt take 100`); !ok || over != 0 {
				t.Errorf("one process: %v %d %s", ok, over, out)
			}
			if out, ok, over := run(l, `for i in 1 2 3 4 5; do $SELF attempt take 100 & done; wait; echo all`); ok || over != 300<<20 || strings.Contains(out, "all") {
				t.Errorf("five processes together: %v %d %s", ok, over, out)
			}
		}
		if at.pids {
			const many = `for i in $(seq 40); do sleep 2 & done; wait; echo all`
			if out, _, _ := run(Limits{Processes: 20}, many); strings.Contains(out, "all") {
				t.Errorf("40 processes of 20: %s", out)
			}
			if out, ok, _ := run(Limits{Processes: 80}, many); !ok || !strings.Contains(out, "all") {
				t.Errorf("40 processes of 80: %s", out)
			}
			others := exec.Command("sh", "-c", many)
			if err := others.Start(); err != nil {
				t.Fatal(err)
			}
			if out, ok, _ := run(Limits{Processes: 20}, `for i in 1 2 3 4 5; do sleep 1 & done; wait; echo all`); !ok {
				t.Errorf("5 processes of 20, while the user has 40 others: %s", out)
			}
			if err := others.Wait(); err != nil {
				t.Error(err)
			}
		}
		into := candidates("/proc/self")[0] // ours, which has processes
		if out, err := exec.Command(p.self, "attempt", "into", into).CombinedOutput(); err != nil {
			t.Errorf("without rules nothing starts in %s: %v %s", into, err, out)
		}
		for name, script := range map[string]string{"writing": `echo $$ >` + into + `/cgroup.procs`, "making": `mkdir ` + into + `/new`, "a start": `$SELF attempt into ` + into,
			"its bound": `echo max >` + at.path + `/socrates-*/pids.max`} {
			if out, ok, _ := run(Limits{Processes: 80, Memory: 300 << 20}, script); ok {
				t.Errorf("it could leave its group by %s: %s", name, out)
			}
		}
	})
}

// TestGroupLeft: what has left its process group, and its environment, ends with the group.
func TestGroupLeft(t *testing.T) {
	at := needsGroups(t)
	p, g := newPlace(t), &Group{}
	out, ok := p.sh(t, &Rules{Write: []string{p.work}, Limits: Limits{Processes: 80}, Group: g}, `env -i setsid sleep 123456 >/dev/null 2>&1 & sleep 1; grep -l 123456 /proc/[0-9]*/cmdline | grep -v self | head -n 1`)
	if left, _ := os.ReadFile(filepath.Join(g.dir.Name(), "cgroup.procs")); !ok || len(left) == 0 {
		t.Errorf("nothing was left: %s", out)
	}
	if err := g.Close(); err != nil || len(ours(at)) != 0 {
		t.Errorf("%v %q", err, ours(at))
	}
}

// TestStaleGroupsAreRemoved: groups of dead makers go with what is in them, those of living ones and of others stay.
func TestStaleGroupsAreRemoved(t *testing.T) {
	at := needsGroups(t)
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	names := []string{at.prefix + strconv.Itoa(dead.Process.Pid) + "-77-1", at.prefix + strconv.Itoa(os.Getpid()) + "-1-1", at.prefix + owner(os.Getppid()) + "-1", "socrates-1-1-1-1", "else"}
	for _, name := range names {
		if err := os.Mkdir(filepath.Join(at.path, name), 0o755); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(filepath.Join(at.path, name))
	}
	dir, err := os.Open(filepath.Join(at.path, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	left := exec.Command("sleep", "100")
	enter(left, dir)
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	at.removeStale()
	var status *exec.ExitError
	if err := left.Wait(); !errors.As(err, &status) || status.Sys().(syscall.WaitStatus).Signal() != unix.SIGKILL {
		t.Errorf("what was left in a dead maker's group: %v", err)
	}
	for i, name := range names {
		if _, err := os.Stat(filepath.Join(at.path, name)); (err == nil) != (i >= 2) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCandidates: where groups can be made is read from what the kernel says of us.
func TestCandidates(t *testing.T) {
	for _, test := range []struct {
		cgroup, mounts string
		want           []string
	}{
		{"0::/user/app/a.scope\n", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n", []string{"/sys/fs/cgroup/user/app/a.scope", "/sys/fs/cgroup/user/app"}},
		{"4:memory:/x\n0::/\n", "29 23 0:25 / /sys rw - sysfs sysfs rw\n30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", []string{"/sys/fs/cgroup/unified"}},
		{"0::/pod/one\n", "30 23 0:26 /pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", []string{"/sys/fs/cgroup/one", "/sys/fs/cgroup"}},
		{"0::/other\n", "30 23 0:26 /pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", nil},
		{"0::/../x\n", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", nil},
		{"4:memory:/x\n", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", nil},
		{"", "", nil},
	} {
		proc := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(proc, "cgroup"), []byte(test.cgroup), 0o600), os.WriteFile(filepath.Join(proc, "mountinfo"), []byte(test.mounts), 0o600)); err != nil {
			t.Fatal(err)
		}
		if got := candidates(proc); !slices.Equal(got, test.want) {
			t.Errorf("%q %q: %q, want %q", test.cgroup, test.mounts, got, test.want)
		}
	}
}
