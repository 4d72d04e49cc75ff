package stress_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// nobody runs what is hostile where root runs the tests.
const nobody = 65534

// world is a machine's person: a home with secrets, two projects, temporary files, servers, and one of their programs.
type world struct {
	dir, home, project, other, temp string
	token                           string // in every secret and in the words of every process that must not stay
	secrets                         map[string]string
	victim                          *exec.Cmd
	victimWas                       string
	reached                         atomic.Int64
	listeners                       []io.Closer
	env                             []string // of attempts
	before                          map[string]string
}

// newWorld makes one. The programs of it are links to those in bin.
func newWorld(t *testing.T, bin string) *world {
	dir, err := os.MkdirTemp(filepath.Dir(bin), "world-")
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	w := &world{dir: dir, home: home, project: filepath.Join(home, "project"), other: filepath.Join(home, "other"), temp: filepath.Join(dir, "tmp"),
		token: strconv.Itoa(1_000_000 + rand.IntN(9_000_000)), secrets: map[string]string{}}
	t.Cleanup(func() { w.close(t) })
	w.plant(t)
	w.serve(t)
	must(t, os.Chmod(dir, 0o755))
	for _, name := range []string{"socrates", "inner", "go"} {
		must(t, os.Symlink(filepath.Join(bin, name), filepath.Join(dir, "bin", name)))
	}
	w.put(t, "bin/tool", "#!/bin/sh\n")
	w.git(t, w.project)
	w.git(t, w.other)
	w.git(t, filepath.Join(w.project, "vendored"))
	if os.Getuid() == 0 {
		must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, nobody, nobody))
		}))
	}
	w.startVictim(t)
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) put(t *testing.T, name, text string) {
	path := filepath.Join(w.dir, name)
	must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

// secret puts a file whose text is looked for afterwards.
func (w *world) secret(t *testing.T, name string) {
	text := fmt.Sprintf("heron%sx%dq", w.token, len(w.secrets))
	w.secrets[text] = name
	w.put(t, name, text+"\n")
}

// plant makes the files of the person.
func (w *world) plant(t *testing.T) {
	for name, text := range map[string]string{"home/notes": "my notes\n", "home/.bashrc": "# mine\n", "home/.gitconfig": "[user]\nname = a\nemail = a@example.org\n", "home/bin/x": "", "bin/x": "", "run/x": "",
		"home/.cache/go-build/00/x": "built", "home/.cache/pip/x": "x", "home/.npm/cacache": "x", "home/go/pkg/mod/m@v1/m.go": "package m", "home/.cargo/bin/tool": "x", "home/.local/bin/tool": "x",
		"home/.config/x": "", "home/.local/share/socrates/keep": "mine", "home/.cache/socrates/caches/ffffffffffffffff/person": "other's cache",
		"home/project/a.txt": "one\n", "home/project/src/x.go": "package x\n", "home/project/docs/AGENTS.md": "rules\n", "home/project/docs/real.md": "real\n", "home/project/vendored/v.go": "package v\n",
		"home/other/main.go": "package main\n", "home/other/deep/x": "x\n", "tmp/person.sh": "echo mine\n", "home/project/.git/modules/sub/config": "[core]\n", "home/project/.gitignore": "loot\nattempts\n.env\n",
		"home/.config/socrates/config.yaml": "sandbox: {processes: 100, memory: 512, file: 16}\n"} {
		w.put(t, name, text)
	}
	must(t, errors.Join(os.Symlink("real.md", filepath.Join(w.project, "docs/CLAUDE.md")), os.Chmod(w.temp, 0o755)))
	names := sensitive.HomeSecrets()
	slices.Sort(names)
	for _, name := range names {
		if inner := "home/" + name; !slices.ContainsFunc(names, func(o string) bool { return strings.HasPrefix(o, name+"/") }) && name != ".config/socrates" && name != ".local/share/socrates" {
			if len(w.secrets)%2 == 0 {
				inner += "/secret"
			}
			w.secret(t, inner)
		}
	}
	for _, name := range []string{".ssh/id_ed25519", ".aws/credentials", ".netrc", ".npmrc", ".pgpass", ".env", ".gnupg/k", ".kube/config", ".docker/config.json", ".azure/t", ".git-credentials", ".vault-token",
		".local/share/socrates/keys/k", ".config/socrates/keys/k", "bin/.env", ".npm/_logs/l", ".cargo/.env", ".npm/.npmrc", ".config/git/credentials", "go/src/x/.env", "go/src/x/id_rsa", ".local/bin/.env", ".local/lib/secrets.json",
		"project/.env", "project/.env.bak", "project/deep/er/.env", "project/deep/er/prod.env", "project/deep/.env.local", "project/server.key", "project/deep/cert.pem", "project/config/credentials.json",
		"project/config/secrets.yaml", "project/terraform.tfstate", "other/.env", "other/sub/.env"} {
		if _, err := os.Lstat(filepath.Join(w.home, name)); err != nil {
			w.secret(t, "home/"+name)
		}
	}
	w.secret(t, "tmp/person.key")
	w.secrets["heron"+w.token+"memory"], w.secrets["heron"+w.token+"argv"], w.secrets["heron"+w.token+"environ"] = "memory of the victim", "words of the victim", "environment of the person"
}

func (w *world) git(t *testing.T, dir string) {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "a.txt", "src", "docs", "main.go", "v.go"}, {"commit", "-qm", "first"}, {"commit", "-qm", "second", "--allow-empty"}} {
		if args[0] == "add" {
			args = slices.DeleteFunc(args, func(a string) bool { _, err := os.Lstat(filepath.Join(dir, a)); return a != "add" && err != nil })
		}
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "safe.directory=*"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
}

