// Package lease is the hub's table of tasks: who holds each task, under which epoch, and its result.
//
// The table is the truth. A queue of messages only says who hears of a task first: it may lose or repeat one, and whatever it
// does, Waiting lists what has to be handed out again. The life of a task:
//
//   - Put adds it, once: the same name again is the task that is there.
//   - Claim grants it to a worker under the next epoch, unless another holds it and lives. What earlier epochs wrote is dropped.
//   - Beat, Node, Done and May count only under the current epoch, from the worker that holds it. Anything else is told fleet.Stale.
//   - Cancel ends it for whoever waits for it; its worker is told so at its next call.
//   - Forget removes it.
//
// Done and what follows from it are one transaction, and nobody is told before that is on disk (synchronous=FULL). Writes that come
// at the same time share one transaction, so a hundred workers cost a few syncs a second.
//
// How long ago a worker was heard of is in memory, by the monotonic clock, so a clock that jumps changes no lease. After a restart every
// open claim has one fresh lease, since nobody could beat meanwhile.
//
// A Table is for one process and safe for concurrent use. Errors are those of the database; a refusal is a verdict and no error.
package lease
