// # Operations on conversations
//
//   - [conversation.NewTree] begins a conversation. [conversation.Use] chooses the one commands use in a folder.
//   - [conversation.Branch] begins a branch, [conversation.SwitchTo] switches to one, [conversation.Back] moves the branch back.
//   - [conversation.Label] names a node. [conversation.Rename] titles or renames a conversation. [conversation.Import] makes one from a
//     record; [conversation.Typed] saves a command that was typed.
//   - [conversation.Merge] adds the conclusion of another branch, [conversation.Conclude] that of a debate or run.
//   - [conversation.Remark] adds a message or a handle without asking a model.
//   - [conversation.Undo] restores the files from before the last turn that changed them, [conversation.Redo] takes that back.
//   - [conversation.Delete] moves conversations to the trash, or a branch of one, [conversation.Restore] takes one out.
//   - [turns.Say] says something and starts the turn that answers. [turns.Interject] says something to a running turn, of any process.
//     [turns.Settle] ends a turn that a crash interrupted.
//   - [turns.Answer] answers what a turn asks. [turns.Exec] starts a command of the person's, through the same gate as an agent's.
//   - [turns.Set] sets model, phase or mode. [turns.Hold] puts a file into the context, [turns.Release] takes it out. [turns.Compact]
//     starts a summary of the conversation.
//   - [notes.Keep] saves a note for later conversations, [notes.Forget] moves notes to the trash, [notes.TakeBack] takes one out.
//
// # Operations on debates and evaluations
//
//   - [rooms.Debate] opens a room and starts it. [rooms.Fork] does so with the ballots of another, [rooms.Revisit] decides a question
//     again. A Debate whose frame has a key joins the room of that key from the last hour, if there is one; one whose frame follows a room
//     continues it.
//   - [rooms.Resume] starts a room that did not end. [rooms.Tell] records a person's message; a choice after the end starts the room again.
//   - [rooms.Supersede] records that one decision replaces another, [rooms.Report] the result of executing one.
//     [rooms.Delete] and [rooms.Restore] are for the trash.
//   - [evals.Eval] records a contest and starts it, [evals.Resume] resumes one.
//
// # Operations on runs of plans
//
//   - [runs.Begin] records a request as a run, [runs.Plan] a plan, as a new run or as the next version of a run's. [runs.Advance] takes
//     a run through its phases: refine, analyze, plan, execute. [runs.Execute] executes a plan as a conversation states it,
//     [runs.Keep] stores one that was written by hand.
//   - [runs.Reword] replaces the result of a phase by a person's text. [runs.Retake] resumes or pauses a run whose process died.
//   - [runs.Decide] records a person's decision about a step, [runs.Hold] pauses or cancels a run, [runs.Rebase] moves it onto
//     the project's newest commit, [runs.Mutate] tries its checks. [runs.Accept] brings the result into the project. [runs.Delete] moves
//     runs to the trash, with their workspaces, [runs.Restore] takes one out; [runs.Prune] removes workspaces that are over.
//     [runs.Import] stores a run that was exported elsewhere.
//   - [queues.Add] puts a prompt into a project's queue, [queues.Drop] takes one out. [queues.Run] executes them, one run at a time,
//     [queues.Stop] makes it begin no more.
//
// # Operations on issue drafts
//
//   - [issues.Draft] makes the text of an issue from a decision or a run. [issues.Edit] writes its next version.
//   - [issues.File] files it at the forge, which only a person does. [issues.Delete] and [issues.Restore] are for the trash.
//
// # Jobs and news
//
//   - [Engine.Do] performs an operation. [Engine.Wait] waits for the job of a tree and returns its error. [Engine.Close] ends all.
//   - [Interrupt] ends the round, or the turn, that runs in this process; [Stop] cancels it, without a decision.
//   - [Engine.Watch] yields news until a job has ended, [Engine.Follow] batches of it until the context ends.
//   - [Engine.Running] reports whether this process runs a job in a tree, [Engine.Busy] lists them. [turns.Library.Turn] has the details.
//   - [conversation.Library.AtWork] reports whether any process works on a conversation, [conversation.Library.AtWorkElsewhere] and
//     [rooms.Library.Elsewhere] whether another one does. [Engine.Recorded] is the last node from before this process's job.
//   - [turns.Background] sends the command that runs in this process to the background; [turns.Library.Jobs] lists those there.
//     [turns.Library.Prompts] lists those of the MCP servers that are connected in a conversation.
//   - [turns.Library.Grants] lists what was allowed for longer than one call, [turns.Library.SessionGrants] what is only in memory;
//     [turns.Revoke] revokes it.
//   - [turns.Library.AwaitRead] waits until the model was given an interjection, or the turn has ended without it;
//     [turns.Library.AwaitTitle] until the title of a first turn is written.
//
// # Queries on conversations
//
//   - [conversation.Library.List] lists them, [conversation.Library.Open] finds one by name, [conversation.Library.Last] the one commands
//     use in a folder. [conversation.Library.Trash] lists the deleted. [conversation.Library.Title] is what people read
//     instead of a name, [conversation.Library.Unnamed] reports whether nobody gave one.
//   - [conversation.Library.Branches], [conversation.Library.Labels] and [conversation.Library.Leaves] list branches, labels and ends.
//     [conversation.Library.Locate] finds a node by its name.
//   - [conversation.Library.Path] reads the path to a node, [conversation.Library.PathEnd] its end, [conversation.Library.LastNodes] the
//     newest nodes, [Engine.Tree] all.
//   - [turns.Library.Prompt] is what a model is shown at a node, [turns.Library.Handles] the handles on the path to a tree's head,
//     [conversation.Library.Diff] how two nodes differ, files included.
//   - [conversation.Library.Search] searches what was said. [conversation.Library.History] lists what persons typed.
//     [conversation.Library.Record] is a tree to move to another store, [conversation.Library.Missed] returns the ends of runs that it
//     was not told of.
//   - [turns.Library.Resolve] reads what a handle refers to, through the gate, and may record it as a node.
//   - [conversation.Library.Keeper] saves the files of a project, [conversation.Library.PruneFiles] drops old snapshots.
//   - [notes.Library.List] lists notes, [notes.Library.Forgotten] those in the trash. [notes.Library.Note] finds one by number,
//     [notes.Library.NoteOf] by node, [notes.Library.Holding] those that apply in a folder, [notes.Library.About] those about a text.
//
// # Queries on debates and evaluations
//
//   - [rooms.Library.List] lists debates, [rooms.Library.Each] one by one, [rooms.Library.Names] by the beginning of their names.
//   - [rooms.Library.Room] finds the root of one, [rooms.Library.Info] its line in the list, [rooms.Library.Last] the name of the last.
//   - [rooms.Ask] makes the [rooms.Debate] for a question that was asked in a conversation.
//   - [rooms.Library.Frame] is the fixed part of a debate, [rooms.Library.Result] what it decided, or would decide now.
//   - [rooms.Library.Decisions] lists decisions, [rooms.Library.Blocked] what a verified danger stopped, [rooms.Library.Decision] finds
//     one, [rooms.Library.Digest] shows it as later debates see it, [rooms.Library.Trunk] reads its nodes.
//     [rooms.Library.Similar] finds decisions on similar questions.
//     [rooms.Library.Superseded] lists those that no longer hold, [rooms.Library.Trash] debates that were deleted, and
//     [rooms.Library.Deleted] reports whether the trash has one of a name. [rooms.Library.Knowledge] is what outcomes have taught so far.
//   - [evals.Library.List] lists evaluations, [evals.Library.Evaluation] reads one.
//
// # Queries on runs of plans
//
//   - [runs.Library.List] lists them, [runs.Library.Root] finds one, [runs.Library.Status] is its progress, step by step,
//     [runs.Library.Info] also says whether it is running or its process died.
//     [runs.Library.Running] reports whether a process executes it, [runs.Library.By] which, [runs.Library.Space] opens its folder.
//     [runs.Library.Trash] lists deleted ones, [runs.Library.Died] those whose process ended in the middle of them.
//     [runs.Library.Usual] is how the settings execute runs here, [runs.Library.Fits] says why a project cannot be worked on that way.
//   - [runs.Library.Step] is the history of a step, [runs.Library.Origin] the step that wrote a line of a file.
//   - [runs.Library.Load] is the CPU, memory and disk that a run uses now.
//   - [runs.Library.Report] is a run's report for people, [runs.Library.Review] what it changed, least proved first,
//     [runs.Library.Disk] its disk usage, [runs.Library.Parcel] all of it, as a file. [runs.Library.Checks] waits for
//     the forge's checks of its pull request.
//   - [runs.Library.Read] checks a plan against a project, [runs.Library.Latest] finds the one to execute. [runs.Library.Owed] says what
//     a plan must address of a debate's decision. [runs.Library.Conversation] makes a conversation ready
//     to plan it. [queues.Library.List] lists the prompts that are queued.
//
// # Queries on issue drafts
//
//   - [issues.Library.List] lists drafts, [issues.Library.Trash] those that were deleted. [issues.Library.Issue] finds one by its number,
//     [issues.Library.Target] where it would be filed.
//
// # The store
//
//   - [Engine.Text] reads a text by its hash. [Engine.LastSeq] is the number of the last node,
//     [Engine.Called] the name of the debate, conversation or run that a node belongs to.
//   - [Engine.Copy] reads a piece of the store for a copy of it on another machine. [Engine.MirrorOf] makes an engine one over such a
//     copy: it reads here and operations run there. [Engine.Mirrored] reports whether it is one.
//   - [Engine.Check] looks for damage, [Engine.Sound] in one tree.
//   - [Engine.Expire] removes for good what was deleted over [TrashTime] ago. Deleting does so, too, for a few at a time.
//     [Engine.Unindexed] reports whether the last search left out something that is not indexed yet.
//
// # For the parts
//
//   - [Of] finds a Library. A [Core] has the store, jobs, locks and the index; [rooms.Library.Play] lets
//     evaluations run rooms, and [conversation.Library.Lock], [conversation.Library.Grow], [conversation.Library.GrowFrom] and
//     [conversation.Library.RestoreFiles] let turns extend a conversation.
package engine
