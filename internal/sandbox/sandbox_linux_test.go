package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
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

	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// TestMain lets this binary be a program that tries what needs more than a shell.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "attempt" {
		if err := attempt(os.Args[2], os.Args[3]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func attempt(what, arg string) error {
	var errno syscall.Errno
	switch what {
	case "take", "into":
		return grouped(what, arg)
	case "dial":
		network, address, _ := strings.Cut(arg, "=")
		c, err := net.Dial(network, address)
		if err != nil || network != "udp" {
			return err
		}
		c.SetDeadline(time.Now().Add(5 * time.Second))
		if _, err = c.Write([]byte("x")); err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		return err
	case "self":
		l, err := net.Listen("tcp", arg)
		if err == nil {
			_, err = net.Dial("tcp", l.Addr().String())
		}
		return err
	case "serve": // until its input ends
		l, err := net.Listen("tcp", arg)
		if err != nil {
			return err
		}
		defer l.Close()
		os.Stdout.WriteString("\n")
		_, err = io.Copy(io.Discard, os.Stdin)
		return err
	case "inherited":
		var signal int32
		if err := unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&signal)), 0, 0, 0); err != nil {
			return err
		}
		if signal != int32(unix.SIGKILL) || syscall.Getpgrp() != os.Getpid() || os.Getenv("A") != "b" || len(os.Environ()) != 1 {
			return fmt.Errorf("dies by %d, group %d of %d, %q", signal, syscall.Getpgrp(), os.Getpid(), os.Environ())
		}
		var caps [2]unix.CapUserData
		if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &caps[0]); err != nil {
			return err
		}
		if more := caps[0].Permitted &^ (1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER); more|caps[1].Permitted != 0 {
			return fmt.Errorf("capabilities %x are left", more)
		}
	case "disk":
		return readOnlyDisk(arg)
	case "memory":
		key, _ := strconv.Atoi(arg)
		_, _, errno = syscall.Syscall(unix.SYS_SHMGET, uintptr(key), 4096, 0)
	case "semaphore":
		id, _ := strconv.Atoi(arg)
		up := [3]uint16{0, 1, 0} // the first of the set, by one
		_, _, errno = syscall.Syscall(unix.SYS_SEMOP, uintptr(id), uintptr(unsafe.Pointer(&up)), 1)
	case "trace":
		_, _, errno = syscall.Syscall(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0)
	case "ring":
		if _, _, errno = syscall.Syscall(unix.SYS_IO_URING_SETUP, 0, 0, 0); errno == unix.EINVAL || errno == unix.EFAULT {
			errno = 0
		}
	case "type":
		high := uint64(unix.TIOCSTI | 1<<32) // where a word holds no more than 32 bits, there are none above them
		if _, _, errno = syscall.Syscall(unix.SYS_IOCTL, 0, uintptr(high), 0); errno == unix.ENOTTY {
			errno = 0
		}
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// site is a home with a project in it.
type site struct{ home, work, temp, self string }

