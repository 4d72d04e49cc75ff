//go:build linux

package test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/terminal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// shipped is the program as it is shipped, in an empty home: what is measured here is what a person would wait for.
type shipped struct {
	b      *testing.B
	binary string
	dir    string
	env    []string
}

func newShipped(b *testing.B) *shipped {
	d := &shipped{b: b, binary: os.Getenv("SOCRATES_BENCH_BINARY"), dir: b.TempDir()}
	if d.binary == "" {
		d.binary = filepath.Join(b.TempDir(), "socrates")
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", d.binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("build: %v\n%s", err, out)
		}
	}
	d.home()
	return d
}

// home is another empty home, and a short script that answers in it.
func (d *shipped) home() {
	home := d.b.TempDir()
	d.env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=xterm-256color", "SOCRATES_KEYRING=file", "OLLAMA_BASE_URL=http://127.0.0.1:1/v1", "LMSTUDIO_BASE_URL=http://127.0.0.1:1/v1"}
	d.file("short.yaml", "rules: [{reply: Done., usage: {input: 10, output: 2}}]")
	d.command("config", "set", "chat.model", "script:short.yaml")
}

func (d *shipped) file(name, text string) {
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.b.Fatal(err)
	}
}

func (d *shipped) prepared(args ...string) *exec.Cmd {
	c := exec.Command(d.binary, args...)
	c.Dir, c.Env = d.dir, d.env
	return c
}

func (d *shipped) command(args ...string) {
	d.b.Helper()
	if out, err := d.prepared(args...).CombinedOutput(); err != nil {
		d.b.Fatalf("socrates %v: %v\n%s", args, err, out)
	}
}

// shown is a screen that runs.
type shown struct {
	*terminal.Terminal
	b   *testing.B
	pid int
}

func (d *shipped) open(args ...string) *shown {
	d.b.Helper()
	c := d.prepared(args...)
	t, err := terminal.Start(c, 140, 40)
	if err != nil {
		d.b.Fatal(err)
	}
	return &shown{Terminal: t, b: d.b, pid: c.Process.Pid}
}

func (s *shown) gone(text string) {
	s.b.Helper()
	if err := s.Wait("no "+text, func(screen string) bool { return !strings.Contains(screen, text) }); err != nil {
		s.b.Fatal(err)
	}
}

// see waits until a text is on the screen, gone until it is not.
func (s *shown) see(text string) {
	s.b.Helper()
	if err := s.Wait("see "+text, func(screen string) bool { return strings.Contains(screen, text) }); err != nil {
		s.b.Fatal(err)
	}
}

func (s *shown) leave() {
	s.b.Helper()
	s.Type("\x11") // ctrl+q
	if code, err := s.End(); err != nil || code != 0 {
		s.b.Fatalf("it ended with %d: %v", code, err)
	}
	s.Close()
}

// cpu is what a process took so far.
func cpu(pid int) (all time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range threads {
		var ns int64
		raw, _ := os.ReadFile(file)
		fmt.Sscan(string(raw), &ns)
		all += time.Duration(ns)
	}
	return all
}

// memory is what a process holds now, in MiB.
func memory(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kB := 0.0
	fmt.Sscan(after, &kB)
	return kB / 1024
}

// long brings a conversation of 10,000 nodes into the store.
func (d *shipped) long(name string) {
	r := archive.Record{Name: name, Branch: "main", Branches: map[string]tree.ID{}, Labels: map[string]tree.ID{}}
	nodes := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: name, Dir: d.dir})}
	add := func(n tree.Node) {
		n.Parent = nodes[len(nodes)-1].ID
		nodes = append(nodes, n)
	}
	for i := range 2500 {
		args, _ := json.Marshal(map[string]string{"command": fmt.Sprint("ls ", i)})
		add(talk.SayKind.New("", "person", talk.Said{Text: fmt.Sprintf("Where is thing %d?", i)}))
		add(talk.JudgeKind.New("", "code", talk.Judged{Call: "c", Tool: "bash", Verdict: "allow"}))
		add(talk.ExchangeKind.New("", "m", talk.Exchange{Model: "m", Messages: []llm.Message{
			{Role: llm.Assistant, Parts: []llm.Part{llm.Call{ID: "c", Name: "bash", Args: args}}},
			{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "c", Name: "bash", Text: strings.Repeat("some file\n", 20)}}}}}))
		add(talk.ReplyKind.New("", "m", talk.Reply{State: talk.Done, Message: llm.AssistantText(fmt.Sprintf("Thing %d is in **file %d**.", i, i*7))}))
	}
	r.Branches["main"] = nodes[len(nodes)-1].ID
	text, err := r.Take(nodes, func(string) (string, bool) { return "", false }).JSON()
	if err != nil {
		d.b.Fatal(err)
	}
	d.file("long.json", text)
	d.command("tree", "import", "long.json", "--name", name)
}

// streamed is how many bytes each seat writes, at pieces of 40 a millisecond: about 10,000 tokens a second, each.
const streamed = 200_000

