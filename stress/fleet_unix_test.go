//go:build unix

package stress_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
)

// fleet is a hub and its workers, each a process with a home of its own.
type fleet struct {
	*testing.T
	dir, second string
	lease       string
	flags       []string            // of the hub: the ports that it got first
	offers      map[string][]string // flags of a worker; none: it offers what all others of its kind do
	mu          sync.Mutex
	hub         *process
	workers     map[string]*process
	reclaims    int
}

// process is one that was started, and what it has said.
type process struct {
	*exec.Cmd
	mu    sync.Mutex
	said  string
	over  bool
	moved chan struct{} // closed when it says more
}

// hear takes in what it says, so that it never waits for a reader.
func (p *process) hear(from io.ReadCloser) {
	defer from.Close()
	more := func(line string, over bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.said, p.over = p.said+line, over
		close(p.moved)
		p.moved = make(chan struct{})
	}
	for lines := bufio.NewScanner(from); lines.Scan(); {
		more(lines.Text()+"\n", false)
	}
	more("", true)
}

// await waits until it has said a line, and gives the parts of it; nil: it ended before.
func (p *process) await(want string) []string {
	for line := regexp.MustCompile("(?m)" + want); ; {
		p.mu.Lock()
		found, over, moved := line.FindStringSubmatch(p.said), p.over, p.moved
		p.mu.Unlock()
		if found != nil || over {
			return found
		}
		<-moved
	}
}

// TestFleet gives layers of tasks to workers that are killed and stopped at random, by a hub that is killed, too. Each task is answered
// exactly once, nothing is left, and a worker that wakes changes nothing. SOCRATES_STRESS=full has 10 workers of 10 slots, 1,200 tasks, 20
// kills and 30 stops of workers and 5 kills of the hub.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	workers, layers, each, kills, stops, hubs := 3, 3, 12, 2, 1, 1
	if os.Getenv("SOCRATES_STRESS") == "full" {
		workers, layers, each, kills, stops, hubs = 10, 20, 60, 20, 30, 5
	}
	f := newFleet(t)
	f.startHub()
	for i := range workers {
		f.join(fmt.Sprint("w", i))
	}
	began, r := time.Now(), rand.New(rand.NewPCG(19, 1))
	ended := make(chan struct{})
	var harm sync.WaitGroup
	harm.Go(func() { f.harm(ended, r, workers, kills, stops, hubs) })
	seat := f.seat()
	for layer := range layers {
		var all sync.WaitGroup
		for i := range each {
			all.Go(func() { f.ask(seat, i, layer) })
		}
		all.Wait()
	}
	took := time.Since(began)
	close(ended)
	harm.Wait()
	f.look(layers * each)
	t.Logf("%d tasks by %d workers of 10 slots: %s, with %d kills and %d stops of workers and %d kills of the hub; %d claims were lost",
		layers*each, workers, took.Round(100*time.Millisecond), kills, stops, hubs, f.reclaims)
}

func newFleet(t *testing.T) *fleet {
	first, err := built()
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{T: t, dir: t.TempDir(), lease: "4s", second: filepath.Join(filepath.Dir(first), "socrates-hub"), offers: map[string][]string{},
		workers: map[string]*process{}}
	if out, err := exec.Command("go", "build", "-o", f.second, "../socrates-hub").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	model := "info: {id: echo, lineage: acme}\nrules:\n"
	for i := range 60 { // a task takes .2 to 1.6 s
		model += fmt.Sprintf("  - {contains: task %d of, delay_ms: %d, reply: done %d}\n", i, 200*(i%8+1), i)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "echo.yaml"), []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range f.workers {
			c.Process.Signal(syscall.SIGCONT)
			c.Process.Kill()
			c.Wait()
		}
		f.hub.Process.Kill()
		f.hub.Wait()
	})
	return f
}

// start starts a program in its home, and waits for a line of it.
func (f *fleet) start(home, want string, args ...string) (*process, []string) {
	f.Helper()
	c := f.command(home, f.second, args...)
	read, write, err := os.Pipe()
	if err != nil {
		f.Fatal(err)
	}
	c.Stderr = write
	if err := c.Start(); err != nil {
		f.Fatal(err)
	}
	write.Close()
	p := &process{Cmd: c, moved: make(chan struct{})}
	go p.hear(read)
	found := p.await(want)
	if found == nil {
		f.Errorf("%s ended without saying %s:\n%s", strings.Join(args, " "), want, p.said)
	}
	return p, found
}

// command is a program that works in its home.
func (f *fleet) command(home, program string, args ...string) *exec.Cmd {
	f.Helper()
	c := exec.Command(program, args...)
	c.Dir = filepath.Join(f.dir, home)
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		f.Fatal(err)
	}
	c.Env = []string{"HOME=" + c.Dir, "PATH=" + os.Getenv("PATH"), "SOCRATES_KEYRING=file"}
	return c
}

