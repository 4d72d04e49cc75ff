package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// works is the library of a part that has one operation.
type works struct {
	core   *engine.Core
	closed error
}

// said is a node of that part's trees.
const said tree.Kind[words] = "said"

type words struct{ Text string }

// work begins a tree and a job in it.
type work struct {
	run func(ctx context.Context, core *engine.Core, root tree.ID, j *engine.Job) error
}

func (op work) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	core := engine.Of[*works](e).core
	n := said.New("", "person", words{"begun"})
	if _, err := core.Store.Append(ctx, n); err != nil {
		return "", err
	}
	core.Start(ctx, n.ID, 0, func(ctx context.Context, j *engine.Job) error { return op.run(ctx, core, n.ID, j) })
	return n.ID, nil
}

// open opens a store as another process would, with an engine that has that part; began counts its jobs.
func open(t *testing.T, path string, began *int) (*engine.Engine, *works) {
	t.Helper()
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	part := &works{}
	e := engine.New(s, func(tree.ID, int64) { *began++ }, func(_ *engine.Engine, c *engine.Core) engine.Part {
		part.core = c
		return engine.Part{Library: part, Close: func() error { return part.closed },
			Shape: store.Shape{Firsts: map[string]store.First{"work/": {Kind: string(said)}}}}
	})
	t.Cleanup(func() { e.Close(); s.Close() })
	return e, part
}

