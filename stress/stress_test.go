// Package stress_test lets many processes debate on one store, kills them at random, and looks at what is left.
package stress_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// processes debate at once. SOCRATES_STRESS says for how long, as in 60s; ten seconds if it says none.
const processes = 16

// decided are the exit codes of a debate that came to its end: a decision, a tie, nothing decided.
var decided = []int{0, 10, 11, 12}

// arena is one store, the program, and what was seen of both.
type arena struct {
	program, dir, path string

	mu           sync.Mutex
	nodes        map[int64]string // printed nodes by seq, byte for byte
	texts        map[string]bool  // hashes of printed texts
	kills, ended int
	firstWait    time.Duration // longest from a program's start to its first node
	gap          time.Duration // longest between two nodes of one program
}

func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as SOCRATES_STRESS says")
	}
	lasts := 10 * time.Second
	if s := os.Getenv("SOCRATES_STRESS"); s != "" && s != "full" {
		var err error
		if lasts, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	a := newArena(t)
	var wait sync.WaitGroup
	end := time.Now().Add(lasts)
	for i := range processes {
		rnd := rand.New(rand.NewPCG(uint64(i), 1))
		wait.Go(func() {
			room := ""
			for time.Now().Before(end) && !t.Failed() {
				kill := time.Duration(0)
				if rnd.IntN(4) > 0 {
					kill = time.Duration(1 + rnd.IntN(int(900*time.Millisecond)))
				}
				room = a.run(t, room, kill)
			}
		})
	}
	wait.Wait()
	killed := a.kills
	stopped := a.finishAll(t)
	a.inspect(t)
	t.Logf("%v: %d nodes printed, %d kills, %d debates ended, %d rooms resumed afterwards; longest wait for the first node %v, between nodes %v",
		lasts, len(a.nodes), killed, a.ended, stopped, a.firstWait.Round(time.Millisecond), a.gap.Round(time.Millisecond))
	if killed == 0 || len(a.nodes) == 0 {
		t.Error("nobody was killed or no message given: this tested nothing")
	}
}

// built builds the program, once for all tests. It lies in a folder that TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if builds, err = os.MkdirTemp("", "stress"); err != nil {
		return "", err
	}
	program := filepath.Join(builds, "socrates")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w %s", err, out)
	}
	return program, nil
})

// builds is the folder of what was built; empty: nothing was.
var builds string

