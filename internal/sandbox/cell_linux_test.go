package sandbox

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inCell runs a shell script in a cell and returns what it printed.
func inCell(t *testing.T, c Cell, r Rules, script string, talk func([]*os.File)) string {
	t.Helper()
	if err := Cells(); err != nil {
		t.Skip(err)
	}
	if c.Home == "" {
		c.Home = t.TempDir()
	}
	c.Bytes = 1 << 20
	r.Cell = &c
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Home}
	cmd.Dir = "/"
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	run, err := Command(cmd, r)
	if err != nil {
		t.Fatal(err)
	}
	defer run.End()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	files, err := run.Listeners()
	if err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	if talk != nil {
		talk(files)
	}
	for _, f := range files {
		f.Close()
	}
	cmd.Wait()
	return strings.TrimSpace(out.String())
}

// The home of a cell is in memory: its files are there for the program, and nothing of them or of what it wrote is on
// the disk, neither meanwhile nor afterwards.
func TestCellHome(t *testing.T) {
	home, outside := t.TempDir(), t.TempDir()
	c := Cell{Home: home, Files: []File{{Name: "conf/key", Text: "secret"}, {Name: "tmp", Dir: true}, {Name: "login", Link: "conf/key"}}}
	got := inCell(t, c, Rules{}, `cat $HOME/conf/key $HOME/login; echo; echo new > $HOME/tmp/x && cat $HOME/tmp/x
		touch `+outside+`/x 2>/dev/null || echo refused
		head -c 3000000 /dev/zero > $HOME/big 2>/dev/null || echo full`, func([]*os.File) {
		if all, err := os.ReadDir(home); err != nil || len(all) > 0 {
			t.Errorf("%v %v", all, err)
		}
	})
	if want := "secretsecret\nnew\nrefused\nfull"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if all, err := os.ReadDir(home); err != nil || len(all) > 0 {
		t.Errorf("%v %v", all, err)
	}
}

// What is shown elsewhere can be read there and not written, also where the folder itself is denied, and without what is denied there.
func TestCellShows(t *testing.T) {
	from, at, git, file := t.TempDir(), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "file")
	for name, text := range map[string]string{from + "/text": "text", from + "/.env": "secret", from + "/.git/config": "theirs", from + "/sub/.git": "gitdir: theirs",
		from + "/built/out": "built", git + "/config": "ours", file: "gitdir: ours"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r := Rules{Deny: []string{from, at + "/.env", at + "/built"}, Show: []Shown{{from, at}, {git, at + "/.git"}, {file, at + "/sub/.git"}}}
	got := inCell(t, Cell{Home: t.TempDir()}, r, `cd `+at+`; cat text .git/config sub/.git; echo
		for f in text new .git/config sub/.git built/new; do (echo x > $f) 2>/dev/null && echo wrote $f; rm -f $f 2>/dev/null; done
		cat .env built/out `+from+`/text 2>/dev/null; mv sub other 2>/dev/null && echo moved; mount -o remount,rw `+at+` 2>/dev/null && echo remounted; umount `+at+`/.env 2>/dev/null && echo uncovered
		cat text`, nil)
	if want := "textoursgitdir: ours\ntext"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if all, err := os.ReadDir(at); err != nil || len(all) > 0 {
		t.Errorf("what was shown is there for others: %v %v", all, err)
	}
}

// What a program leaves behind ends with it, also what begins a session of its own under another environment.
func TestCellEnds(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skip(err, out)
	}
	read := make(chan []byte)
	go func() { // it reads to the end once nobody has the pipe open for writing
		text, _ := os.ReadFile(fifo)
		read <- text
	}()
	inCell(t, Cell{}, Rules{Write: []string{dir}}, `exec 3> `+fifo+`; echo begun >&3; env -i setsid --fork sleep 1000 > /dev/null 2>&1`, nil)
	if text := <-read; string(text) != "begun\n" {
		t.Errorf("read %q", text)
	}
}

// The network of a cell contains what we serve and nothing else.
func TestCellNetwork(t *testing.T) {
	outer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	c := Cell{Listen: []string{"tcp 0.0.0.0:443", "udp 127.0.0.1:53", "tcp [::1]:443"}, Lead: []string{"192.0.2.7"},
		System: map[string]string{"/etc/hosts": "127.0.0.9 a.test\n"}}
	_, port, _ := net.SplitHostPort(outer.Addr().String())
	got := inCell(t, c, Rules{Network: true}, `cat > $HOME/try <<'END'
for at in 127.5.6.7/443 192.0.2.7/443; do exec 3<>/dev/tcp/$at; echo "to $at" >&3; cat <&3; done
for at in 127.0.0.1/`+port+` 192.0.2.8/443 8.8.8.8/53; do (exec 3<>/dev/tcp/$at) 2>/dev/null && echo "reached $at"; done
echo 1 > /dev/udp/127.0.0.1/53 && echo asked
cat /etc/hosts
END
bash $HOME/try`, func(files []*os.File) {
		if len(files) != 3 {
			t.Fatalf("%d listeners", len(files))
		}
		l, err := net.FileListener(files[0])
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for range 2 {
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			line := make([]byte, 100)
			n, _ := conn.Read(line)
			io.WriteString(conn, conn.LocalAddr().String()+" "+string(line[:n]))
			conn.Close()
		}
		p, err := net.FilePacketConn(files[1])
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if _, _, err := p.ReadFrom(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
	})
	if want := "127.5.6.7:443 to 127.5.6.7/443\n192.0.2.7:443 to 192.0.2.7/443\nasked\n127.0.0.9 a.test"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A cell shows no other process, and its own are numbered again.
func TestCellProcesses(t *testing.T) {
	got := inCell(t, Cell{}, Rules{}, `[ -e /proc/self/status ] && ls /proc | grep -c '^[0-9]'; ipcs -m 2>/dev/null | grep -c 0x; true`, nil)
	if !strings.HasPrefix(got, "3\n") && !strings.HasPrefix(got, "4\n") && !strings.HasPrefix(got, "5\n") {
		t.Errorf("it sees %q processes", got)
	}
}

// What cannot be handed over is refused.
func TestCellRefuses(t *testing.T) {
	if err := Cells(); err != nil {
		t.Skip(err)
	}
	for _, c := range []Cell{{Home: "home"}, {Home: t.TempDir(), Files: []File{{Name: "../x"}}}, {Home: t.TempDir(), Files: []File{{Name: "x", Text: "\x00"}}},
		{Home: filepath.Join(t.TempDir(), "missing")}} {
		if _, err := Command(exec.Command("true"), Rules{Cell: &c}); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
	if err := errors.Join((&Cell{Home: "/x"}).check()); err != nil {
		t.Error(err)
	}
}

func BenchmarkCell(b *testing.B) {
	if err := Cells(); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		cmd := exec.Command("true")
		run, err := Command(cmd, Rules{Cell: &Cell{Home: b.TempDir(), Listen: []string{"tcp 0.0.0.0:443"}, Files: []File{{Name: "x", Text: "x"}}}})
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		files, err := run.Listeners()
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			f.Close()
		}
		cmd.Wait()
		run.End()
	}
}
