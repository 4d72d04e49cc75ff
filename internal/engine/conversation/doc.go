// Package conversation contains an engine's recorded conversations: trees with branches and labels, the messages in them, and the files of
// their projects. Nothing here asks a model; package turns does.
//
// A conversation is one tree. The ref tree/NAME names it and points at the node that says which branch it is on. The ref
// branch/NAME/BRANCH points at the head of a branch and label/NAME/LABEL at any node. [Tree] is all of that as [Library.Open] read it: a
// value, which is outdated as soon as somebody else extends the conversation.
//
// # Who may move a branch
//
// Only the holder of the conversation's lock ([Library.Lock]), one process at a time: a turn for as long as it runs, an operation for a
// moment. [Library.Grow] then appends nodes and moves the branch in one commit, if its head is still the one that the Tree knows. So even
// if a lock is forgotten, nothing is lost: the second of two writers is refused.
//
// Titles, switches to another branch and answers of a person are beside the messages, and move no branch (see margin.Beside).
//
// # Going back
//
// Going back removes no messages: [Back] moves the branch, and the nodes ahead stay in the tree. Files are another matter. A turn records
// their state before and after it changed some, in package snapshot. [Undo] and [Redo] revert and repeat the last of these changes; Back,
// Branch and SwitchTo do so on request. What a person changed between two turns stays if possible, and is recorded first in any case, so
// that an interrupted restore can be finished or undone. Commits and refs of the project's repository are never moved.
//
// # Names
//
// A conversation is found by its name, its title or the end of its id, in that order. A name that the program made up ends in letters of
// the id; that distinguishes it from a name a person chose.
//
// # Failures
//
// Refusals name the command that helps. A conversation whose first node cannot be read is damage for whoever opens it, and lists omit it.
// Operations that restore files may fail after the branch has moved: repeating them finishes the restore.
package conversation