// startHub starts the hub, at the ports that it has had.
func (f *fleet) startHub() {
	if f.flags == nil {
		f.flags = []string{"127.0.0.1:0", "127.0.0.1:0"}
	}
	c, at := f.start("hub", `\[tls://(\S+)\] and fetch code at https://(\S+)\.`, "hub", "--addr", "127.0.0.1:0", "--lease", f.lease,
		"--workers", f.flags[0], "--code", f.flags[1])
	if at == nil {
		f.Fatal("no hub")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hub, f.flags = c, at[1:]
}

// client reaches the hub.
func (f *fleet) client() *socket.Client {
	return socket.NewClient(filepath.Join(f.dir, "hub", ".local", "share", "socrates"))
}

// join has a worker join.
func (f *fleet) join(name string) {
	token, err := f.client().Invite(f.Context(), socket.Invitation{Worker: name, Pools: []string{"all"}, Life: time.Minute})
	if err != nil {
		f.Fatal(err)
	}
	f.work(name, "--join", token)
}

// work starts a worker that has joined.
func (f *fleet) work(name string, more ...string) {
	flags := f.offers[name]
	if flags == nil {
		flags = []string{"--slots", "10", "--seat", "script:../echo.yaml"}
	}
	c, _ := f.start(name, "^Connected as", slices.Concat([]string{"worker", "--pool", "all"}, flags, more)...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workers[name] = c
}

// seat is the one that all workers have together.
func (f *fleet) seat() socket.Seat {
	list, err := f.client().Seats(f.Context(), "")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range list {
		if s.Where == "all" {
			return s
		}
	}
	f.Fatal("no worker offers a seat in the pool")
	return socket.Seat{}
}

// ask has some worker answer, and wants one answer to what was asked.
func (f *fleet) ask(seat socket.Seat, task, layer int) {
	m := &remote.Model{Account: remote.Account{Hub: f.client()}, Seat: seat}
	text := fmt.Sprintf("task %d of layer %d", task, layer)
	req := llm.Request{Messages: []llm.Message{llm.UserText(text)}, Effect: text}
	text = fmt.Sprint("done ", task)
	said, ends := "", 0
	for d, err := range m.Stream(f.Context(), req) {
		if err != nil {
			f.Errorf("%s: %v", text, err)
			return
		}
		if d.Retry != nil && d.Retry.Void {
			said = ""
		}
		said += d.Text
		if d.End != nil {
			ends++
		}
	}
	if said != text || ends != 1 {
		f.Errorf("it said %q and ended %d times; want %q, once", said, ends, text)
	}
}

// harm kills and stops workers and kills the hub, one after the other, until the tasks are done.
func (f *fleet) harm(ended chan struct{}, r *rand.Rand, workers, kills, stops, hubs int) {
	var what []int
	for i, n := range []int{kills, stops, hubs} {
		for range n {
			what = append(what, i)
		}
	}
	r.Shuffle(len(what), func(i, j int) { what[i], what[j] = what[j], what[i] })
	for _, kind := range what {
		select {
		case <-ended:
			return
		case <-time.After(time.Duration(500+r.IntN(1500)) * time.Millisecond):
		}
		name := fmt.Sprint("w", r.IntN(workers))
		f.mu.Lock()
		victim, hub := f.workers[name], f.hub
		f.mu.Unlock()
		switch kind {
		case 0:
			victim.Process.Kill()
			victim.Wait()
			f.work(name)
		case 1: // beyond its lease
			victim.Process.Signal(syscall.SIGSTOP)
			time.Sleep(6 * time.Second)
			victim.Process.Signal(syscall.SIGCONT)
		case 2:
			hub.Process.Kill()
			hub.Wait()
			time.Sleep(time.Duration(1+r.IntN(5)) * time.Second)
			f.startHub()
		}
	}
}

// look wants every task to be done, once, and counts the claims beyond that.
func (f *fleet) look(tasks int) {
	db := f.table()
	defer db.Close()
	var done, open, claims int
	if err := db.QueryRow("SELECT count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state <> 'done'), "+
		"(SELECT count(*) FROM claim) FROM task").Scan(&done, &open, &claims); err != nil {
		f.Fatal(err)
	}
	if done != tasks || open != 0 {
		f.Errorf("%d tasks are done and %d are not; want %d and none", done, open, tasks)
	}
	f.reclaims = claims - tasks
}

// table is the hub's, to be looked at.
func (f *fleet) table() *sql.DB {
	f.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.dir, "hub", ".local", "share", "socrates", "hub", "hub.db")+"?mode=ro")
	if err != nil {
		f.Fatal(err)
	}
	return db
}