// serve waits for whoever reaches out, everywhere. Whoever asks is told a secret.
func (w *world) serve(t *testing.T) {
	abstract, path := "heron-"+w.token, filepath.Join(w.dir, "run", "s")
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	answer := "heron" + w.token + "served"
	w.secrets[answer] = "answer of a server"
	ports := map[string]string{}
	for network, address := range map[string]string{"tcp4": "0.0.0.0:0", "tcp6": "[::1]:0", "unix": path, "unix@": "@" + abstract} {
		l, err := net.Listen(strings.TrimSuffix(network, "@"), address)
		if err != nil {
			t.Log(err) // a machine without IPv6
			ports[network] = "1"
			continue
		}
		_, ports[network], _ = net.SplitHostPort(l.Addr().String())
		w.listeners = append(w.listeners, l)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				w.reached.Add(1)
				io.WriteString(c, answer)
				c.Close()
			}
		}()
	}
	for network, address := range map[string]string{"udp4": "0.0.0.0:0", "unixgram": path + "d", "unixgram@": "@" + abstract + "d"} {
		c, err := net.ListenPacket(strings.TrimSuffix(network, "@"), address)
		must(t, err)
		_, ports[network], _ = net.SplitHostPort(c.LocalAddr().String())
		w.listeners = append(w.listeners, c)
		go func() {
			for b := make([]byte, 999); ; {
				if _, _, err := c.ReadFrom(b); err != nil {
					return
				}
				w.reached.Add(1)
			}
		}()
	}
	for _, s := range []string{path, path + "d"} {
		must(t, os.Chmod(s, 0o777))
	}
	w.env = []string{"W=" + w.dir, "P=" + w.project, "O=" + w.other, "T=" + w.temp, "TOK=" + w.token, "PORT=" + ports["tcp4"], "PORT6=" + ports["tcp6"], "UPORT=" + ports["udp4"], "SOCK=" + path, "ABS=" + abstract,
		"SPORT=" + strconv.Itoa(20000+rand.IntN(20000)), "HOSTIP=" + hostAddress()}
}

// hostAddress is one of this machine's addresses besides the loopback.
func hostAddress() string {
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return "127.0.0.1"
}

// as runs a command as the person.
func (w *world) as(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	secret := "heron" + w.token + "environ"
	cmd.Env = []string{"HOME=" + w.home, "PATH=" + filepath.Join(w.dir, "bin") + ":/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + w.temp, "HERON_TOKEN=" + secret, "AWS_SECRET_ACCESS_KEY=" + secret,
		"GITHUB_TOKEN=" + secret, "ANTHROPIC_API_KEY=" + secret, "SSH_AUTH_SOCK=" + filepath.Join(w.dir, "run", "s"), "LANG=C.UTF-8"}
	cmd.Dir = w.project
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return cmd
}

func (w *world) startVictim(t *testing.T) {
	w.victim = w.as(filepath.Join(w.dir, "bin", "inner"), "hostile", "victim", "victim-"+w.token, "heron"+w.token+"argv")
	w.victim.Env = append(w.victim.Env, "HERON_TOKEN=heron"+w.token)
	in, err := w.victim.StdinPipe()
	must(t, err)
	out, err := w.victim.StdoutPipe()
	must(t, err)
	must(t, w.victim.Start())
	w.listeners = append(w.listeners, in)
	_, err = out.Read(make([]byte, 1))
	must(t, err)
	w.env = append(w.env, "VIC="+strconv.Itoa(w.victim.Process.Pid))
	w.victimWas = w.victimIs()
}

