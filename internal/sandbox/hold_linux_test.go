package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMade: protected names that do not exist are told once they were made; nothing stands in for them meanwhile.
func TestMade(t *testing.T) {
	bothWays(t, func(t *testing.T, mounts bool) {
		for script, want := range map[string][]string{
			"true": nil, "touch .none/a 2>/dev/null; touch x": nil, "touch deep/inner": {"alias/inner"}, "mkdir .none && touch .none/a": {".none/a"}, "mkdir .socrates": {".socrates"},
			"mkdir s && mv -T s .socrates": {".socrates"}, "ln -s main.go .socrates": {".socrates"}, "mkdir -p .none/b/c .socrates && rm -r .none": {".socrates"},
			"ls -A >seen; grep -x .socrates seen": nil,
		} {
			p := newPlace(t)
			r := p.rules()
			if r.Watched = true; !mounts {
				r.Deny = r.Deny[:1]
			}
			cmd := exec.Command("sh", "-c", script)
			cmd.Dir = p.work
			run, err := Command(cmd, r)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Run()
			changed, err := run.End()
			for i, path := range changed {
				changed[i], _ = filepath.Rel(p.work, path)
			}
			if slices.Sort(changed); err != nil || !slices.Equal(slices.Compact(changed), want) {
				t.Errorf("%s: %v %v, want %v", script, changed, err, want)
			}
		}
	})
}

// TestCover: a covered folder shows what may be read and written, and nothing else.
func TestCover(t *testing.T) {
	bothWays(t, func(t *testing.T, mounts bool) {
		p := newPlace(t)
		for _, name := range []string{"tools/bin/x", "tools/key.pem", "docs/plan", ".gitconfig"} {
			file := filepath.Join(p.home, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("text of "+name), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		r := p.rules()
		r.Protect, r.Watched = nil, true
		r.Cover, r.Read = []string{p.home}, []string{filepath.Join(p.home, "tools"), filepath.Join(p.home, ".gitconfig"), filepath.Join(p.home, "none")}
		r.Deny = []string{filepath.Join(p.home, "tools/key.pem"), filepath.Join(p.home, ".ssh")}
		for script, want := range map[string]bool{
			`cat $HOME/tools/bin/x $HOME/.gitconfig && echo x >new && touch $TMPDIR/new`: true, `cat $HOME/notes`: false, `cat $HOME/docs/plan`: false,
			`cat $HOME/.ssh/id`: false, `cat $HOME/tools/key.pem`: false, `echo x >>$HOME/tools/bin/x`: false, `touch $HOME/new`: false, `touch $HOME/tools/new`: false,
			`ls $HOME | grep docs`: false, `cat ../docs/plan`: false, `mkdir $HOME/docs`: false, `cd .. && cat work/main.go`: true,
		} {
			if out, ok := p.sh(t, &r, script); ok != want {
				t.Errorf("%s: %v, want %v: %s", script, ok, want, out)
			}
		}
		if entries, _ := os.ReadDir(p.home); len(entries) != 7 {
			t.Errorf("the home holds %v", entries)
		}
		if mounts {
			cmd := exec.Command("true")
			cmd.Dir = filepath.Join(p.home, "docs")
			if _, err := Command(cmd, r); err != nil {
				t.Fatal(err)
			}
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "the working folder is hidden") {
				t.Errorf("in a folder that is hidden: %v %s", err, out)
			}
		}
	})
}

// TestOthers: a program does not limit or reschedule what is not its own, and shares no memory with it.
func TestOthers(t *testing.T) {
	for _, script := range []string{
		`import resource, os; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (9, 9))`,
		`import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)`,
		`import os; os.setpriority(os.PRIO_USER, 0, 19)`,
		`import os; os.sched_setaffinity(os.getppid(), {0})`,
		`import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)`,
		`import os; os.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0))`,
	} {
		needs(t, "python3 ")
		bothWays(t, func(t *testing.T, mounts bool) {
			p := newPlace(t)
			r := p.rules()
			if r.Watched = true; !mounts {
				r.Deny = r.Deny[:1]
			}
			// The parent to which it is done is a shell outside.
			cmd := exec.Command("python3", "-c", script)
			cmd.Dir = p.work
			if _, err := Command(cmd, r); err != nil {
				t.Fatal(err)
			}
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "PermissionError") {
				t.Errorf("%s: %v %s", script, err, out)
			}
			own := strings.NewReplacer("os.getppid()", "0", "PRIO_USER", "PRIO_PROCESS", "SOCK_DGRAM", "SOCK_STREAM").Replace(script)
			if out, ok := p.sh(t, &r, `python3 -c '`+own+`'`); !ok {
				t.Errorf("of itself: %s", out)
			}
		})
	}
	bothWays(t, func(t *testing.T, mounts bool) {
		key := 0x50000000 | os.Getpid() // two suites on one machine do not share it
		id, _, errno := syscall.Syscall(unix.SYS_SHMGET, uintptr(key), 4096, unix.IPC_CREAT|0o666)
		if errno != 0 {
			t.Skip(errno)
		}
		defer syscall.Syscall(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0)
		set, _, errno := syscall.Syscall(unix.SYS_SEMGET, uintptr(key), 1, unix.IPC_CREAT|0o666)
		if errno != 0 {
			t.Skip(errno)
		}
		defer syscall.Syscall(unix.SYS_SEMCTL, set, 0, unix.IPC_RMID)
		p := newPlace(t)
		r := Rules{Write: []string{p.work}}
		for _, rules := range []*Rules{&r, nil} {
			if out, ok := p.sh(t, rules, `$SELF attempt semaphore `+strconv.Itoa(int(set))); ok != (rules == nil) {
				t.Errorf("a semaphore of others, held %v: %s", rules != nil, out)
			}
		}
		if out, ok := p.sh(t, &r, `$SELF attempt memory `+strconv.Itoa(key)); ok {
			t.Errorf("it shares memory: %s", out)
		}
		if out, ok := p.sh(t, nil, `$SELF attempt memory `+strconv.Itoa(key)); !ok {
			t.Errorf("without rules it does not: %s", out)
		}
	})
}

