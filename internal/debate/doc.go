// Package debate runs a room: it decides which seat is asked what and when, records everything that happens in a journal,
// and keeps the ledger from which debate/verdict computes the decision.
//
// A [Room] knows no store, no vendor and no screen. The engine gives it seats with models, a function that checks evidence,
// a journal.Journal, and a [Strategy]; [Room.Run] does the rest. [Summarize] computes the result from the recorded nodes alone,
// so a live run, show, resume and a replay print the same bytes.
//
// # The journal
//
// Every effect of a room (a question, a reply, a check, a note, a request to a person) has a key that is unique in the room, such as
// blind/0/SEAT. If the journal has the key, the recorded value is used and nothing happens. If not, the effect happens and is
// recorded. All of these are [Room.Run] over a different journal:
//
//   - a new debate: the journal has the frame and the context
//   - resume: the journal has what a process recorded before it ended, wherever that was
//   - fork: the engine copies the blind ballots and proposed options of another room into a new one; their keys still fit
//   - [Replay]: the journal is sealed. No model is asked, no evidence is checked and nothing is written. A missing entry is
//     journal.ErrNotRecorded; a ledger that differs from the recorded one is [ErrDiffers]
//
// A recorded reply is never asked for again, whatever its state, with one exception: a reply at which [Room.Halt] ends the room. Of a
// turn that was cut off, the recorded steps are kept. If the process ended during a model call, the call is made again and the lost
// one is booked at its estimated cost, since it may have been paid for.
//
// # What is durable when
//
// Questions are committed before any of a round is sent, all in one commit, with the money each may cost. A model's request for tools
// is committed before the tools run, and a reply that needs repair before the repair is asked for. Final replies and the results of
// checks go to a writer that commits them in order while the room computes on; the next question waits for it. So a question is never
// sent before everything it depends on is on disk, and a crash loses at most the last answers. Run returns after everything is
// written. The first failed write ends the room, and nothing is recorded after it.
//
// Append is called for one batch at a time, in order, with a context that is never cancelled, and must commit a batch as a whole.
// Put is called before the node that names its text.
//
// # What a strategy may assume
//
//   - [Room.Ask] returns one [Turn] per seat, in the order of the seats, when all are in, failed or were given up. A seat
//     that fails is a Turn with a State and a Reason, not an error. Only Answered carries an answer that counts.
//   - An error of Ask is a failure to record, a cancelled context, or a [Halted]: return it as it is.
//   - With three seats or more, the room waits for the last one only for Limits.Grace. It is then Late, and a later answer becomes an
//     addendum: a late vote never counts, a late statement is read from the next phase of a talk on.
//   - When a person ends the round or the time is up, running turns end as Stopped or TimedOut, and further ones are NotAsked.
//     Ask still returns turns, so a strategy needs no case for it.
//   - Messages from people take effect only between questions, at a place that is recorded. Dropping a seat and changing its
//     deadline also act on a running turn.
//   - Seats that the room refuses to ask, or that lost their vote, stay in every denominator.
//   - Money is reserved before a call. A seat that does not fit into the limits is NotAsked with [exchange.BudgetKind]. A
//     program whose one question is many calls is ended at the limit while it works: Broken with that kind, and its copy is compared.
//
// # What a strategy does
//
// It is a function that calls the verbs of a room. Package strategy has the built-in ones, and an Example of writing one.
//
//   - [Room.Settle] has the panel name the options of an open question; [Room.Ready] asks whether the seats can begin
//   - [Room.Vote] asks for blind ballots and counts them; [Room.Welcome] asks those who joined; [Room.Verify] has code check
//     what they claim; [Room.CrossExamine] has seats answer one another; [Room.Snapshot] records the ledger between such steps
//   - [Room.Talk] is one [Phase] in which seats read each other, and [Room.Conclude] ends it with votes, [Room.Abort] without
//   - [Room.Moderate] asks how close statements are; [Room.Estimate] and [Room.Cover] make a decision of numbers
//   - [Room.Note] tells readers of the record what was done and why; [Room.Ask] asks any other question
//
// # What a strategy must do
//
//   - Ask through these, under phase, act and round names that are unique in the room: two questions of one name are one question.
//   - Derive everything else from the frame, the ledger and the turns. Draw lots with [Room.Draw]. Reading a clock, a file or a map in
//     its random order makes the replay differ. A decision that depends on time is recorded as a note under a key, as
//     over does.
//   - Start no goroutine that touches the room. The prompt function is called for several seats at once and only reads.
//   - End in ballots and claims in the one ledger. A strategy returns no verdict, and sets Explores if seats talk before they vote.
//
// # What a room is made of
//
// Its verbs use parts that keep their own state: the roomJournal (and look-ups in it), the tally (the growing ledger), the asker
// (questions and each seat's conversation), the checker (evidence and who judges it), the talks, the peopleInput, the turns that are
// running, and the roomTime. Only the journal and the running turns are used by several goroutines; their mutexes are declared above
// what they guard.
//
// # Concurrency and zero values
//
// A Room runs once, and its methods are not safe for concurrent use. Head, Nodes and Record are for after Run. Watch
// is called from several goroutines at once; Look, Sit and Prepare from one. Frame, Look and Seats with their models are
// required, unless the journal is sealed or complete. Every other exported field may be left zero: nobody watches, speaks,
// joins or interrupts, and there is no wider budget.
//
// Limits.USD and Limits.Tokens hold over all runs of a room, since the journal records what was spent. Limits.Timeout counts from the
// start of this run: a room that is resumed has its whole time again. Package clock computes how long all runs took.
package debate
