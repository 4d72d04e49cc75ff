package turns_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tree"
)

// What grows in one conversation is never news in another, whether the other one is worked on by the same process or by
// another process that shares the store.
func TestOnlyOwnTextGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	one, two := openOffice(t, path, false), openOffice(t, path, false)
	begin := func(o *office, name string) tree.ID {
		root := o.do(conversation.NewTree{Name: name, Dir: o.dir})
		if _, err := o.Do(t.Context(), turns.Say{Tree: name, Text: "wait", Model: "x", Mode: permission.Yolo}); err != nil {
			t.Fatal(err)
		}
		return root
	}
	theirs, beside, mine := begin(one, "theirs"), begin(two, "beside"), begin(two, "mine")
	grows := func(root tree.ID) { // until its text is seen
		for n, err := range two.Watch(t.Context(), root, 0) {
			if err != nil {
				t.Error(err)
				return
			}
			if n.Snapshot != nil && n.Snapshot.Text != "" {
				return
			}
		}
	}
	seen := make(chan error, 1)
	begun := make(chan struct{}, 1)
	go func() {
		own := map[tree.ID]bool{}
		defer close(seen)
		for n, err := range two.Watch(t.Context(), mine, 0) {
			switch {
			case err != nil:
				seen <- err
				return
			case n.Node != nil:
				own[n.Node.ID] = true
			case !own[n.Snapshot.Of]:
				t.Errorf("what grows in another conversation is shown in this one: %+v", *n.Snapshot)
			}
			select {
			case begun <- struct{}{}:
			default:
			}
		}
	}()
	<-begun
	grows(theirs)
	grows(beside)
	two.do(engine.Interrupt{Root: beside})
	two.do(engine.Interrupt{Root: mine})
	if err := <-seen; err != nil {
		t.Error(err)
	}
	one.do(engine.Interrupt{Root: theirs})
}

// Who comes when a text stands still sees what there is of it: it is told again until somebody listens.
func TestLateListener(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	one, two := openOffice(t, path, false), openOffice(t, path, false)
	root := one.do(conversation.NewTree{Name: "theirs", Dir: one.dir})
	if _, err := one.Do(t.Context(), turns.Say{Tree: "theirs", Text: "wait", Model: "x", Mode: permission.Yolo}); err != nil {
		t.Fatal(err)
	}
	sees := func(o *office) {
		for n, err := range o.Watch(t.Context(), root, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if n.Snapshot != nil && n.Snapshot.Text != "" {
				return
			}
		}
	}
	sees(one)
	time.Sleep(500 * time.Millisecond) // it is told to nobody meanwhile
	sees(two)
	one.do(engine.Interrupt{Root: root})
	for _, o := range []*office{one, two} { // whoever leaves takes along what others would look at
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(path), "growing")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