// TestGone: a folder that others remove while the sandbox is set up, or do not let be looked into, is no reason for a command to fail.
func TestGone(t *testing.T) {
	if err := errors.Join(holdable(), namespaces()); err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	gone, closed := filepath.Join(p.work, "gone"), filepath.Join(p.work, "closed")
	err := errors.Join(os.Mkdir(gone, 0o755), os.WriteFile(filepath.Join(gone, "x"), nil, 0o644), os.Mkdir(closed, 0o755),
		os.WriteFile(filepath.Join(closed, "y"), []byte("a secret"), 0o600), os.Chmod(closed, 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) }) // who is not root could not remove it
	r := p.rules()
	r.Protect = append(r.Protect, filepath.Join(gone, "x"), filepath.Join(closed, "x"))
	r.Deny = append(r.Deny, filepath.Join(closed, "y"))
	cmd := exec.Command("sh", "-c", "echo ran; mv closed open; chmod 700 closed; cat closed/y")
	cmd.Dir = p.work
	run, err := Command(cmd, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if _, end := run.End(); !strings.HasPrefix(string(out), "ran\n") || strings.Contains(string(out), "a secret") || end != nil {
		t.Errorf("%s %v %v", out, err, end)
	}
	if _, err := os.Lstat(closed); err != nil {
		t.Errorf("what cannot be looked into was moved: %v", err)
	}
}

// TestNetEnds: what is in a network when it is closed is killed, whatever environment, group or namespaces it took.
func TestNetEnds(t *testing.T) {
	if err := errors.Join(holdable(), namespaces()); err != nil {
		t.Skip(err)
	}
	for _, script := range []string{
		`env -i setsid sleep 987654 >/dev/null 2>&1 & echo $!`,
		`unshare -Un env -i setsid --fork sleep 987654 >/dev/null 2>&1; for i in $(seq 500); do pgrep -n -f "^sleep 987654$" && break; done`,
	} {
		if strings.HasPrefix(script, "unshare") && (os.Getuid() == 0 || exec.Command("unshare", "-Un", "pgrep", "-V").Run() != nil) {
			continue // of what root starts, no user namespace tells
		}
		p := newPlace(t)
		shared := &Net{}
		out, ok := p.sh(t, &Rules{Write: []string{p.work}, Net: shared}, script)
		pid, err := strconv.Atoi(strings.TrimSpace(out))
		if !ok || err != nil {
			t.Fatalf("%s: %v %q", script, err, out)
		}
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("%s: it has ended by itself: %v", script, err)
		}
		shared.Close()
		if words, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); strings.Contains(string(words), "987654") {
			t.Errorf("%s: it is still there", script)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// TestLimits: what a program may take of the machine is bounded.
func TestLimits(t *testing.T) {
	bothWays(t, func(t *testing.T, mounts bool) {
		p := newPlace(t)
		r := Rules{Write: []string{p.work}, Limits: Limits{Processes: 20, Memory: 200 << 20, File: 1 << 20, Seconds: 1}}
		for script, want := range map[string]bool{
			`head -c 1000000 /dev/zero >f`: true, `head -c 2000000 /dev/zero >f`: false, `while :; do :; done`: false, `exec true`: true,
			`python3 -c 'bytearray(50 << 20)'`: true, `python3 -c 'bytearray(300 << 20)'`: false,
		} {
			needs(t, script)
			if out, ok := p.sh(t, &r, script); ok != want {
				t.Errorf("%s: %v, want %v: %s", script, ok, want, out)
			}
		}
		if os.Getuid() != 0 && mounts {
			if out, ok := p.sh(t, &r, `for i in $(seq 40); do sleep 5 & done; kill $(jobs -p)`); ok {
				t.Errorf("40 processes: %s", out)
			}
		}
	})
}
