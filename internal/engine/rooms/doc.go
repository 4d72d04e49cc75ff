// Package rooms is the debates of an engine: their operations, how they are conducted, and what was decided.
//
// A room is one tree. Its first node is a table.Frame: the question, the seats, the rules and the limits, none of which ever
// change. Opening a room commits it with what its seats are shown, points the ref room/NAME at it and starts a job. The job
// makes the models, seats them and calls debate.Room.Run over the record; the protocol is package debate's, the numbers are
// debate/verdict's. This package has the lock, the record, the copies of the project and the lists.
//
// # The life of a room
//
//   - Open: the ref points at the first node. A job may be at work, or the room rests because it was stopped or its process
//     died. [Resume] conducts it over its record; no answer that was recorded is asked for, or paid, again.
//   - Ended: one commit records the verdict, the decision as people read it and the end, moves the ref onto the end and
//     makes the decision findable. The ref's state says whether it decided or was blocked, so that lists need not read it.
//   - Ended again: a person's choice or veto conducts it once more from its record, without models, to a later end.
//   - Superseded: the ref superseded/NAME points at a node that says what took the place of its decision. The room itself
//     does not change.
//   - Deleted: its refs are in the trash. [Restore] brings it back as it was.
//
// [Fork] and [Revisit] open rooms of their own. A fork copies the blind ballots of the seats that stay, so that only what
// follows is paid; a revisit takes the place of the earlier decision if it decides otherwise.
//
// # Invariants
//
// One process at a time conducts a room. Its lock is held from before its first node is committed until its job has ended.
// Messages of a person need no lock: they are nodes below the first one, and the job hears of them from the store.
//
// A room that draws judges does so with a key that follows from a secret beside the store, so that it draws the same when it
// is resumed, and nobody at the table can know the draw before the ballots are in.
//
// No model that acts is let into the project itself: it gets a throw-away copy, or a view that the system keeps from being
// written, or it is refused.
//
// # Failures
//
// The error of a job leaves the room open, with all that was recorded until then. A seat that cannot be made ends the job
// before anybody was asked. What changed in the project during a debate, whoever did it, is noted and fails nothing.
//
// What outcomes teach is read here and written into the rules of new rooms only: a room never changes because something
// was learned later.
package rooms