func newArena(t *testing.T) *arena {
	dir := t.TempDir()
	a := &arena{dir: filepath.Join(dir, "project"), path: filepath.Join(dir, "data", "s.db"), nodes: map[int64]string{}, texts: map[string]bool{}}
	var err error
	if a.program, err = built(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(a.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, vote := range []string{"keep one", "keep one", "use many"} {
		script := fmt.Sprintf(`info: {id: seat%[1]d}
rules:
  - act: blind
    delay_ms: %[2]d
    reply: '{"option": "{{option "%[3]s"}}", "other": "", "summary": "seat %[1]d", "change_my_mind": "a measurement", "confidence": 0.8, "claims": [
      {"text": "seat %[1]d has measured that %[3]s is right", "kind": "logic", "impact": 5, "option": "{{option "%[3]s"}}", "supports": true,
       "evidence": {"kind": "quote", "file": "f.txt", "line": 1, "quote": "line %[1]d", "command": [], "expect": "", "url": ""}}]}'
  - act: cross
    delay_ms: %[2]d
    reply: '{"option": "{{option "%[3]s"}}", "because": [], "stances": [], "claims": []}'
  - act: verify
    reply: '{"judgements": [{"item": 1, "entails": "yes", "bears": "yes", "grave": "", "why": "it says so"}]}'
`, i, 10+20*i, vote)
		write(t, filepath.Join(a.dir, fmt.Sprintf("seat%d.yaml", i)), script)
	}
	write(t, filepath.Join(a.dir, "f.txt"), "line 0\nline 1\nline 2\n")
	return a
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (a *arena) command(args ...string) *exec.Cmd {
	c := exec.Command(a.program, append([]string{"--store", a.path}, args...)...)
	c.Dir = a.dir
	home := filepath.Dir(a.path)
	c.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	return c
}

// run starts one program: a new debate, or the one to resume. It is killed after a time, if that is not 0. The room
// that is left to resume is returned.
func (a *arena) run(t *testing.T, room string, kill time.Duration) string {
	args := []string{"--output", "stream-json", "debate"}
	if room != "" {
		args = append(args, "resume", room)
	} else {
		args = append(args, "--seat", "script:seat0.yaml", "--seat", "script:seat1.yaml", "--seat", "script:seat2.yaml",
			"--option", "keep one", "--option", "use many", "Which of the two?")
	}
	c := a.command(args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Error(err)
		return ""
	}
	start := time.Now()
	if err := c.Start(); err != nil {
		t.Error(err)
		return ""
	}
	if kill > 0 {
		defer time.AfterFunc(kill, func() { c.Process.Kill() }).Stop()
	}
	name, last := a.listen(t, bufio.NewScanner(out), start)
	c.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case slices.Contains(decided, c.ProcessState.ExitCode()) && last == "result":
		a.ended++
		return ""
	case kill > 0 && c.ProcessState.ExitCode() == -1 || runtime.GOOS == "windows" && kill > 0:
		a.kills++
		if name != "" {
			return name
		}
		return room
	}
	t.Errorf("%v: %v, last line %q: %s", args[2:], c.ProcessState, last, &stderr)
	return ""
}

// listen keeps what a program prints, and returns the name of its room and the type of its last whole line.
func (a *arena) listen(t *testing.T, lines *bufio.Scanner, since time.Time) (room, last string) {
	lines.Buffer(nil, 1<<24)
	for first := true; lines.Scan(); {
		var l struct {
			Type, Session, SHA256 string
			Node                  json.RawMessage
		}
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue // cut by the kill
		}
		last = l.Type
		if l.Session != "" {
			room = l.Session
		}
		a.mu.Lock()
		if l.Type == "text" {
			a.texts[l.SHA256] = true
		}
		if l.Type == "node" {
			var n tree.Node
			if err := json.Unmarshal(l.Node, &n); err != nil {
				t.Errorf("a node that is none: %v", err)
			}
			if have, ok := a.nodes[n.Seq]; ok && have != string(l.Node) {
				t.Errorf("node %d was printed as\n%s\nand as\n%s", n.Seq, have, l.Node)
			}
			a.nodes[n.Seq] = string(l.Node)
			if first {
				a.firstWait = max(a.firstWait, time.Since(since))
			} else {
				a.gap = max(a.gap, time.Since(since))
			}
			first, since = false, time.Now()
		}
		a.mu.Unlock()
	}
	return room, last
}

// finishAll resumes every room that has not ended, and says how many there were.
func (a *arena) finishAll(t *testing.T) int {
	stopped := 0
	for _, r := range a.list(t) {
		if !r.Ended {
			stopped++
			a.run(t, r.Room, 0)
		}
	}
	for _, r := range a.list(t) {
		if !r.Ended || r.End == nil || r.Running {
			t.Errorf("room %s did not end: %+v", r.Room, r)
		}
	}
	return stopped
}

type listed struct {
	Room           string
	Ended, Running bool
	End            *ruling.End
}

func (a *arena) list(t *testing.T) (rooms []listed) {
	t.Helper()
	out, err := a.command("--output", "json", "debate", "list", "--limit", "0").Output()
	if err == nil {
		err = json.Unmarshal(out, &rooms)
	}
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	return rooms
}

// inspect looks at everything the store holds.
func (a *arena) inspect(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, a.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rooms := map[tree.ID][]tree.Node{}
	rootOf := map[tree.ID]tree.ID{"": ""}
	printed := 0
	for n, err := range s.Since(ctx, 0, "") {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(n)
		if err != nil {
			t.Fatalf("node %d is torn: %v", n.Seq, err)
		}
		if want, ok := a.nodes[n.Seq]; ok {
			printed++
			if string(raw) != want {
				t.Errorf("node %d is\n%s\nand was printed as\n%s", n.Seq, raw, want)
			}
		}
		root, ok := rootOf[n.Parent]
		if !ok {
			t.Errorf("node %d has no parent", n.Seq)
		}
		if n.Parent == "" {
			root = n.ID
		}
		rootOf[n.ID] = root
		rooms[root] = append(rooms[root], n)
	}
	if printed != len(a.nodes) {
		t.Errorf("%d nodes were printed, %d of them are in the store", len(a.nodes), printed)
	}
	for hash := range a.texts {
		if _, err := s.Blob(ctx, hash); err != nil {
			t.Error(err)
		}
	}
	refs, err := s.Tips(ctx, "room/")
	if err != nil || len(refs) != len(rooms) {
		t.Errorf("%d rooms have %d names: %v", len(rooms), len(refs), err)
	}
	for _, ref := range refs {
		inspectRoom(t, ref.Ref, rooms[ref.Root.ID])
	}
	a.integrity(t)
}

// inspectRoom wants one end, under the room's name, and one question and one reply per key.
func inspectRoom(t *testing.T, ref tree.Ref, nodes []tree.Node) {
	counts := map[string]int{}
	for _, n := range nodes {
		switch n.Kind {
		case string(exchange.AskKind), string(exchange.ReplyKind):
			var k struct{ Key string }
			if json.Unmarshal(n.Body, &k) != nil || k.Key == "" {
				t.Errorf("%s: node %d has no key", ref.Name, n.Seq)
			}
			counts[n.Kind+" "+k.Key]++
		case string(ruling.EndKind), string(ruling.VerdictKind), string(ruling.DecisionKind):
			counts[n.Kind]++
			if n.Kind == string(ruling.EndKind) && n.ID != ref.Head {
				t.Errorf("%s does not point at its end", ref.Name)
			}
		}
	}
	replies := 0
	for what, count := range counts {
		if count != 1 {
			t.Errorf("%s: %d times %s", ref.Name, count, what)
		}
		if strings.HasPrefix(what, string(exchange.ReplyKind)+" ") {
			replies++
		}
	}
	if replies < 6 || counts[string(ruling.EndKind)] != 1 {
		t.Errorf("%s: %d replies, counts %v", ref.Name, replies, counts)
	}
}

func (a *arena) integrity(t *testing.T) {
	db, err := sql.Open("sqlite", a.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var ok string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
		t.Errorf("integrity: %s %v", ok, err)
	}
	var torn int
	if err := db.QueryRow("SELECT count(*) FROM node WHERE NOT json_valid(body)").Scan(&torn); err != nil || torn != 0 {
		t.Errorf("%d bodies are torn, %v", torn, err)
	}
}