func start(t *testing.T, e *engine.Engine, run func(ctx context.Context, core *engine.Core, root tree.ID, j *engine.Job) error) tree.ID {
	t.Helper()
	root, err := e.Do(t.Context(), work{run})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// A job is at work until it returns; Interrupt closes its Stop, Stop ends its context with a reason, and a panic is an error.
func TestJobs(t *testing.T) {
	began := 0
	e, _ := open(t, filepath.Join(t.TempDir(), "s.db"), &began)
	root := start(t, e, func(_ context.Context, _ *engine.Core, _ tree.ID, j *engine.Job) error {
		<-j.Stop
		return errors.New("interrupted")
	})
	if !e.Running(root) || !slices.Equal(e.Busy(), []tree.ID{root}) || began != 1 {
		t.Errorf("running %v, busy %v, %d jobs began", e.Running(root), e.Busy(), began)
	}
	for range 2 { // a second one does nothing
		if _, err := e.Do(t.Context(), engine.Interrupt{Root: root}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Wait(root); err == nil || err.Error() != "interrupted" {
		t.Errorf("the job ended with %v", err)
	}
	if e.Running(root) || len(e.Busy()) > 0 {
		t.Errorf("running %v, busy %v after its end", e.Running(root), e.Busy())
	}
	root = start(t, e, func(ctx context.Context, _ *engine.Core, _ tree.ID, _ *engine.Job) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if _, err := e.Do(t.Context(), engine.Stop{Root: root, Reason: "the cable was pulled"}); err != nil {
		t.Fatal(err)
	}
	if err := e.Wait(root); err == nil || err.Error() != "the cable was pulled" || !errors.Is(err, context.Canceled) {
		t.Errorf("the job was stopped with %v", err)
	}
	root = start(t, e, func(context.Context, *engine.Core, tree.ID, *engine.Job) error { panic("a fault") })
	if err := e.Wait(root); err == nil || !strings.Contains(err.Error(), "internal error: a fault") {
		t.Errorf("the fault became %v", err)
	}
	for range 500 { // a server that runs for weeks keeps no more than those
		e.Wait(start(t, e, func(context.Context, *engine.Core, tree.ID, *engine.Job) error { return nil }))
	}
	if err := e.Wait(root); err != nil {
		t.Errorf("the job is still kept: %v", err)
	}
	if err := e.Wait("no tree"); err != nil {
		t.Errorf("nothing runs there, and ended with %v", err)
	}
}

// Watch yields every node once, in order, also those that a job commits last, and ends with the job.
func TestWatchEndsWithItsJob(t *testing.T) {
	began := 0
	e, _ := open(t, filepath.Join(t.TempDir(), "s.db"), &began)
	begin := make(chan struct{})
	root := start(t, e, func(ctx context.Context, core *engine.Core, root tree.ID, _ *engine.Job) error {
		<-begin
		for _, text := range []string{"one", "two", "three"} {
			if _, err := core.Store.Append(ctx, said.New(root, "code", words{text})); err != nil {
				return err
			}
		}
		return nil
	})
	var texts []string
	for n, err := range e.Watch(t.Context(), root, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Node != nil {
			w, _ := said.Of(*n.Node)
			if texts = append(texts, w.Text); len(texts) == 1 {
				close(begin)
			}
		}
	}
	if got := strings.Join(texts, " "); got != "begun one two three" {
		t.Errorf("watched %q", got)
	}
}

// A lock is one process's at a time. Who holds it is not elsewhere to itself, and others are refused with the words they brought.
func TestLocks(t *testing.T) {
	path, began := filepath.Join(t.TempDir(), "s.db"), 0
	_, mine := open(t, path, &began)
	_, theirs := open(t, path, &began)
	refusal := &engine.Refusal{Message: "it is taken", Hint: "wait"}
	unlock, err := mine.core.Lock(t.Context(), "thing", refusal)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.core.Lock(t.Context(), "thing", refusal); err != error(refusal) {
		t.Errorf("a lock that is held is given, or refused with %v", err)
	}
	if !mine.core.Held("thing") || mine.core.Elsewhere("thing") || !theirs.core.Elsewhere("thing") || theirs.core.Held("another") {
		t.Errorf("held %v; elsewhere: to its holder %v, to others %v", mine.core.Held("thing"), mine.core.Elsewhere("thing"),
			theirs.core.Elsewhere("thing"))
	}
	synctest.Test(t, func(t *testing.T) { // a look at it may hold it for a moment
		time.AfterFunc(100*time.Millisecond, unlock)
		if unlock, err = theirs.core.Lock(t.Context(), "thing", refusal); err != nil {
			t.Fatalf("a lock that is released a moment later: %v", err)
		}
	})
	unlock()
	// A look at whether somebody has it may take long on a busy machine, and is nobody at work.
	look := flock.New(filepath.Join(filepath.Dir(path), "locks", "thing.lock"))
	if ok, err := look.TryRLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(5*time.Second, func() { look.Unlock() })
		if unlock, err = theirs.core.Lock(t.Context(), "thing", refusal); err != nil {
			t.Fatalf("a lock that is looked at: %v", err)
		}
	})
	unlock()
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(path), "locks")); err != nil || len(left) > 0 || theirs.core.Held("thing") {
		t.Errorf("after it was unlocked there is %v, %v", left, err)
	}
}

// What a part says of its trees is held against the store; what is not indexed is, and what was deleted now is not purged now.
func TestStoreOfAPart(t *testing.T) {
	began := 0
	e, part := open(t, filepath.Join(t.TempDir(), "s.db"), &began)
	s := part.core.Store
	good, more := said.New("", "person", words{"good"}), said.New("", "person", words{"more"})
	more.Parent = good.ID
	if _, err := s.AppendTo(t.Context(), "work/good", "", more.ID, good, more); err != nil {
		t.Fatal(err)
	}
	if faults, err := e.Check(t.Context(), true); err != nil || len(faults) > 0 {
		t.Errorf("a sound store: %q, %v", faults, err)
	}
	if err := part.core.Index(t.Context(), "work/", false, func(nodes []tree.Node) []store.Indexed {
		return []store.Indexed{{Node: nodes[0].ID, Title: "needle"}}
	}); err != nil {
		t.Fatal(err)
	}
	hits, err := s.Search(t.Context(), store.Query{Text: "needle", Limit: 5})
	if err != nil || len(hits) != 1 || hits[0].Node != good.ID || e.Unindexed() {
		t.Errorf("found %v, %v; default: %v", hits, err, e.Unindexed())
	}
	if err := s.Discard(t.Context(), "person", tree.Ref{Name: "work/good", Head: more.ID}); err != nil {
		t.Fatal(err)
	}
	part.core.PurgeTrash(t.Context())
	if err := s.Restore(t.Context(), "work/good"); err != nil {
		t.Errorf("deleted a moment ago: %v", err)
	}
	stranger := tree.Kind[words]("stranger").New("", "person", words{"x"})
	if _, err := s.AppendTo(t.Context(), "work/bad", "", stranger.ID, stranger); err != nil {
		t.Fatal(err)
	}
	faults, err := e.Check(t.Context(), false)
	if err != nil || !slices.Contains(faults, "ref work/bad points into a tree of another kind") {
		t.Errorf("the check found %q, %v", faults, err)
	}
}