// five seats five models that write a long ballot.
func (d *shipped) five() {
	said := strings.Repeat(strings.Repeat("The store has *one writer*, and a reader sees what was committed before it began. ", 6)+`\n\n`, streamed/496)
	d.file("five.yaml", "rules:\n  - act: blind\n    pace_ms: 1\n    piece: 40\n    reply: '{\"option\": \"{{option \"one writer\"}}\", \"summary\": \""+said+"\", \"claims\": [{\"text\": \"one is simpler\", \"kind\": \"logic\", \"impact\": 2, \"option\": \"{{option \"one writer\"}}\", \"supports\": true, \"evidence\": {\"kind\": \"none\", \"file\": \"\", \"line\": 0, \"quote\": \"\", \"command\": [], \"expect\": \"\", \"url\": \"\"}}], \"change_my_mind\": \"nothing\", \"confidence\": 0.8}'\n  - reply: '{}'\n")
	d.command("config", "set", "seats", "script:five.yaml,script:five.yaml,script:five.yaml,script:five.yaml,script:five.yaml")
}

// BenchmarkScreenFirstFrame starts the program and waits until there is somewhere to type: on an empty store, on a conversation
// of 10,000 nodes, and with the program and the store taken out of the page cache before.
func BenchmarkScreenFirstFrame(b *testing.B) {
	for _, name := range []string{"warm", "10000", "cold"} {
		b.Run(name, func(b *testing.B) {
			d := newShipped(b)
			if name == "10000" {
				d.long("long")
			}
			var took []time.Duration
			var spent time.Duration
			for b.Loop() {
				if name == "cold" {
					d.forget()
				}
				args, sign := []string{}, "▌"
				if name == "10000" {
					args, sign = []string{"--session", "long"}, "file 17493"
				}
				began := time.Now()
				s := d.open(args...)
				s.see(sign)
				took = append(took, time.Since(began))
				spent += cpu(s.pid)
				s.leave()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/1e6, "median-ms")
			b.ReportMetric(float64(took[0])/1e6, "best-ms")
			b.ReportMetric(float64(spent)/1e6/float64(len(took)), "cpu-ms")
		})
	}
}

// forget has the system drop what it keeps in memory of the program and of the home folder.
func (d *shipped) forget() {
	unix.Sync()
	home := strings.TrimPrefix(d.env[0], "HOME=")
	for _, from := range []string{d.binary, home, d.dir} {
		filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if f, err := os.Open(path); err == nil {
					unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
					f.Close()
				}
			}
			return nil
		})
	}
}

// BenchmarkScreenIdle leaves the program alone for a while with three conversations open.
func BenchmarkScreenIdle(b *testing.B) {
	const while = 20 * time.Second
	d := newShipped(b)
	s := d.open()
	for i := range 3 {
		if i > 0 {
			s.Type("\x1bn") // alt+n
		}
		s.see(fmt.Sprintf(" %d new", i+1))
		s.Type("hello\r")
		s.see("Done.")
	}
	time.Sleep(12 * time.Second) // for what has only just come to rest
	for b.Loop() {
		was, wrote := cpu(s.pid), len(s.Raw())
		time.Sleep(while)
		b.ReportMetric(float64(cpu(s.pid)-was)/float64(while)*100, "cpu-%")
		b.ReportMetric(float64(len(s.Raw())-wrote), "bytes")
		b.ReportMetric(memory(s.pid), "MiB")
	}
	s.leave()
}

// BenchmarkScreenStream has five seats stream, each about 10,000 tokens a second, beside a conversation of 10,000 nodes, and
// meanwhile presses keys: in the debate, or in the conversation while the debate goes on behind it.
func BenchmarkScreenStream(b *testing.B) {
	for _, where := range []string{"debate", "10000"} {
		b.Run(where, func(b *testing.B) {
			d := newShipped(b)
			for b.Loop() {
				b.StopTimer()
				d.home() // what one run leaves open, the next would open again
				d.long("long")
				d.five()
				b.StartTimer()
				s := d.open("--session", "long")
				s.see("file 17493")
				s.Settle() // all of it was read
				b.ReportMetric(memory(s.pid), "MiB-10000")
				s.Type("/debate One writer or a pool? Options: one writer, a pool\r")
				s.see("before it began")
				began, was, wrote := time.Now(), cpu(s.pid), len(s.Raw())
				if where == "10000" {
					s.Type("\x1b1") // alt+1
					s.see("file 17493")
				}
				keys := s.keys(60)
				b.ReportMetric(float64(cpu(s.pid)-was)/float64(time.Since(began))*100, "cpu-%")
				s.Type("\x1b2")
				s.see(" score ")
				s.gone("blind ballots")
				b.ReportMetric(time.Since(began).Seconds(), "s")
				b.ReportMetric(float64(cpu(s.pid)-was)/1e9, "cpu-s")
				b.ReportMetric(float64(len(s.Raw())-wrote)/(5*streamed/4), "bytes/token")
				b.ReportMetric(float64(keys[len(keys)/2])/1e6, "key-ms")
				b.ReportMetric(float64(keys[len(keys)*95/100])/1e6, "key-95-ms")
				b.ReportMetric(memory(s.pid), "MiB")
				s.Close()
			}
		})
	}
}

// keys presses keys one after the other, and says how long each took to its frame, the shortest first.
func (s *shown) keys(n int) (took []time.Duration) {
	line := "q"
	for i := range n {
		began := time.Now()
		s.Type(line[len(line)-1:])
		s.see("▌ " + line)
		took = append(took, time.Since(began))
		if line += string(rune('a' + len(line)%26)); len(line) > 50 {
			s.Type("\x15") // ctrl+u
			line = "q"
		}
		time.Sleep(time.Duration(30+i*7%13) * time.Millisecond) // not in step with the renderer's clock
	}
	slices.SortFunc(took, cmp.Compare[time.Duration])
	return took
}
