package feed_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

func TestEveryChangeWakes(t *testing.T) {
	for name, change := range map[string]func(*feed.Feed){
		"changed": (*feed.Feed).Changed,
		"publish": func(f *feed.Feed) { f.Publish(feed.Snapshot{Of: "a"}) },
		"done":    func(f *feed.Feed) { f.Done("a") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var f feed.Feed
			change(&f) // nobody waits: it must not block
			var wait sync.WaitGroup
			woken := make(chan int, 3)
			for i := range 3 {
				wake := f.Wait()
				wait.Go(func() { <-wake; woken <- i })
			}
			synctest.Wait()
			if len(woken) != 0 {
				t.Errorf("%s: %d woke before", name, len(woken))
			}
			change(&f)
			wait.Wait()
			select {
			case <-f.Wait():
				t.Errorf("%s: a new wait was over at once", name)
			default:
			}
		})
	}
}

// A watcher that takes its wait before it looks sees the newest snapshot, however many it skipped.
func TestNoSnapshotIsMissed(t *testing.T) {
	var f feed.Feed
	const last = 5000
	var wait sync.WaitGroup
	for w := range 4 {
		of := tree.ID(fmt.Sprint(w % 2))
		wait.Go(func() {
			for seen := 0; seen < last; {
				wake := f.Wait()
				s := f.Snapshots("")[of]
				if s.Usage < seen {
					t.Errorf("%d after %d", s.Usage, seen)
				}
				if seen = s.Usage; seen < last {
					<-wake
				}
			}
		})
	}
	for i := 1; i <= last; i++ {
		f.Publish(feed.Snapshot{Of: "0", Usage: i})
		f.Publish(feed.Snapshot{Of: "1", Usage: i})
	}
	wait.Wait()
	mine := f.Snapshots("")
	f.Done("0")
	if _, ok := f.Snapshots("")["0"]; ok || len(f.Snapshots("")) != 1 || len(mine) != 2 {
		t.Errorf("%v, and the copy has %v", f.Snapshots(""), mine)
	}
}
