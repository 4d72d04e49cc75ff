package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/code"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/team"
)

// hands is a worker whose every call is the test's.
type hands struct {
	*testHub
	name string
	line *bus.Client
	dir  string
	task string
	got  fleet.Claimed
	from code.Remote
	tree string // where it works
}

func (p *testHub) hands(name string, info llm.Info) *hands {
	p.Helper()
	line, _, dir := p.join(name, 1, info)
	p.Cleanup(func() { line.Close() })
	return &hands{testHub: p, name: name, line: line, dir: dir}
}

// take waits until the queue hands it a task that it is granted.
func (h *hands) take() {
	h.Helper()
	for h.got.Verdict != fleet.OK {
		task, reply, err := h.line.Next(h.Context(), fleet.Queue("all", spec))
		if err == nil {
			h.task = task
			h.got, err = h.line.Claim(h.Context(), fleet.Claim{Task: task, Inst: "i", Reply: reply})
		}
		if err != nil {
			h.Fatal(h.name, err)
		}
	}
	web, trusted := h.line.Web()
	h.from = code.Remote{URL: web, Task: h.task, Pass: h.got.Pass, TLS: trusted, Dir: filepath.Join(h.dir, "objects")}
}

// work fetches the files, changes one, and says something.
func (h *hands) work() {
	h.Helper()
	h.tree = filepath.Join(h.dir, fmt.Sprint("tree", h.got.Epoch))
	_, err := code.Fetch(h.Context(), h.from, h.got.Base, h.tree)
	if err == nil {
		err = os.WriteFile(filepath.Join(h.tree, "a.txt"), []byte("by "+h.name+"\n"), 0o600)
	}
	if err != nil {
		h.Fatal(h.name, err)
	}
	h.node(0, fleet.OK, llm.Delta{Text: "by " + h.name})
}

func (h *hands) node(first int, want fleet.Verdict, d llm.Delta) {
	h.Helper()
	told, err := h.line.Node(h.Context(), fleet.Node{Task: h.task, Epoch: h.got.Epoch, First: first, Deltas: []llm.Delta{d}})
	if err != nil || told.Verdict != want {
		h.Errorf("%s sends %+v: %+v, %v; want %q", h.name, d, told, err, want)
	}
}

// finish pushes what was changed, and ends the call.
func (h *hands) finish(tokens int, want fleet.Verdict) {
	h.Helper()
	commit, err := code.Push(h.Context(), h.from, h.tree, h.got.Epoch)
	if (want == fleet.OK) != (err == nil) || err != nil && !errors.Is(err, code.ErrStale) {
		h.Errorf("%s pushes %q: %v; want %q", h.name, commit, err, want)
	}
	end := llm.Delta{End: &llm.End{Message: llm.AssistantText("by " + h.name), Usage: cost.Usage{Input: tokens}}}
	told, err := h.line.Done(h.Context(), fleet.Done{Task: h.task, Epoch: h.got.Epoch, First: 1, Count: 2, Deltas: []llm.Delta{end}, Commit: commit})
	if err != nil || told.Verdict != want {
		h.Errorf("%s is done: %+v, %v; want %q", h.name, told, err, want)
	}
}

// refused tries all that a worker can do with a task: to say something, to spend, to use a tool, to push files, to end it.
func (h *hands) refused() {
	h.Helper()
	h.node(1, fleet.Stale, llm.Delta{Text: "late"})
	h.node(1, fleet.Stale, llm.Delta{Usage: &cost.Usage{Input: 1 << 30}})
	if told, err := h.line.May(h.Context(), fleet.May{Task: h.task, Epoch: h.got.Epoch, N: 1, Call: llm.Call{Name: "bash"}}); err != nil ||
		told.Verdict != fleet.Stale {
		h.Errorf("%s may use a tool: %+v, %v", h.name, told, err)
	}
	h.finish(1<<30, fleet.Stale)
}

// noted counts the lines of the audit log by what was refused to a worker.
func (p *testHub) noted(worker string) map[string]int {
	p.Helper()
	list, err := p.table.Audit(p.Context(), 1000)
	if err != nil {
		p.Fatal(err)
	}
	lines := map[string]int{}
	for _, e := range list {
		if e.Who == worker {
			lines[e.What]++
		}
	}
	return lines
}

