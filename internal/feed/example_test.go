package feed_test

import (
	"fmt"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A watcher asks for the channel before it looks, so it misses no change. However often the answer grew meanwhile, it sees
// the newest snapshot only.
func Example() {
	var f feed.Feed
	root, answer := tree.NewID(), tree.NewID()

	changed := f.Wait()
	f.Publish(feed.Snapshot{Root: root, Of: answer, State: "writing", Text: "Use"})
	f.Publish(feed.Snapshot{Root: root, Of: answer, State: "writing", Text: "Use a mutex."})
	<-changed
	for _, s := range f.Snapshots(root) {
		fmt.Printf("%s: %s\n", s.State, s.Text)
	}

	changed = f.Wait()
	f.Changed() // the answer is committed as a node: read it from the store
	f.Done(answer)
	<-changed
	fmt.Println("commits:", f.Commits(), "growing:", len(f.Snapshots(root)))
	// Output:
	// writing: Use a mutex.
	// commits: 1 growing: 0
}