func newPlace(t *testing.T) site {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := site{home, filepath.Join(home, "work"), filepath.Join(home, "temp"), self}
	for name, text := range map[string]string{"notes": "my notes", ".ssh/id": "my key", "work/.git/hooks/sample": "", "work/.git/config": "",
		"work/AGENTS.md": "rules", "work/docs/real.md": "real", "work/deep/x": "", "work/.env": "my secret", "work/main.go": "package main", "temp/x": ""} {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"work/LINK.md": "docs/real.md", "work/out": "../notes", "work/alias": "deep"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// rules are what a program that works on the project is usually held to.
func (p site) rules() Rules {
	r := Rules{Write: []string{p.work, p.temp}, Deny: []string{filepath.Join(p.home, ".ssh"), filepath.Join(p.home, ".ssh/id"), filepath.Join(p.work, ".env")}}
	for _, name := range []string{".git/hooks", ".git/config", ".socrates", "AGENTS.md", "LINK.md", "alias/inner", ".none/a", ".none/b/c"} {
		r.Protect = append(r.Protect, filepath.Join(p.work, name))
	}
	return r
}

// sh runs a script in the project; nil rules are none.
func (p site) sh(t *testing.T, r *Rules, script string) (out string, ok bool) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = p.work
	cmd.Env = append(os.Environ(), "HOME="+p.home, "SELF="+p.self, "MEMORY="+device("/dev/shm"), "TMPDIR="+p.temp, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	run := &Run{}
	if r != nil {
		var err error
		if run, err = Command(cmd, *r); err != nil {
			t.Fatal(err)
		}
	}
	text, err := cmd.CombinedOutput()
	if strings.Contains(string(text), "sandbox:") {
		t.Fatalf("%s", text)
	}
	if _, failed := run.End(); failed != nil {
		t.Error(failed)
	}
	return string(text), err == nil
}

// device is the number of the file system that holds path.
func device(path string) string {
	var st unix.Stat_t
	unix.Stat(path, &st)
	return strconv.FormatUint(st.Dev, 10)
}

// bothWays runs a test with namespaces and without them.
func bothWays(t *testing.T, test func(t *testing.T, mounts bool)) {
	if err := holdable(); err != nil {
		t.Skip(err)
	}
	t.Run("mounts", func(t *testing.T) {
		if err := namespaces(); err != nil {
			t.Skip(err)
		}
		test(t, true)
	})
	t.Run("landlock", func(t *testing.T) {
		before := namespaces
		namespaces = func() error { return errors.New("namespaces are refused for this test") }
		defer func() { namespaces = before }()
		test(t, false)
	})
}

// needs skips what the programs and the kernel here do not allow to be tried.
func needs(t *testing.T, script string) {
	t.Helper()
	for _, program := range []string{"python3", "git", "unshare"} {
		if _, err := exec.LookPath(program); err != nil && strings.Contains(script, program+" ") {
			t.Skip(err)
		}
	}
	if abi, _ := child.ABI(); abi < 6 && strings.HasPrefix(script, "kill") {
		t.Skip("this kernel cannot keep signals in")
	}
}

// TestRefused: what the rules refuse fails, and does not where the rule is taken out.
func TestRefused(t *testing.T) {
	free := func(change func(p site, r *Rules)) func(site) *Rules {
		return func(p site) *Rules { r := p.rules(); change(p, &r); return &r }
	}
	home := free(func(p site, r *Rules) { r.Write = append(r.Write, p.home); r.Protect, r.Deny = nil, nil })
	noDeny := free(func(_ site, r *Rules) { r.Deny = nil })
	noProtect := free(func(_ site, r *Rules) { r.Protect = nil })
	plainly := func(site) *Rules { return nil }
	tests := []struct {
		name, script string
		without      func(site) *Rules
		inside       bool // of what may be written: needs mounts
	}{
		{"write outside", `echo x >>$HOME/notes`, home, false},
		{"write outside through a link", `echo x >>out`, home, false},
		{"write outside through a new link", `ln -s $HOME/notes l && echo x >>l`, home, false},
		{"create outside", `touch $HOME/new`, home, false},
		{"remove outside", `rm -f $HOME/notes && ! test -e $HOME/notes`, home, false},
		{"empty outside", `truncate -s 0 $HOME/notes`, home, false},
		{"move outside", `mv main.go $HOME/`, home, false},
		{"move in from outside", `mv $HOME/notes .`, home, false},
		{"link in from outside", `ln $HOME/notes n && echo x >>n`, home, false},
		{"write beside", `mkdir ${HOME}/work-evil`, home, false},
		{"mode outside", `chmod 600 $HOME/notes`, home, true},
		{"times outside", `touch -d 2001-01-01 $HOME/notes`, home, true},
		{"read denied", `cat $HOME/.ssh/id`, noDeny, false},
		{"read denied by another way", `cat /proc/self/root$HOME/.ssh/id`, noDeny, false},
		{"read denied by another's eyes", `cat /proc/$PPID/root$HOME/.ssh/id`, plainly, false},
		{"read denied through a link", `ln -s $HOME/.ssh s && cat s/id`, noDeny, false},
		{"list denied", `ls $HOME/.ssh | grep id`, noDeny, false},
		{"link to denied", `ln $HOME/.ssh/id k && cat k`, home, false},
		{"read denied inside", `cat .env | grep secret`, noDeny, true},
		{"copy denied inside", `mkdir c; cp -r . $TMPDIR/c 2>/dev/null; grep secret $TMPDIR/c/.env`, noDeny, true},
		{"link denied inside", `ln .env e && cat e | grep secret`, noDeny, true},
		{"move denied inside", `mv .env e && cat e | grep secret`, noDeny, true},
		{"create a hook", `echo x >.git/hooks/pre-commit`, noProtect, true},
		{"exchange the folder of hooks", `mv .git g && cp -r g .git && echo x >.git/hooks/pre-commit`, noProtect, true},
		{"remove the folder of hooks", `rm -rf .git && mkdir .git`, noProtect, true},
		{"configure git", `git config -f .git/config core.fsmonitor evil`, noProtect, true},
		{"write a protected file", `echo x >>AGENTS.md`, noProtect, true},
		{"write a protected file with python", `python3 -c 'open("AGENTS.md","a")'`, noProtect, true},
		{"change the mode of a protected file", `chmod 600 AGENTS.md`, noProtect, true},
		{"replace a protected file", `echo x >y && mv -f y AGENTS.md`, noProtect, true},
		{"link to a protected file", `ln AGENTS.md a && echo x >>a`, noProtect, true},
		{"replace a protected link", `ln -sf main.go LINK.md`, noProtect, true},
		{"write what a protected link leads to", `echo x >>docs/real.md`, noProtect, true},
		{"move what a protected link leads to", `mv docs d`, noProtect, true},
		{"exchange a link on the way", `rm -f alias && mkdir alias && touch alias/inner`, noProtect, true},
		{"mount over it", `unshare -rm mount -t tmpfs none docs`, plainly, true},
		{"uncover what is denied", `unshare -rm umount $HOME/.ssh; cat $HOME/.ssh/id`, noDeny, false},
		{"write to the memory of others", `cd /dev/shm && f=$(mktemp -p .) && rm $f && test "$(stat -c %d .)" = $MEMORY`, plainly, true},
		{"open a device", `: </dev/ptmx`, plainly, false},
		{"signal who started it", `kill -0 $PPID`, plainly, false},
		{"look into who started it", `cat /proc/$PPID/environ`, plainly, false},
		{"trace", `$SELF attempt trace x`, plainly, false},
		{"a ring of calls", `$SELF attempt ring x`, plainly, false},
		{"type into the terminal", `$SELF attempt type x`, plainly, false},
	}
	bothWays(t, func(t *testing.T, mounts bool) {
		for _, test := range tests {
			if test.inside && !mounts {
				continue
			}
			t.Run(test.name, func(t *testing.T) {
				needs(t, test.script)
				p := newPlace(t)
				rules := p.rules()
				if !mounts {
					rules.Deny, rules.Protect = rules.Deny[:1], nil
				}
				if out, ok := p.sh(t, &rules, test.script); ok {
					t.Errorf("it could: %s", out)
				}
				p = newPlace(t)
				without := test.without(p)
				if !mounts && without != nil {
					without.Protect = nil
					without.Deny = slices.DeleteFunc(without.Deny, func(d string) bool { return strings.HasPrefix(d, p.work) })
				}
				if out, ok := p.sh(t, without, test.script); !ok {
					t.Errorf("it could not without the rule either: %s", out)
				}
			})
		}
	})
}

// TestNetwork: no connection of any kind, unless allowed.
func TestNetwork(t *testing.T) {
	p := newPlace(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	go func() {
		for b := make([]byte, 8); ; {
			n, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			udp.WriteTo(b[:n], from)
		}
	}()
	local, err := net.Listen("unix", filepath.Join(p.home, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	hidden, err := net.Listen("unix", fmt.Sprint("@", filepath.Base(p.home), t.Name(), os.Getpid(), time.Now().UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	defer hidden.Close()
	bothWays(t, func(t *testing.T, own bool) {
		for _, test := range []struct {
			address string
			allow   Rules
		}{
			{"tcp=" + tcp.Addr().String(), Rules{Network: true}},
			{"udp=" + udp.LocalAddr().String(), Rules{Network: true}},
			{"unix=" + local.Addr().String(), Rules{Sockets: true}},
			{"unix=" + hidden.Addr().String(), Rules{Sockets: true, Network: true}},
		} {
			script := `$SELF attempt dial "` + test.address + `"`
			other := Rules{Network: !test.allow.Network, Sockets: !test.allow.Sockets}
			if out, ok := p.sh(t, &other, script); ok {
				t.Errorf("%s without leave: %s", test.address, out)
			}
			if out, ok := p.sh(t, &test.allow, script); !ok {
				t.Errorf("%s with leave: %s", test.address, out)
			}
		}
		for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
			if out, ok := p.sh(t, &Rules{}, `$SELF attempt self "`+address+`"`); ok != own {
				t.Errorf("a loopback of its own: %v %s", ok, out)
			}
		}
	})
}

// TestNet: programs with the same Net reach each other and nobody else, whoever started first; they end with it.
func TestNet(t *testing.T) {
	if err := errors.Join(holdable(), namespaces()); err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	ours, theirs := &Net{}, &Net{}
	defer theirs.Close()
	server := exec.CommandContext(t.Context(), p.self, "attempt", "serve", "127.0.0.1:4321")
	run, err := Command(server, Rules{Net: ours})
	if err != nil {
		t.Fatal(err)
	}
	defer run.End()
	in, _ := server.StdinPipe()
	out, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatalf("it does not serve: %v", err)
	}
	if !ours.Serves(4321) || ours.Serves(4322) || theirs.Serves(4321) {
		t.Errorf("it serves: %v %v %v", ours.Serves(4321), ours.Serves(4322), theirs.Serves(4321))
	}
	for _, test := range []struct {
		address string
		net     *Net
		ok      bool
	}{{"127.0.0.1:4321", ours, true}, {"127.0.0.1:4321", theirs, false}, {"127.0.0.1:4321", nil, false}, {outside.Addr().String(), ours, false}} {
		if said, ok := p.sh(t, &Rules{Net: test.net}, `$SELF attempt dial tcp=`+test.address); ok != test.ok {
			t.Errorf("%s: %v %s", test.address, ok, said)
		}
	}
	file, _, err := ours.files()
	if err != nil {
		t.Fatal(err)
	}
	name, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	ours.Close()        // its input is open still: what ends it is the network's end
	err = server.Wait() // or what started it says so
	if err == nil || err.Error() != "signal: killed" && err.Error() != "exit status 137" {
		t.Errorf("the program in the network ended with %v", err)
	}
	in.Close()
	within := func() (left []string) {
		all, _ := filepath.Glob("/proc/[0-9]*/ns/net")
		for _, at := range all {
			if other, _ := os.Readlink(at); other == name {
				left = append(left, at)
			}
		}
		return left
	}
	for tries := 0; len(within()) > 0 && tries < 3000; tries++ { // on a busy machine killed ones take their time
		time.Sleep(10 * time.Millisecond)
	}
	if left := within(); len(left) > 0 {
		t.Errorf("still in %s: %q", name, left)
	}
}

// TestShared: in a network for several a program is held to the same, ends as it ends, and has the same streams.
func TestShared(t *testing.T) {
	if err := errors.Join(holdable(), namespaces()); err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	shared := &Net{}
	defer shared.Close()
	for script, want := range map[string]int{
		`exit 3`: 3, `kill -9 $$`: 137, `trap 'exit 5' TERM; kill $$; sleep 9`: 5, `ls -l /proc/self/fd >fds; ! grep -E 'ns|socrates|net:|user:' fds`: 0,
		`cat .env`: 1, `echo x >>$HOME/notes`: 2, `echo x >AGENTS.md`: 2, `touch new`: 0, `nsenter -t $PPID -n true`: 1,
		`cat /proc/$PPID/root$HOME/.ssh/id`: 1, `cat /proc/$PPID/environ`: 1, `kill -0 $PPID`: 1, `readlink /proc/$PPID/fd/0`: 1,
	} {
		needs(t, script)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.Dir, cmd.Env = p.work, append(os.Environ(), "HOME="+p.home)
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = &said, &said
		r := p.rules()
		r.Net = shared
		run, err := Command(cmd, r)
		if err == nil {
			err = process.Run(cmd)
		}
		if code := process.Code(cmd.ProcessState); err != nil || code != want {
			t.Errorf("%s: %d, want %d: %v %s", script, code, want, err, &said)
		}
		run.End()
	}
	// Who has closed its input takes no more, although the process we started still runs.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec <&-; echo; exec sleep 60")
	cmd.Stdin = r
	out, _ := cmd.StdoutPipe()
	run, err := Command(cmd, Rules{Net: shared})
	if err != nil {
		t.Fatal(err)
	}
	defer run.End()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	io.ReadFull(out, make([]byte, 1))
	if _, err := w.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("somebody still reads: %v", err)
	}
	cmd.Process.Kill()
	if _, err := io.ReadAll(out); err != nil { // it ends with the process we started
		t.Error(err)
	}
	cmd.Wait()
}

// TestWorks: what work on a project needs goes on as usual.
func TestWorks(t *testing.T) {
	bothWays(t, func(t *testing.T, mounts bool) {
		for _, script := range []string{
			`echo a >new && cat new && rm new && mkdir -p a/b && mv a c && ln -s c d && ln main.go m && rm -r c`,
			`echo x >/dev/null 2>/dev/null && head -c 3 /dev/zero | wc -c && head -c 3 /dev/urandom >r`,
			`f=$(mktemp) && echo x >"$f" && test "${f%/*}" = "$TMPDIR" && chmod 700 "$f"`,
			`cat $HOME/notes /etc/passwd >/dev/null && (exit 3); test $? = 3`,
			`git init -q sub && cd sub && echo x >f && git add f && git -c user.name=a -c user.email=a@example.com commit -q -m x && git status --short && git log --oneline`,
			`python3 -c 'import os, subprocess, tempfile; open("p", "w").write("x"); print(subprocess.check_output(["cat", "p"])); tempfile.TemporaryFile()'`,
			`python3 -c 'import multiprocessing as m; print(m.get_context("fork").Pool(2).map(abs, [-1, -2]))'`,
			`sleep 30 & kill $! && wait $!; test $? = 143`,
		} {
			t.Run("", func(t *testing.T) {
				needs(t, script)
				p := newPlace(t)
				r := p.rules()
				if strings.Contains(script, "multiprocessing") && !mounts {
					t.Skip("no shared memory of its own")
				}
				if !mounts {
					r.Deny, r.Watched = r.Deny[:1], true
				}
				if out, ok := p.sh(t, &r, script); !ok {
					t.Errorf("%s\n%s", script, out)
				}
			})
		}
	})
}

// TestProcess: the program is what package process made of it: it leads a group, and dies with us. It has no privileges,
// and no variables but its own.
func TestProcess(t *testing.T) {
	bothWays(t, func(t *testing.T, _ bool) {
		p := newPlace(t)
		cmd := exec.CommandContext(t.Context(), p.self, "attempt", "inherited", "x")
		cmd.Env = []string{"A=b"}
		var said strings.Builder
		cmd.Stderr = &said
		run, err := Command(cmd, Rules{Write: []string{p.work}})
		if err == nil {
			err = process.Run(cmd)
		}
		if err != nil || cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("%v %v %s", err, cmd.ProcessState, &said)
		}
		run.End()
	})
}

// TestUnprotected: where the kernel cannot hold it, it is refused, or watched if the caller takes that.
func TestUnprotected(t *testing.T) {
	bothWays(t, func(t *testing.T, mounts bool) {
		p := newPlace(t)
		r := p.rules()
		if !mounts {
			if _, err := Command(exec.Command("true"), r); err == nil || !strings.Contains(err.Error(), ".env cannot be hidden") {
				t.Errorf("hidden inside: %v", err)
			}
			r.Deny = nil
			if _, err := Command(exec.Command("true"), r); err == nil || !strings.Contains(err.Error(), "hooks cannot be protected") {
				t.Errorf("protected inside: %v", err)
			}
		}
		r.Watched = true
		cmd := exec.Command("sh", "-c", "echo x >AGENTS.md; mkdir .socrates .none; touch .none/a .git/hooks/x; touch allowed; rm LINK.md")
		cmd.Dir = p.work
		run, err := Command(cmd, r)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Run()
		changed, err := run.End()
		want := []string{".git/hooks", ".none/a", ".socrates", "AGENTS.md", "LINK.md"}
		if mounts {
			want = []string{".socrates", ".none/a"}
		}
		for i := range want {
			want[i] = filepath.Join(p.work, want[i])
		}
		if err != nil || !slices.Equal(changed, want) {
			t.Errorf("changed: %v %v, want %v", changed, err, want)
		}
		if _, err := os.Stat(filepath.Join(p.work, "allowed")); err != nil {
			t.Error(err)
		}
	})
}

// TestReadOnlyDisk: on a disk that nobody can write, names that are not there need no protection and are no hindrance; what
// is there is held, and other folders can be written.
func TestReadOnlyDisk(t *testing.T) {
	if err := errors.Join(holdable(), namespaces()); err != nil {
		t.Skip(err)
	}
	p := newPlace(t)
	cmd := exec.Command(p.self, "attempt", "disk", p.home)
	separate(cmd, unix.CLONE_NEWNS)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// readOnlyDisk puts a disk on the project, and runs a program under the usual rules once it is read-only. It is for a process
// with mounts of its own.
func readOnlyDisk(home string) error {
	p := site{home: home, work: filepath.Join(home, "work"), temp: filepath.Join(home, "temp")}
	file := filepath.Join(p.work, "AGENTS.md")
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("tmpfs", p.work, "tmpfs", 0, ""),
		os.WriteFile(file, []byte("rules"), 0o644), unix.Mount("", p.work, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")); err != nil {
		return fmt.Errorf("mounting the disk: %w", err)
	}
	r := Rules{Write: []string{p.work, p.temp}, Deny: []string{filepath.Join(p.work, ".env")},
		Protect: []string{file, filepath.Join(p.work, ".socrates"), filepath.Join(p.work, ".none/a"), filepath.Join(p.temp, ".socrates")}}
	cmd := exec.Command("sh", "-c", "cat AGENTS.md && touch ../temp/new && ! touch new && ! mkdir .socrates")
	cmd.Dir = p.work
	run, err := Command(cmd, r)
	if err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	if err == nil && !strings.HasPrefix(string(out), "rules") {
		err = errors.New("the file was not read")
	}
	if _, failed := run.End(); err != nil || failed != nil {
		return fmt.Errorf("%w: %s", errors.Join(err, failed), out)
	}
	return nil
}

// TestSense: rules that contradict themselves or cannot be held are refused with a sentence.
func TestSense(t *testing.T) {
	p := newPlace(t)
	if err := errors.Join(holdable(), namespaces(), os.Symlink("none", filepath.Join(p.work, "nowhere"))); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		rules Rules
		say   string
	}{
		{Rules{Write: []string{"work"}}, `absolute paths, not "work"`},
		{Rules{Write: []string{p.home + "/none"}}, "writable paths must exist"},
		{Rules{Write: []string{"/"}}, "that would be everything"},
		{Rules{Write: []string{p.work}, Deny: []string{p.home}}, "which is denied"},
		{Rules{Write: []string{p.work}, Protect: []string{p.work + "/nowhere/x"}}, "is a broken symbolic link"},
	} {
		if _, err := Command(exec.Command("true"), test.rules); err == nil || !strings.Contains(err.Error(), test.say) {
			t.Errorf("%v: %v", test.rules, err)
		}
	}
	cmd := exec.Command(filepath.Join(p.home, "nothing"))
	if run, err := Command(cmd, Rules{}); err != nil {
		t.Error(err)
	} else if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 126 || !strings.Contains(string(out), "cannot be started") {
		t.Errorf("%s %v", out, err)
	} else {
		run.End()
	}
}

// TestProbe: what the probe says is what the other tests see.
func TestProbe(t *testing.T) {
	bothWays(t, func(t *testing.T, mounts bool) {
		r := Probe(t.Context())
		want := Watched
		if mounts {
			want = Held
		}
		if r.Files.Level != Held || r.Network.Level != Held || r.Protect.Level != want {
			t.Errorf("%+v", r)
		}
	})
}

// TestOrdinaryUser runs all this once more as somebody who is not root.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it is not root who runs the tests")
	}
	dir, err := os.MkdirTemp("", "sandbox-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const nobody = 65534
	binary := filepath.Join(dir, "tests")
	if err := errors.Join(os.Chmod(dir, 0o755), copyFile(binary, "/proc/self/exe"), os.Mkdir(filepath.Join(dir, "temp"), 0o700),
		os.Chown(filepath.Join(dir, "temp"), nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "temp"), "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// BenchmarkCommand is what a program costs to start, without rules and with them.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	shared := &Net{}
	defer shared.Close()
	for name, r := range map[string]*Rules{"free": nil, "ruled": {Write: []string{dir}, Protect: []string{filepath.Join(dir, "x")}, Watched: true},
		"shared": {Write: []string{dir}, Protect: []string{filepath.Join(dir, "x")}, Watched: true, Net: shared}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd, run := exec.Command("true"), &Run{}
				if r != nil {
					var err error
					if run, err = Command(cmd, *r); err != nil {
						b.Fatal(err)
					}
				}
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				run.End()
			}
		})
	}
}
