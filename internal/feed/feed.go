package feed

import (
	"maps"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Snapshot is the whole of a growing thing as of now.
type Snapshot struct {
	Root  tree.ID `json:"root"`  // of the tree it grows in: who watches another one is not told
	Of    tree.ID `json:"of"`    // the node whose answer is growing
	State string  `json:"state"` // what it is doing, one word
	Note  string  `json:"note,omitempty"`
	Text  string  `json:"text,omitempty"`  // everything so far
	Usage int     `json:"usage,omitempty"` // tokens so far, estimated while running
	// Thought is what its model has shown of its reasoning for this answer, all of it. Other processes are not told.
	Thought string `json:"-"`
	// Until is when it goes on, of one that waits.
	// The zero time: it does not wait.
	Until time.Time `json:"until,omitzero"`
}

// Printing is the State of a snapshot whose text a command prints; of a conversation's others, a model writes it.
const Printing = "printing"

// Feed is ready to use as its zero value. Safe for concurrent use.
type Feed struct {
	mu        sync.Mutex
	wake      chan struct{}
	commits   uint64
	snapshots map[tree.ID]Snapshot
	// others is replaced as a whole and never written to, so that it can be compared and read without a copy.
	others map[tree.ID]Snapshot // what grows in other processes
	// version counts Publish and Done; commits counts Changed. Neither says anything about the other.
	version uint64 // of snapshots
}

// Changed says that something was committed, and wakes everybody who waits.
func (f *Feed) Changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commits++
	f.ring()
}

// ring wakes all who wait now. The next to wait makes the next channel. The caller holds mu.
func (f *Feed) ring() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// Publish replaces the snapshot of s.Of and wakes everybody.
//
// It costs a map write, whatever the length of the text: the string is shared and not copied.
func (f *Feed) Publish(s Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.snapshots == nil {
		f.snapshots = map[tree.ID]Snapshot{}
	}
	f.snapshots[s.Of] = s
	f.version++
	f.ring()
}

// Done forgets the snapshot of a node: what it came to is a node of its own now.
// Done of a node that has no snapshot only wakes.
func (f *Feed) Done(of tree.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.snapshots, of)
	f.version++
	f.ring()
}

// Wait returns a channel that is closed at the next change. Take it before looking, so that no change is missed.
//
// Everybody who waits at the same time gets the same channel. It need not be read: one that nobody reads is garbage.
func (f *Feed) Wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return f.wake
}

// Overhear takes in what is growing in other processes now, and says whether that is news.
//
// All are compared with the last call's by value, so the texts are compared letter by letter, unless they share
// memory.
func (f *Feed) Overhear(all map[tree.ID]Snapshot) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if maps.Equal(all, f.others) {
		return false
	}
	f.others = all
	f.ring()
	return true
}

// Snapshots returns what is growing in one tree now, here and in other processes.
func (f *Feed) Snapshots(root tree.ID) map[tree.ID]Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[tree.ID]Snapshot{}
	for _, all := range []map[tree.ID]Snapshot{f.others, f.snapshots} { // ours is newer than what others made of it
		for id, s := range all {
			if s.Root == root {
				out[id] = s
			}
		}
	}
	return out
}

// Own returns what is growing here, with a number that changes when it does.
func (f *Feed) Own() (map[tree.ID]Snapshot, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.snapshots), f.version
}

// Commits counts the calls of Changed.
func (f *Feed) Commits() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits
}
