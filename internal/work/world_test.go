package work_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ours "github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// world is a real repository, a record in memory, and agents and checks that are functions. It can be killed after any node.
type world struct {
	t       *testing.T
	project string
	space   string

	mu     sync.Mutex
	nodes  []tree.Node
	texts  map[string]string
	dies   int // after so many nodes; 0: never
	paused func() bool
	asked  []string
	ran    map[string]int // how often a check ran at a tree
	agents map[string]func(j work.Job, asked int) work.Report
}

var errKilled = errors.New("killed")

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := &world{t: t, project: t.TempDir(), space: filepath.Join(t.TempDir(), "run"), texts: map[string]string{}, ran: map[string]int{},
		agents: map[string]func(work.Job, int) work.Report{}}
	git(t, w.project, "init", "-q", "-b", "main")
	write(t, w.project, files)
	git(t, w.project, "add", "-A")
	git(t, w.project, "commit", "-q", "--allow-empty", "-m", "first")
	return w
}

// begin records the plan and the settings.
func (w *world) begin(text string, o record.Options) {
	w.t.Helper()
	p, faults := plan.Read(text)
	if len(faults) > 0 {
		w.t.Fatal(faults)
	}
	o.Parallel, o.Check = max(o.Parallel, 1), time.Minute
	if len(o.Executors) == 0 {
		o.Executors = []string{"one"}
	}
	_, base, err := workspace.Make(w.t.Context(), w.project, w.space, o.Changes)
	if err != nil {
		w.t.Fatal(err)
	}
	root := record.FrameKind.New("", "person", record.Frame{Run: "trial", Dir: w.project})
	w.nodes = []tree.Node{root, way.PlanKind.New(root.ID, "person", way.Planned{Plan: p, Text: w.put(text)}),
		record.BeginKind.New(root.ID, "person", record.Begun{Options: o, Base: base, Space: w.space})}
}

func (w *world) put(text string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	w.texts[hash] = text
	return hash
}

// run carries the run out until it ends or is killed.
func (w *world) run() error {
	s, _ := work.Read(w.nodes)
	space, err := workspace.Open(w.t.Context(), w.space, s.Begun.Base.Author)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(w.t.Context())
	defer cancel(nil)
	do := func(ctx context.Context, j work.Job) (work.Report, error) {
		w.mu.Lock()
		w.asked = append(w.asked, j.Name)
		n := 0
		for _, name := range w.asked {
			if name == j.Name {
				n++
			}
		}
		w.mu.Unlock()
		task, _ := s.Plan.Task(strings.Split(j.Name, "-")[1])
		do := w.agents[task.Title+"/"+j.Executor]
		if do == nil {
			do = w.agents[j.Executor]
		}
		if do == nil {
			return work.Report{Failed: "there is no such agent"}, nil
		}
		return do(j, n), ctx.Err()
	}
	r := &work.Run{Space: space, Check: w.check, Paused: w.paused, Work: do, Review: do}
	return r.Go(ctx, w.journal(cancel))
}

// move puts what is merged on top of a commit of the project.
func (w *world) move(onto string) error {
	s, _ := work.Read(w.nodes)
	space, err := workspace.Open(w.t.Context(), w.space, s.Begun.Base.Author)
	if err != nil {
		w.t.Fatal(err)
	}
	repo, err := ours.Open(w.project)
	if err == nil {
		err = space.Know(w.t.Context(), repo, onto)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(w.t.Context())
	defer cancel(nil)
	r := &work.Run{Space: space, Check: w.check}
	return r.Move(ctx, w.journal(cancel), onto)
}

// journal is the record in memory, which may fail after so many nodes.
func (w *world) journal(cancel context.CancelCauseFunc) journal.Journal {
	return journal.Journal{Nodes: slices.Clone(w.nodes), Append: func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.dies > 0 && len(w.nodes)+len(nodes) > w.dies {
			cancel(errKilled)
			return nil, errKilled
		}
		w.nodes = append(w.nodes, nodes...)
		return nodes, nil
	}, Put: func(_ context.Context, text string) (string, error) { return w.put(text), nil }, Text: func(_ context.Context, hash string) (string, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.texts[hash], nil
	}}
}

// check understands four commands: has FILE TEXT, lacks FILE TEXT, equal FILE FILE, sound.
func (w *world) check(ctx context.Context, c workspace.Clean, command []string, _ time.Duration) (proof.Outcome, error) {
	read := func(name string) string {
		raw, _ := os.ReadFile(filepath.Join(c.Dir, name))
		return string(raw)
	}
	ok := false
	switch command[0] {
	case "has":
		ok = strings.Contains(read(command[1]), command[2])
	case "lacks":
		ok = !strings.Contains(read(command[1]), command[2])
	case "equal":
		ok = read(command[1]) == read(command[2])
	case "sound":
		ok = sound(c.Dir)
	}
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "HEAD^{tree}")
	cmd.Dir = c.Dir
	of, err := cmd.Output()
	w.mu.Lock()
	w.ran[strings.TrimSpace(string(of))+" "+strings.Join(command, " ")]++
	w.mu.Unlock()
	if ok {
		return proof.Outcome{Passed: true}, err
	}
	return proof.Outcome{Code: 1, Output: strings.Join(command, " ") + ": no\n"}, err
}

func (w *world) status() work.Status {
	s, _ := work.Read(w.nodes)
	var t work.Teller // it folds node by node, and comes to the same
	for _, n := range w.nodes {
		t.Hear(n)
	}
	if !reflect.DeepEqual(t.Status, s) {
		w.t.Errorf("a teller takes the run for\n%+v, and it is\n%+v", t.Status, s)
	}
	return s
}

// writes is an agent that writes files.
func (w *world) writes(files map[string]string) func(work.Job, int) work.Report {
	return func(j work.Job, _ int) work.Report {
		write(w.t, j.Dir, files)
		return work.Report{Said: "done"}
	}
}

// at is a file on the run's branch.
func (w *world) at(name string) string {
	return git(w.t, filepath.Join(w.space, "store.git"), "-c", "safe.bareRepository=all", "show", w.status().Head+":"+name)
}

// digest is every file below a folder, byte for byte, with its mode and, but for objects of git, its time.
func digest(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", path, info.Mode())
		switch {
		case info.Mode().IsRegular():
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			at := info.ModTime().UnixNano()
			if strings.Contains(filepath.ToSlash(path), ".git/objects/") { // git marks those it has use for as young, also by another link
				at = 0
			}
			fmt.Fprintf(&b, " %d %x", at, sha256.Sum256(raw))
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			b.WriteString(" " + to)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