// victimIs describes what can be done to a process from outside.
func (w *world) victimIs() string {
	at := fmt.Sprintf("/proc/%d/", w.victim.Process.Pid)
	var b strings.Builder
	for _, name := range []string{"limits", "oom_score_adj", "coredump_filter", "comm", "timerslack_ns", "autogroup"} {
		text, _ := os.ReadFile(at + name)
		b.Write(text)
	}
	status, _ := os.ReadFile(at + "status")
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "TracerPid") || strings.HasPrefix(line, "Cpus_allowed") || strings.HasPrefix(line, "State:\tT") || strings.HasPrefix(line, "State:\tZ") {
			b.WriteString(line)
		}
	}
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, w.victim.Process.Pid)
	policy, _ := unix.SchedGetAttr(w.victim.Process.Pid, 0)
	fmt.Fprintln(&b, nice, err, policy)
	return b.String()
}

// outside describes everything of the world that no program may change.
func (w *world) outside(t *testing.T) map[string]string {
	out := map[string]string{}
	ours := []string{w.project, filepath.Join(w.home, ".local/share/socrates"), filepath.Join(w.home, ".cache/socrates"), filepath.Join(w.home, ".config/socrates/trust")}
	must(t, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(ours, path) || filepath.Dir(path) == w.temp && strings.HasPrefix(d.Name(), "socrates-") {
			return fs.SkipDir
		}
		out[path] = described(path)
		return nil
	}))
	for _, path := range []string{filepath.Join(w.home, ".local/share/socrates/keep"), filepath.Join(w.home, ".local/share/socrates/keys/k"), filepath.Join(w.home, ".local/share/socrates/evil"),
		filepath.Join(w.home, ".cache/socrates/caches/ffffffffffffffff/person"), filepath.Join(w.home, ".cache/socrates/caches/evil"), filepath.Join(w.home, ".cache/socrates/caches/0000000000000000"),
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname"} {
		out[path] = described(path)
	}
	key, _ := strconv.Atoi(w.token)
	for i, call := range []uintptr{unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET} {
		_, err := raw(call, uintptr(key%100000+1+i), 0, 0)
		out[fmt.Sprintf("what is shared under key %d", key%100000+1+i)] = fmt.Sprint(err)
	}
	for _, dir := range []string{"/dev/shm", "/tmp", "/var/tmp", "/var/mail", "/run/lock", "/var/spool/cron/crontabs", "/sys/fs/cgroup"} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); strings.Contains(e.Name(), w.token) || e.Name() == "nobody" {
				out[path] = described(path)
			}
		}
	}
	return out
}

// described is what can be changed about a file.
func described(path string) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "none"
	}
	text := fmt.Sprintf("mode %o owner %d:%d", st.Mode, st.Uid, st.Gid)
	list := make([]byte, 4096)
	n, _ := unix.Llistxattr(path, list)
	text += fmt.Sprintf(" attributes %q", list[:max(n, 0)])
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		data, err := os.ReadFile(path)
		if text += fmt.Sprintf(" links %d", st.Nlink); !strings.HasPrefix(path, "/proc/") {
			text += fmt.Sprintf(" changed %d.%d", st.Mtim.Sec, st.Mtim.Nsec)
		}
		text += fmt.Sprintf(" size %d %x %v", len(data), sha256.Sum256(data), err)
	case unix.S_IFLNK:
		to, _ := os.Readlink(path)
		text += " to " + to
	}
	return text
}

func differences(before, after map[string]string) (out []string) {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if was, ok := before[path]; !ok || was != after[path] {
			out = append(out, fmt.Sprintf("%s: %s, was %s", path, after[path], was))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[path]; !ok {
			out = append(out, path+" is gone")
		}
	}
	return out
}

// left are the processes that have the world's number among their words, and are not the person's.
func (w *world) left() (out []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		text, _ := os.ReadFile(file)
		pid := filepath.Base(filepath.Dir(file))
		if words := strings.ReplaceAll(string(text), "\x00", " "); strings.Contains(words, w.token) && pid != strconv.Itoa(w.victim.Process.Pid) {
			out = append(out, pid+" "+words)
		}
	}
	return out
}

// settled waits, for as long as killed processes may need on a busy machine, until none is left.
func (w *world) settled() (left []string) {
	for range 3000 {
		if left = w.left(); len(left) == 0 {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}

func (w *world) close(t *testing.T) {
	for _, l := range w.listeners {
		l.Close()
	}
	if w.victim != nil && w.victim.Process != nil {
		w.victim.Process.Kill()
		w.victim.Wait()
	}
	for _, line := range w.left() {
		pid, _, _ := strings.Cut(line, " ")
		if n, err := strconv.Atoi(pid); err == nil {
			unix.Kill(n, unix.SIGKILL)
		}
	}
	filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(w.dir); err != nil {
		t.Log(err)
	}
}
