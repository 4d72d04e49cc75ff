package feed

import (
	"maps"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Snapshot is the whole of a growing text at this moment.
type Snapshot struct {
	Root  tree.ID `json:"root"`  // of the tree it grows in: watchers of other trees do not see it
	Of    tree.ID `json:"of"`    // the node whose answer is growing
	State string  `json:"state"` // what the writer is doing, in one word
	Note  string  `json:"note,omitempty"`
	Text  string  `json:"text,omitempty"`  // everything so far
	Usage int     `json:"usage,omitempty"` // tokens so far, estimated while running
	// Thought is the reasoning the model has shown for this answer, all of it. Other processes do not get it.
	Thought string `json:"-"`
	// Until is when a writer that waits continues. The zero time: it is not waiting.
	Until time.Time `json:"until,omitzero"`
}

// Printing is the State of a snapshot whose text a command prints. The text of a conversation's other snapshots is written by a model.
const Printing = "printing"

// Feed is ready to use as its zero value. Safe for concurrent use.
type Feed struct {
	mu        sync.Mutex
	wake      chan struct{}
	commits   uint64
	snapshots map[tree.ID]Snapshot
	// others is replaced as a whole and never written to, so that it can be compared and read without a copy.
	others map[tree.ID]Snapshot // from other processes
	// version counts calls of Publish and Done; commits counts calls of Changed. They are independent.
	version uint64 // of the snapshots
}

// Changed reports a commit and wakes all waiting watchers.
func (f *Feed) Changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commits++
	f.ring()
}

// ring wakes all waiting watchers. The next call of Wait makes the next channel. The caller holds mu.
func (f *Feed) ring() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// Publish replaces the snapshot of s.Of and wakes all watchers.
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

// Done forgets the snapshot of a node: its result is a node of its own now. If the node has no snapshot, Done only wakes.
func (f *Feed) Done(of tree.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.snapshots, of)
	f.version++
	f.ring()
}

// Wait returns a channel that is closed at the next change. Take it before looking, so that no change is missed.
//
// All who wait at the same time get the same channel. It need not be read: an unread one is garbage-collected.
func (f *Feed) Wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return f.wake
}

// Overhear replaces the snapshots of other processes, and reports whether they changed.
//
// It compares all snapshots with those of the last call by value, so texts that do not share memory are compared byte by byte.
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

// Snapshots returns the growing texts of one tree, here and in other processes.
func (f *Feed) Snapshots(root tree.ID) map[tree.ID]Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[tree.ID]Snapshot{}
	for _, all := range []map[tree.ID]Snapshot{f.others, f.snapshots} { // ours are newer than the copies other processes made
		for id, s := range all {
			if s.Root == root {
				out[id] = s
			}
		}
	}
	return out
}

// Own returns the snapshots of this process, with a number that changes when they do.
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
