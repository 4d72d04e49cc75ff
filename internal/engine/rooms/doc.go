// Package rooms contains an engine's debates: their operations, how they are run, and their decisions.
//
// A room is one tree. Its first node is a table.Frame: the question, the seats, the rules and the limits, none of which
// ever change. Opening a room commits it with the context that its seats are shown, points the ref room/NAME at it and
// starts a job. The job makes the models, seats them and calls debate.Room.Run over the record. Package debate
// implements the protocol and debate/verdict computes the numbers. This package manages the lock, the record, the
// copies of the project and the lists.
//
// # The life of a room
//
// - Open: the ref points at the first node. A job may be running, or the room rests because it was stopped or its process
// died. [Resume] runs it from its record; no recorded answer is asked for, or paid, again.
// - Ended: one commit records the verdict, the decision as people read it and the end, moves the ref to the end and
// makes the decision findable. The ref's state says whether it decided or was blocked, so that lists need not read it.
// - Ended again: a person's choice or veto runs it once more from its record, without models, to a later end.
// - Superseded: the ref superseded/NAME points at a node that says what superseded its decision. The room itself
// does not change.
// - Deleted: its refs are in the trash. [Restore] restores it unchanged.
//
// [Fork] and [Revisit] open new rooms. A fork copies the blind ballots of the seats that stay, so that only what
// follows is paid; a revisit supersedes the earlier decision if it decides otherwise.
//
// # Invariants
//
// One process at a time runs a room. It holds the room's lock from before the first node is committed until its job has
// ended. Messages of a person need no lock: they are nodes below the first one, and the job reads them from the store.
//
// A room that draws judges does so with a key derived from a secret beside the store, so that it draws the same when it
// is resumed, and no seat can know the draw before the ballots are in.
//
// No model that acts works in the project itself: it gets a throw-away copy, or a view that the system protects from
// writes, or it is refused.
//
// # Failures
//
// If a job ends with an error, the room stays open, with everything recorded so far. A seat that cannot be made ends
// the job before any seat was asked. Changes in the project during a debate, by anybody, are noted and do not fail it.
//
// What outcomes teach is read here and written into the rules of new rooms only: a room never changes because something was learned later.
package rooms
