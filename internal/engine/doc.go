// Package engine is the only way to what a store contains: a front end changes it with operations ([Engine.Do]), hears of changes with
// [Engine.Watch] or [Engine.Follow], and reads it with queries. It knows no vendor, no tool and no screen; what it needs of
// them is in [Wiring].
//
// # What a caller may assume
//
// Do returns after the operation is on disk. Each commit is all or nothing; an operation with several steps, such as Import or
// one that also restores files, may have done the first when it fails. What takes longer goes on as a job: a debate, an
// evaluation, a turn, a summary, a command. The job runs under the context that Do was given, so cancelling that cancels the
// job. One job at a time moves a tree on, in all processes together: a lock file says so, and it is released when its process
// dies, however it dies. Another operation that needs the lock is refused, after a try of 300 ms. A job that panics ends with
// an error.
//
// The id that Do returns is the root of the tree concerned. Interject returns the message, Forget and a Set without a tree
// nothing, and those that take several names the root of the first. With an error the id may be set or empty.
//
// What a watcher sees is committed. Nodes come each once, in the order of their Seq, whichever process wrote them; those of other
// processes are looked for every 150 ms, and every second after a while without any. Between nodes come snapshots of texts
// that still grow, which may be skipped (package feed). Watch ends when the job that ran when it was called has ended and all its
// nodes are out; without a job it goes on until its context ends, as Follow always does. Neither yields an error for that.
//
// A [*Refusal] says what the person did wrong and what to do next; it wraps store.ErrNotFound where a name is unknown. Other
// errors say what failed. Damage is an error of whatever reads the damaged part; lists leave it out, unless nothing else is left.
//
// An Engine is made by [New] and safe for concurrent use, but for Close, which comes last: it cancels all jobs and waits for them.
// In Wiring, Seat is required for anything that asks a model, and Work's Phase, Brief and Policy for conversations; a nil field
// says beside it what is missing then. The zero value of an operation's field is the usual choice.
//
// # Operations on conversations
//
//   - [NewTree] begins a conversation. [UseTree] chooses the one that is meant in a folder. [RenameTree] renames one.
//   - [Say] says something and starts the turn that answers. [Interject] says something to a running turn, of any process.
//   - [Answer] answers what a turn asks. [Exec] starts a command of the person's, through the same gate as an agent's.
//   - [Set] sets model, phase or mode. [Hold] puts a file into the context, [Release] takes it out.
//   - [Remark] adds a message or a handle without asking a model. [Compact] starts a summary of the conversation.
//   - [Branch] begins a branch, [SwitchTo] goes to one, [Back] moves the branch back, [Label] names a node.
//   - [Merge] brings in the conclusion of another branch, [Conclude] that of a debate.
//   - [Undo] restores the files from before the last turn that changed them, [Redo] takes back the last time files were restored.
//   - [Import] makes a conversation of a record. [DeleteTree] moves conversations to the trash, [RestoreTree] takes one out.
//   - [Keep] keeps a note for later conversations, [Forget] moves notes to the trash, [TakeBack] takes one out.
//
// # Operations on debates and evaluations
//
//   - [Debate] opens a room and starts it. [Fork] does so with the ballots of another, [Revisit] to decide a question again.
//   - [Resume] starts a room that did not end. [Tell] records a person's word; a choice after the end starts it once more.
//   - [Interrupt] ends the round, or the turn, that runs in this process; [Stop] cancels it, without a decision.
//   - [Supersede] says that one decision took the place of another. [Delete] and [Restore] move debates to the trash and back.
//   - [Eval] records a contest and starts it, [EvalResume] goes on with one.
//
// # Jobs and news
//
//   - [Engine.Do] performs an operation. [Engine.Wait] waits for the job of a tree and returns its error. [Engine.Close] ends all.
//   - [Engine.Watch] yields news until a job has ended, [Engine.Follow] batches of it until the context ends.
//   - [Engine.Running] says whether this process runs a job in a tree, [Engine.Busy] lists where. [Engine.Turn] says with what.
//   - [Engine.AtWork] says whether any process moves a conversation on, [Engine.AtWorkElsewhere] and [Engine.DebatingElsewhere]
//     whether another one does. [Engine.Recorded] is the last node from before this process's job.
//   - [Engine.AwaitRead] waits until an interjection was given to the model, or the turn has ended without.
//
// # Queries on conversations
//
//   - [Engine.Trees] lists them, [Engine.OpenTree] finds one by name, [Engine.LastTree] the one that is meant in a folder.
//   - [Engine.Branches], [Engine.Labels] and [Engine.Leaves] list where a tree goes. [Engine.Locate] finds a node by what it is called.
//   - [Engine.Path] reads the way to a node, [Engine.PathEnd] its end, [Engine.LastNodes] the newest nodes, [Engine.Tree] all.
//   - [Engine.Shown] is what a model is shown at a node, [Engine.Apart] how two nodes differ, files included.
//   - [Engine.Hear] searches what was said. [Engine.Typed] lists what persons typed. [Engine.Record] is a tree to carry elsewhere.
//   - [Engine.Resolve] looks at what a handle refers to, by way of the gate, and may keep what it saw as a node.
//   - [Engine.Notes] lists notes, [Engine.Forgotten] those in the trash. [Engine.Note] finds one by number, [Engine.NoteOf] by node.
//   - [Engine.TreeTrash] lists the deleted. [Engine.PruneFiles] drops snapshots of files that nothing refers to.
//
// # Queries on debates and evaluations
//
//   - [Engine.Rooms] lists debates, [Engine.EachRoom] one by one, [Engine.RoomNames] by the beginning of their names.
//   - [Engine.Room] finds the root of one, [Engine.RoomInfo] its line in the list, [Engine.LastRoom] the name of the last.
//   - [Engine.Frame] is what was fixed of a debate, [Engine.Result] what it decided, or would decide as it is now.
//   - [Engine.Decisions] lists decisions, [Engine.Decision] finds one, [Engine.Digest] shows it as later debates see it.
//   - [Engine.Similar] finds decisions on questions like one. [Engine.Superseded] lists those that no longer hold.
//   - [Engine.Trash] lists deleted debates. [Engine.Deleted] says whether one of a name is there.
//   - [Engine.Evals] lists evaluations, [Engine.Evaluation] reads one.
//
// # The store
//
//   - [Engine.Text] reads a text by its hash. [Engine.Check] looks for damage, [Engine.Sound] in one tree.
//   - [Engine.Expire] removes for good what was deleted over [TrashTime] ago. Deleting does so, too, for a few at a time.
//   - [Engine.Unindexed] says that the last search left something out that is not indexed yet.
package engine
