// Package engine is the only way to what a store contains: a front end changes it with operations ([Engine.Do]), hears of changes with
// [Engine.Watch] or [Engine.Follow], and reads it with queries. Both are in its parts, packages below this one; each has a Library of
// queries, found with its function In. They know no vendor, tool or screen; what they need of them is in their Wiring. Package all
// makes an engine with every part.
//
// # Who may call
//
// Front ends: commands, the screen, the server, the editor's agent. They hold an [*Engine] and the Libraries. Parts are given a
// [*Core] besides, and nobody else reaches the store. A part may use the Library of another part that was added before it; package
// all has the order. Nothing here prints: what a person must read is an error or a node.
//
// # What is on disk when
//
// Do returns after the operation is on disk. Each commit is all or nothing; an operation with several steps, such as Import or
// one that also restores files, may have done the first when it fails. What takes longer goes on as a job: a debate, an
// evaluation, a turn, a summary, a command. A job records each step before anybody hears of it, so whatever a watcher saw
// survives a crash, and an operation that resumes goes on behind it.
//
// The id that Do returns is the root of the tree concerned. Interject returns the message, Forget and a Set without a tree
// nothing, and those that take several names the root of the first. With an error the id may be set or empty.
//
// # Jobs and locks
//
// A job runs under the context that Do was given: cancelling that cancels the job. One job at a time moves a tree on, in all
// processes together: a lock file says so, and it is released when its process dies, however it dies. Another operation that
// needs the lock is refused, after a try of 300 ms: no operation waits for a job, so two that need several locks cannot block each
// other. A job that panics ends with an error.
//
// # Order
//
// What a watcher sees is committed. Nodes come each once, in the order of their Seq, whichever process wrote them; those of other
// processes are looked for every 150 ms, and every second after a while without any. Between nodes come snapshots of texts
// that still grow, which may be skipped (package feed). Watch ends when the job that ran when it was called has ended and all its
// nodes are out; without a job it goes on until its context ends, as Follow always does. Neither yields an error for that.
//
// # Errors
//
// A [*Refusal] says what the person did wrong and what to do next; it wraps store.ErrNotFound where a name is unknown. Other
// errors say what failed. Damage is an error of whatever reads the damaged part; lists leave it out, unless nothing else is left.
// The error of a job is that of [Engine.Wait]. A turn, a debate or a run that ends badly in a way people should know of records
// that, too: those who watch from another process read it there.
//
// # Money
//
// An operation that asks models takes a limit in dollars and tokens; zero is none. What a call may cost at most is reserved before
// it is made, and one that does not fit is not made. What it did cost is in the node of its answer. A call whose end nobody saw
// counts as an estimate, so that a crash does not make money look unspent: a debate, an evaluation or a run that is resumed begins
// with what its record says. A turn's limit is for that turn.
//
// # Concurrency
//
// An Engine is made by [New] and safe for concurrent use, but for Close, which comes last: it cancels all jobs and waits for them.
// Libraries are safe, too. What they return belongs to the caller. Queries take no lock and never wait for a job, but for
// [turns.Library.Resolve], which needs the conversation for itself where a handle leads to another machine.
//
// Seat is required for whatever asks a model, and Phase, Brief and Guard.Policy for turns; a nil field says beside it what is
// missing then. The zero value of an operation's field is the usual choice.
//
// The lists of operations and queries are in operations.go.
package engine
