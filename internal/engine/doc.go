// Package engine is the only way to the content of a store: a front end changes it with operations ([Engine.Do]), learns of changes with
// [Engine.Watch] or [Engine.Follow], and reads it with queries. The packages below this one, its parts, define both; each has a Library of
// queries, which its function In returns. They know no vendor, tool or screen; what they need of those is in their Wiring. Package all
// makes an engine with every part.
//
// # Who may call
//
// Front ends: commands, the screen, the server, the editor's agent. They hold an [*Engine] and the Libraries. Parts also get a [*Core],
// and nothing else reaches the store. A part may use the Library of a part that was added before it; package all defines the order.
// Nothing here prints: what a person must read is an error or a node.
//
// # What is on disk when
//
// Do returns after the operation is on disk. Each commit is all or nothing; an operation with several steps, such as Import or one that
// also restores files, may have done the first when it fails. Anything that takes longer continues as a job: a debate, an evaluation, a
// turn, a summary, a command. A job records each step before anybody is told of it, so whatever a watcher saw survives a crash, and an
// operation that resumes continues after it.
//
// The id that Do returns is the root of the tree concerned. Interject returns the message, Forget and a Set without a tree return nothing,
// and operations on several names return the root of the first. With an error the id may be set or empty.
//
// # Jobs and locks
//
// A job runs under the context that Do was given: cancelling it cancels the job. Only one job at a time, across all processes, works on a
// tree: it holds a lock file, which is released when its process dies, however it dies. Another operation that needs the lock tries for
// 300 ms and is then refused: no operation waits for a job, so two operations that need several locks cannot block each other. A job that
// panics ends with an error.
//
// # Order
//
// What a watcher sees is committed. It gets each node once, in the order of Seq, whichever process wrote it. Nodes of other processes are
// polled every 150 ms, and every second after a while without any. Between nodes a watcher gets snapshots of growing texts, and may miss
// some (package feed). Watch ends when the job that ran when it was called has ended and all its nodes have been yielded; without a job it
// continues until its context ends, as Follow always does. Neither yields an error for that.
//
// # Errors
//
// A [*Refusal] says what the person did wrong and what to do next; it wraps store.ErrNotFound if a name is unknown. Other errors say what
// failed. Damage is an error for whoever reads the damaged part; lists omit damaged entries, unless nothing else is left. [Engine.Wait]
// returns the error of a job. If a turn, a debate or a run ends badly in a way people should know of, that is recorded, too: watchers in
// other processes read it there.
//
// # Money
//
// An operation that asks models takes a limit in dollars and tokens; zero is no limit. The maximum cost of a call is reserved before it is
// made, and a call that does not fit is not made. The actual cost is in the node of its answer. A call whose end was not seen counts with
// an estimate, so that a crash does not make spent money look unspent: a resumed debate, evaluation or run starts from what its record
// says. A turn's limit is for that turn.
//
// # Concurrency
//
// [New] makes an Engine, which is safe for concurrent use, except for Close, which comes last: it cancels all jobs and waits for them.
// Libraries are safe, too. What they return belongs to the caller. Queries take no lock and never wait for a job, except
// [turns.Library.Resolve], which needs the conversation for itself if a handle leads to another machine.
//
// Seat is required for everything that asks a model, and Phase, Brief and Guard.Policy for turns; other fields may be nil, and their
// comments say what is missing then. The zero value of an operation's field is the usual choice.
//
// The lists of operations and queries are in operations.go.
package engine
