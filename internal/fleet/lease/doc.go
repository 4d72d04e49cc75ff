// Package lease is the hub's table of tasks: who holds each task, under which epoch, and its result.
//
// The table is authoritative. A queue of messages only decides who gets a task first: it may lose or repeat one, and
// whatever it does, Waiting lists what must be delivered again. The life of a task:
//
//   - Put adds it, once: the same name again is the existing task.
//   - Claim grants it to a worker under the next epoch, unless another live worker holds it. Data of earlier epochs is dropped.
//   - Beat, Node, Done and May count only under the current epoch, from the worker that holds it. Anything else gets fleet.Stale.
//   - Cancel ends it for its client; its worker is told at its next call.
//   - Forget removes it.
//
// Done and its effects are one transaction, and nobody is told before that is on disk (synchronous=FULL). Concurrent
// writes share one transaction, so a hundred workers cost a few syncs a second.
//
// The time of a worker's last call is in memory, by the monotonic clock, so a clock that jumps changes no lease.
// After a restart every open claim gets a fresh lease, since nobody could beat meanwhile.
//
// A Table is for one process and safe for concurrent use. Errors are those of the database; a refusal is a verdict
// and no error.
package lease
