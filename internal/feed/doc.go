// Package feed wakes whoever watches a store, and holds the newest snapshot of each text that is still growing: the
// answer a model is writing, or the output a command is printing.
//
// A [Feed] stores no history. What happened is in the store; a feed says that there is something to read, and shows what
// is not in the store yet because it is not complete. Each engine has one, and package peer carries the snapshots of other
// processes into it.
//
// # Order and completeness
//
// Nothing is queued. A wake-up has no content, and several changes may share one. A watcher that takes long skips
// snapshots. Of a node that grows in this process it never sees an older snapshot after a newer one, and the last one can
// be read until [Feed.Done] removes it. A watcher misses no change if it works in this order:
//
//	for {
//		changed := f.Wait() // 1. first the channel
//		look()              // 2. then the store and Snapshots
//		<-changed           // 3. closed already if something changed in between
//	}
//
// The other way round, a change between the look and Wait wakes nobody. Each channel is closed once, so every round needs
// its own. All watchers are woken by every change, whichever tree it is about: a feed does not know who reads what, and a
// watcher that finds nothing new waits again.
//
// [Feed.Publish], [Feed.Changed] and [Feed.Done] wake unconditionally, also if the snapshot is equal to the one before.
// [Feed.Overhear] wakes only if what grows elsewhere has changed, because it is called on a timer.
//
// Snapshots of different nodes are in no order. There is none between a snapshot and a commit either: a node may be in the
// store while its last snapshot is still here, so a reader that has the node ignores the snapshot. The engine calls Done
// after the commit, which keeps the text visible all the time.
//
// # Commits
//
// The engine makes [Feed.Changed] the store's OnCommit, so it is called after a commit of this process is on disk, and
// calls it too when another process has committed, or may have. [Feed.Commits] counts these calls. A watcher compares the count with
// the one it saw last: equal means that only snapshots changed, and the disk need not be read.
// The count says nothing about how many nodes there are, and a wrong wake-up is allowed: read the store and see.
//
// # Snapshots
//
// A [Snapshot] holds the whole text so far, not what was added, so that skipping one loses nothing. It is identified by
// Of, the node whose answer grows: publishing again replaces it. Root is the tree it belongs to; [Feed.Snapshots] returns
// those of one root only, as a map of its own that the caller may change. A node that has snapshots here and from another
// process is shown as this process sees it.
//
// [Feed.Own] leaves out other processes: it is what this one tells them. Its number changes with every Publish and Done,
// so that an unchanged state is not written again. It is not the number that Commits returns.
//
// Texts are kept as they were published. Whoever prints or stores one cleans it; package peer does so before it
// writes.
//
// # Concurrency
//
// The zero Feed is ready to use and must not be copied afterwards. All methods are safe for concurrent use and none of
// them blocks: a publisher never waits for a watcher. Snapshots and Own copy their maps while they hold the lock, so they
// cost as much as what is growing now. Overhear keeps the map it is given, which the caller must not change any more.
//
// # What is not promised
//
//   - Durability: a feed is memory. After a crash the growing text is gone, and what was committed is in the store.
//   - Errors: no method can fail. A store that cannot be read is found out by those who read it.
//   - An end: a snapshot whose writer never calls Done stays until the process ends.
package feed
