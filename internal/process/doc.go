// Package process ends programs whole: a child leads a group of its own, on Windows a job, and what it started goes
// with it.
//
// [Run] is what most callers need. It starts a command in a group, waits for it, ends it with its context (a request to
// end, then a kill after [Grace]) and returns once nothing of the group is left. Its error says only that the command
// could not be run at all; how it ended is in cmd.ProcessState, which [Code] reads as a shell would. Who needs the
// running program, as a model behind pipes does, uses [Prepare], [Adopt] and a [Group] and calls Kill and Release at
// its end.
//
// A program can leave its group. On Linux [Mark] gives a command a variable by which its group finds what left it, and
// [Descendants] do the same for several commands of one session. Both look through the environments of processes, so
// what was started with an environment of its own is not found. On other systems they do nothing.
//
// If this process itself is killed, on Linux the kernel kills the children, and the watchdog kills what bears a mark of
// ours; on Windows the job dies with its last handle; elsewhere a child notices at the end of its input, if it reads.
// The watchdog is this program once more, under a name of its own, which the first mark or [KeepTerminal] starts. It
// sits in a session of its own, does nothing until the pipe to this process breaks, and then carries out what it was
// told last: it kills, and puts the terminal back. It is a help where we are killed and no condition: whatever goes
// wrong with it changes nothing for callers.
//
// No program is started with an environment of ours as it is. [Environ] is for what a model or a repository has run:
// language and caches, without PATH and HOME. [Login] and [Named] are for programs that the user named: what a login
// has. Neither passes on keys.
//
// Everything here may be used by several goroutines at once. A Group belongs to whoever adopted it.
package process