// What is gone by the time it is deleted is an error, and nothing is deleted.
func TestDeletingWhatIsGone(t *testing.T) {
	began := 0
	_, part := open(t, filepath.Join(t.TempDir(), "s.db"), &began)
	s := part.core.Store
	n := said.New("", "person", words{"x"})
	if _, err := s.AppendTo(t.Context(), "work/there", "", n.ID, n); err != nil {
		t.Fatal(err)
	}
	bin := engine.Bin{Is: "work", Refs: "work/", Find: func(_ context.Context, called string) (tree.ID, string, error) { return n.ID, called, nil }}
	if id, err := bin.Delete(t.Context(), part.core, "there", "gone"); !errors.Is(err, store.ErrNotFound) || id != "" {
		t.Errorf("deleted %q: %v", id, err)
	}
	if _, err := s.Ref(t.Context(), "work/there"); err != nil {
		t.Errorf("the other: %v", err)
	}
	if id, err := bin.Delete(t.Context(), part.core, "there"); err != nil || id != n.ID {
		t.Errorf("deleted %q: %v", id, err)
	}
}

// Others write what grows in them only while somebody here is shown it: of everything, only commits are told.
func TestWhoIsShownWhatGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, dir := 0, t.TempDir()
		e, _ := open(t, filepath.Join(dir, "s.db"), &began)
		root := start(t, e, func(context.Context, *engine.Core, tree.ID, *engine.Job) error { return nil })
		ears := func() int {
			time.Sleep(10 * time.Second)
			synctest.Wait()
			all, _ := filepath.Glob(filepath.Join(dir, "growing", "*.ear"))
			return len(all)
		}
		follow := func(root tree.ID) (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for range e.Follow(ctx, root, 0) {
				}
			}()
			return func() { cancel(); <-ended }
		}
		defer follow("")()
		if n := ears(); n != 0 {
			t.Errorf("who follows everything made %d ears", n)
		}
		stop := follow(root)
		if n := ears(); n != 1 {
			t.Errorf("who follows a tree made %d ears", n)
		}
		stop()
		if n := ears(); n != 0 {
			t.Errorf("%d ears were left", n)
		}
	})
}

// Close cancels what runs, waits for it, and returns what the parts say of what they ended.
func TestCloseEndsJobsFirst(t *testing.T) {
	began := 0
	e, part := open(t, filepath.Join(t.TempDir(), "s.db"), &began)
	ended := false
	start(t, e, func(ctx context.Context, _ *engine.Core, _ tree.ID, _ *engine.Job) error {
		<-ctx.Done()
		ended = true
		return nil
	})
	part.closed = errors.New("something was left")
	if err := e.Close(); !errors.Is(err, part.closed) || !ended {
		t.Errorf("closed with %v, the job ended: %v", err, ended)
	}
	part.closed = nil
}

// An engine tells what it was made without.
func TestAMissingPart(t *testing.T) {
	began := 0
	e, _ := open(t, filepath.Join(t.TempDir(), "s.db"), &began)
	defer func() {
		if fault, _ := recover().(string); !strings.Contains(fault, "the engine was made without *engine_test.other") {
			t.Errorf("it said %q", fault)
		}
	}()
	engine.Of[*other](e)
}

type other struct{}
