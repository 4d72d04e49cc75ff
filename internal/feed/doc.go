// Package feed wakes the watchers of a store, and holds the newest snapshot of each text that is still growing: the
// answer a model is writing, or the output a command is printing.
//
// A [Feed] stores no history. History is in the store; a feed signals that there is something to read, and holds what
// is not in the store yet because it is incomplete. Each engine has one, and package peer puts the snapshots of other
// processes into it.
//
// # Order and completeness
//
// Nothing is queued. A wake-up has no content, and several changes may share one. A slow watcher skips snapshots. Of a
// node that grows in this process it never sees an older snapshot after a newer one, and the last one can be read until
// [Feed.Done] removes it. A watcher misses no change if it works in this order:
//
//	for {
//		changed := f.Wait() // 1. first the channel
//		look()              // 2. then the store and Snapshots
//		<-changed           // 3. closed already if something changed in between
//	}
//
// In the opposite order, a change between look and Wait would wake nobody. Each channel is closed once, so every round
// needs a new one. Every change wakes all watchers, whichever tree it is about: a feed does not know who reads what,
// and a watcher that finds nothing new waits again.
//
// [Feed.Publish], [Feed.Changed] and [Feed.Done] wake unconditionally, even if the snapshot equals the previous one.
// [Feed.Overhear] wakes only if the snapshots of other processes have changed, because it is called on a timer.
//
// Snapshots of different nodes have no order. Nor do a snapshot and a commit: a node may be in the store while its last
// snapshot is still here, so a reader that has the node ignores the snapshot. The engine calls Done after the commit,
// so the text stays visible throughout.
//
// # Commits
//
// The engine makes [Feed.Changed] the store's OnCommit, so it is called after a commit of this process is on disk. The
// engine also calls it when another process has committed, or may have. [Feed.Commits] counts these calls. A watcher
// compares the count with the one it saw last: if they are equal, only snapshots changed, and the disk need not be
// read. The count says nothing about the number of nodes, and a needless wake-up is allowed: the watcher reads the
// store and sees.
//
// # Snapshots
//
// A [Snapshot] holds the whole text so far, not what was added, so that skipping one loses nothing. It is identified by
// Of, the node whose answer grows: publishing again replaces it. Root is the tree it belongs to; [Feed.Snapshots]
// returns the snapshots of one root, in a new map that the caller may change. If a node has a snapshot here and one
// from another process, the one here is returned.
//
// [Feed.Own] leaves out other processes: it is what this process tells them. Its number changes with every Publish and
// Done, so that an unchanged state is not written again. It is not the number that Commits returns.
//
// Texts are kept as published. Whoever prints or stores one cleans it; package peer does so before it writes.
//
// # Concurrency
//
// The zero Feed is ready to use and must not be copied afterwards. All methods are safe for concurrent use and none of
// them blocks: a publisher never waits for a watcher. Snapshots and Own copy their maps while they hold the lock, so
// their cost is proportional to the number of growing texts. Overhear keeps the map it is given, which the caller must
// not change afterwards.
//
// # What is not promised
//
// - Durability: a feed is memory. After a crash the growing text is gone, and what was committed is in the store.
// - Errors: no method can fail. Readers of the store find out that it cannot be read.
// - An end: a snapshot whose writer never calls Done stays until the process ends.
package feed