// repository is a project with one file.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "a.txt"), []byte("as it was\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// A worker sleeps through its lease and wakes while another holds its task, and again after a third has done it: its text, its spending, its
// use of a tool, its files and its end of the call are refused and listed, and nothing of them counts. Nor does it keep the task from coming
// back when its successor dies, too.
func TestAWorkerThatSleptThroughItsLease(t *testing.T) {
	p, project := newPlace(t, time.Second), repository(t)
	info := llm.Info{ID: "echo", Lineage: "acme", Acts: true}
	w1, w2, w3 := p.hands("w1", info), p.hands("w2", info), p.hands("w3", info)
	if err := errors.Join(p.book.Enter(t.Context(), team.Person{Name: "ann", Role: team.Agent}), p.book.Limit(t.Context(),
		team.Quota{Kind: team.OfPerson, Name: "ann", Tokens: 1 << 30, Period: team.Day})); err != nil {
		t.Fatal(err)
	}
	m := p.remote()
	m.Account = remote.Account{Hub: m.Hub, Person: "ann", Project: project}
	said, ended := "", make(chan error, 1)
	go func() {
		req := llm.Request{Messages: []llm.Message{llm.UserText("work")}, Dir: project, Leave: func(context.Context, llm.Call) error { return nil }}
		for d, err := range m.Stream(t.Context(), req) {
			if err != nil {
				ended <- err
				return
			}
			if d.Retry != nil && d.Retry.Void {
				said = ""
			}
			said += d.Text
		}
		ended <- nil
	}()
	w1.take()
	w1.work()
	w2.take() // a lease later
	w2.work()
	w1.refused()
	w3.take() // and another one: neither of them beats
	w3.work()
	w1.refused()
	w2.refused()
	w3.finish(77, fleet.OK)
	if err := <-ended; err != nil || said != "by w3" {
		t.Errorf("it says %q, %v", said, err)
	}
	w1.refused()
	w2.refused()
	if got := []int{w1.got.Epoch, w2.got.Epoch, w3.got.Epoch}; !slices.Equal(got, []int{1, 2, 3}) {
		t.Error("epochs", got)
	}
	if file, err := os.ReadFile(filepath.Join(project, "a.txt")); err != nil || string(file) != "by w3\n" {
		t.Errorf("the file has %q, %v", file, err)
	}
	if lines, err := p.book.Spent(t.Context(), time.Unix(0, 0)); err != nil || len(lines) != 1 || lines[0].Calls != 1 || lines[0].Tokens != 77 {
		t.Errorf("spent: %+v, %v", lines, err)
	}
	for w, times := range map[*hands]int{w1: 3, w2: 2, w3: 0} {
		got := p.noted(w.name)
		for what, n := range map[string]int{"node": 2 * times, "may": times, "code": times, "done": times} {
			if got["refused "+what] != n {
				t.Errorf("the log has %d lines of %s refused to %s, want %d: %v", got["refused "+what], what, w.name, n, got)
			}
		}
	}
}

// fails ends each call with an error that has a cause, as most have.
type fails struct{ echo }

// Stream is that of llm.Model.
func (fails) Stream(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		retry := &trouble.Error{Kind: trouble.Overloaded, Err: errors.New("busy")}
		if yield(llm.Delta{Retry: &llm.Retry{Attempt: 1, Err: retry}}, nil) {
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.Auth, Message: "no key", Err: io.ErrUnexpectedEOF})
		}
	}
}

// A call that fails on a worker fails for whoever asked, by its kind and in its words, and is not made again.
func TestAWorkersFailure(t *testing.T) {
	p := newPlace(t, time.Minute)
	p.work("w1", 1, fails{})
	var got []string
	for d, err := range p.remote().Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("a")}}) {
		if err != nil {
			got = append(got, err.Error())
		} else if d.Retry != nil {
			got = append(got, d.Retry.Err.Error())
		}
	}
	if want := []string{"overloaded: busy", "auth: no key"}; !slices.Equal(got, want) {
		t.Errorf("it ends with %q, want %q", got, want)
	}
	if n, err := p.claims(); err != nil || n != 1 {
		t.Error(n, "claims", err)
	}
}
