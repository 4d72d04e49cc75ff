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
	"sync/atomic"
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

// chaos is what is done to a fleet.
type chaos struct {
	kills, stops, hubs int
	down               time.Duration // how long there was no hub
	memory             int64         // the most of a hub that was killed
}

// TestFleet gives layers of tasks to workers, once in peace and once while they are killed and stopped at random, by a hub that is killed,
// too. Each task is answered exactly once, nothing is left, a worker that wakes changes nothing, and it takes no longer than it must: what
// it takes in peace, the hub's absence and a lease for each layer, and a quarter more. SOCRATES_STRESS=full has 10 workers of 10 slots,
// 1,200 tasks, 20 kills and 30 stops of workers and 5 kills of the hub, and holds how even the shares are and what memory the hub takes.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	full := os.Getenv("SOCRATES_STRESS") == "full"
	workers, layers, each, plan := 3, 3, 12, chaos{kills: 2, stops: 1, hubs: 1}
	if full {
		workers, layers, each, plan = 10, 20, 60, chaos{kills: 20, stops: 30, hubs: 5}
	}
	f := newFleet(t)
	f.startHub()
	for i := range workers {
		f.join(fmt.Sprint("w", i))
	}
	seat := f.seat()
	peace := f.layers(seat, 0, layers, each)
	least, most := f.shares(workers)
	mean := float64(layers*each) / float64(workers)
	t.Logf("in peace: %d tasks by %d workers of 10 slots: %s; a worker did %d to %d, %+.0f %% to %+.0f %% of the mean", layers*each, workers,
		peace.Round(100*time.Millisecond), least, most, 100*float64(least)/mean-100, 100*float64(most)/mean-100)
	ended, done := make(chan struct{}), make(chan chaos, 1)
	go func() { done <- f.harm(ended, rand.New(rand.NewPCG(19, 1)), workers, plan) }()
	took := f.layers(seat, layers, layers, each)
	close(ended)
	did := <-done
	f.look(2 * layers * each)
	f.hub.Process.Kill()
	f.hub.Wait()
	did.memory = max(did.memory, peak(f.hub.Cmd))
	lease, err := time.ParseDuration(f.lease)
	if err != nil {
		t.Fatal(err)
	}
	bound := (peace + did.down + time.Duration(layers)*lease) * 5 / 4
	t.Logf("in chaos: %s, the bound is %s; %d kills and %d stops of workers and %d kills of the hub, away for %s; %d claims were lost; "+
		"the hub took %d MiB at most", took.Round(100*time.Millisecond), bound.Round(100*time.Millisecond), did.kills, did.stops,
		did.hubs, did.down.Round(100*time.Millisecond), f.reclaims, did.memory>>20)
	if !full {
		return // a few tasks say nothing of time and shares
	}
	if took > bound {
		t.Error("it took longer than the bound")
	}
	if float64(least) < .9*mean || float64(most) > 1.1*mean {
		t.Error("the shares are not even")
	}
	if did.memory > 200<<20 {
		t.Error("the hub takes too much memory")
	}
	if did.kills != plan.kills || did.stops != plan.stops || did.hubs != plan.hubs {
		t.Errorf("only this happened before all was done: %+v", did)
	}
}

// layers has tasks done, one layer after the other, and says how long that takes.
func (f *fleet) layers(seat socket.Offered, first, layers, each int) time.Duration {
	began := time.Now()
	for layer := range layers {
		var all sync.WaitGroup
		for i := range each {
			all.Go(func() { f.ask(seat, i, first+layer) })
		}
		all.Wait()
	}
	return time.Since(began)
}

// shares are the fewest and the most tasks that a worker did.
func (f *fleet) shares(workers int) (least, most int) {
	f.Helper()
	db := f.table()
	defer db.Close()
	var busy int
	err := db.QueryRow("SELECT min(n), max(n), count(*) FROM (SELECT count(*) n FROM task GROUP BY worker)").Scan(&least, &most, &busy)
	if err != nil {
		f.Fatal(err)
	}
	if busy < workers {
		least = 0
	}
	return least, most
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
	c, at := f.start("hub", `tls://(\S+) and fetch code at https://(\S+)\.`, "hub", "--addr", "127.0.0.1:0", "--lease", f.lease,
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
func (f *fleet) seat() socket.Offered {
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
	return socket.Offered{}
}

// ask has some worker answer, and wants one answer to what was asked.
func (f *fleet) ask(seat socket.Offered, task, layer int) {
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

// harm kills and stops workers and kills the hub, until all of the plan is done or the tasks are.
func (f *fleet) harm(ended chan struct{}, r *rand.Rand, workers int, plan chaos) (did chaos) {
	var what []int
	for i, n := range []int{plan.kills, plan.stops, plan.hubs} {
		for range n {
			what = append(what, i)
		}
	}
	r.Shuffle(len(what), func(i, j int) { what[i], what[j] = what[j], what[i] })
	asleep := make([]atomic.Bool, workers)
	var all sync.WaitGroup
	defer all.Wait()
	for _, kind := range what {
		select {
		case <-ended:
			return did
		case <-time.After(time.Duration(300+r.IntN(1200)) * time.Millisecond):
		}
		n := r.IntN(workers)
		for kind < 2 && asleep[n].Load() {
			n = (n + 1) % workers
		}
		name := fmt.Sprint("w", n)
		f.mu.Lock()
		victim, hub := f.workers[name], f.hub
		f.mu.Unlock()
		switch kind {
		case 0:
			victim.Process.Kill()
			victim.Wait()
			f.work(name)
			did.kills++
		case 1: // beyond its lease
			asleep[n].Store(true)
			victim.Process.Signal(syscall.SIGSTOP)
			all.Go(func() {
				time.Sleep(6 * time.Second)
				victim.Process.Signal(syscall.SIGCONT)
				asleep[n].Store(false)
			})
			did.stops++
		case 2:
			gone := time.Now()
			hub.Process.Kill()
			hub.Wait()
			did.memory = max(did.memory, peak(hub.Cmd))
			time.Sleep(time.Duration(1+r.IntN(5)) * time.Second)
			f.startHub()
			did.down += time.Since(gone)
			did.hubs++
		}
	}
	return did
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
