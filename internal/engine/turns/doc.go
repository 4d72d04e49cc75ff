// Package turns is what happens in the conversations of an engine: models answer, commands run, handles are looked at, each through
// the same gate and sandbox.
//
// [Say] records what a person says and starts a turn, the job that answers it. A turn finds model, phase, tools and system
// prompt, runs an agent.Agent over the path of the branch, and records every exchange as it happens. It ends with one
// talk.Reply, whatever became of it: done, limited, interrupted or failed, so that a path never ends in a question that nobody
// answers. A turn that died with its process is given its end by the next one (endCrashedTurn).
//
// # How a turn is made
//
//   - recorder: where the turn is in its conversation. All its other parts record through it, from any goroutine.
//   - speaker: the model, what it is told, what it may use and what it has cost.
//   - files: states of the project's files around what calls change, for undo.
//   - added: what the person and the project add to a conversation: MCP servers and hooks.
//   - inbox: what is said to the turn while it runs.
//   - fetching: which files came from outside or repeat strangers' text, for later conversations.
//   - SteerWatch: what programs did to files that steer agents, editors, git or shells.
//
// A state is what a conversation has in this process between turns: the session of its tools with background jobs, grants for the
// session, a program that stays up. It lasts until the engine is closed.
//
// # Invariants
//
// A turn holds its conversation's lock from before what was said is committed until its reply is. What happened is on disk
// before a watcher, a model or another process hears of it: an exchange is recorded before the next request is made, and a call
// is judged, and the judgement recorded, before it has an effect.
//
// Every effect of a tool is asked about at the gate (package permission) with the policy as it is at that moment. Nobody who
// could be asked means no. Text of strangers marks the conversation; from then on what could carry it out is judged more
// strictly, also in later turns and in jobs that outlive theirs.
//
// Money: each call is reserved before it is made, in the turn's budget and in the one that it was given from outside. Tasks and
// the title spend from their turn's. A turn that has no limit reserves against none.
//
// # Tasks and programs
//
// A call can give a task to an agent of its own: a turn within the turn, on a branch that begins where the turn is. It may do no
// more than its turn, asks through it, and its report is the call's result. A model that is a program with tools of its own
// either answers in a throw-away copy and may only read, or works in the project itself, each of its calls judged at the same gate.
//
// # Failures
//
// A tool that fails is a result for the model. What ends a turn is classed by classify: a person, a limit, or a kind of trouble
// that exit codes and front ends go by. Failing to record is always the end of the turn.
package turns
