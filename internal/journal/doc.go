// Package journal records effects under keys. A function whose effects all go through a [Book] can be stopped anywhere and run again
// over the same journal: what is recorded is taken from there, everything else happens. Resuming, replaying and forking a debate, and
// resuming a run of a plan, all use this mechanism.
//
// A [Journal] is where nodes and texts go and where earlier ones come from; its functions are usually methods of a store. A [Book] is
// a journal with an index, so that [Recall] costs a map lookup. An effect is named by the kind of its node and a key, which the
// caller computes from the node. The package knows no store, no model and no protocol.
//
// # How an effect is written
//
//	if v, ok := journal.Recall(book, kind, key); ok {
//		return v // it happened before: nothing is asked, nothing is paid
//	}
//	v := happen()
//	return v, book.Add(ctx, kind.New(parent, who, v))
//
// A key must depend only on the protocol and the record: round, seat, claim. A key that contains a time, a random number or a map's
// order is not found again, and the effect happens twice. If two nodes have the same kind and key, the later one counts. The book
// does not prevent two goroutines from performing the same effect at the same time; callers that could do so divide the keys among
// themselves.
//
// # Order and what is on disk when
//
// Nodes are recorded in the order of the calls, whatever goroutine they come from. [Book.Add] returns once its nodes, and all that
// were recorded earlier, are on disk. [Book.Later] returns at once and writes in the background. Recall finds an effect as soon as
// Later has returned, before it is on disk, so a caller may use it but must tell nobody: a person, a model or another process may
// learn of it only after the next Add or [Book.Flush].
//
// A crash loses at most what Later was still writing, and always from the end: the record is a prefix of what happened.
//
// Recording ignores cancellation of its context: what happened is recorded even if the caller has gone. The values of the context
// still reach the store.
//
// # Errors
//
// The first write that fails ends the record. Its error is returned by every later call of Later, Add and Flush, and
// nothing more is written, so that no gap appears. Recall still finds effects of the failed write; a run that checks the
// error of its next Add therefore stops before anything follows from them.
//
// A sealed journal answers only from its record. Recording to it returns [ErrNotRecorded], which means that the record is incomplete,
// or that the program has changed and now needs something that was not done then.
//
// # Concurrency
//
// A Book is safe for concurrent use. The function that Open is given to see every node is called with the book's lock held: it must
// be quick and must not call the book. At most one goroutine writes at a time. It starts with the first waiting node and ends when
// none waits, so a book needs no closing, but call Flush before dropping one.
//
// # What is not promised
//
//   - Money: the book knows none. A recorded effect is not paid again because it does not happen again; whoever performs an
//     effect reserves its cost first.
//   - Undo: nothing that was recorded is changed or removed.
package journal
