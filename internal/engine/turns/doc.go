// Package turns runs what happens in an engine's conversations: models answer, commands run, handles are resolved, each
// through the same gate and sandbox.
//
// [Say] records a person's message and starts a turn, the job that answers it. A turn finds model, phase, tools and
// system prompt, runs an agent.Agent over the path of the branch, and records every exchange as it happens. It always
// ends with one talk.Reply: done, limited, interrupted or failed, so that a path never ends in an unanswered question.
// A turn that died with its process is ended by the next one (endCrashedTurn).
//
// # How a turn is made
//
//   - recorder: the turn's place in its conversation. All its other parts record through it, from any goroutine.
//   - speaker: the model, its prompt, its tools and its cost.
//   - files: states of the project's files before and after calls that change them, for undo.
//   - added: what the person and the project add to a conversation: MCP servers and hooks.
//   - inbox: messages to the turn while it runs.
//   - fetching: which files came from outside or repeat strangers' text, for later conversations.
//   - SteerWatch: what programs did to files that steer agents, editors, git or shells.
//
// A state is what a conversation has in this process between turns: the session of its tools with background jobs,
// grants for the session, a program that stays up. It lasts until the engine is closed.
//
// # Invariants
//
// A turn holds its conversation's lock from before the message is committed until its reply is. Everything is on disk
// before a watcher, a model or another process sees it: an exchange is recorded before the next request is made, and a
// call is judged, and the judgement recorded, before it has an effect.
//
// The gate (package permission) decides about every effect of a tool, with the policy at that moment. If nobody can be
// asked, the answer is no. Text of strangers taints the conversation; from then on everything that could execute its
// instructions is judged more strictly, also in later turns and in jobs that outlive theirs.
//
// Money: each call is reserved before it is made, in the turn's budget and in an outer one if there is one. Tasks and
// the title spend from their turn's budget. A turn without limits reserves against none.
//
// # Tasks and programs
//
// A call can give a task to another agent: a turn within the turn, on a branch that begins at the turn's current node.
// It may do no more than its turn, asks through it, and its report is the call's result. A model that is a program with
// its own tools either answers in a throw-away copy and may only read, or works in the project itself, where each of
// its calls is judged by the same gate.
//
// # Failures
//
// A tool that fails is a result for the model. classify assigns what ends a turn to a class: a person, a limit, or a
// kind of trouble that exit codes and front ends use. A failure to record always ends the turn.
package turns
