// Package conversation is the conversations of an engine as they are recorded: trees with branches and labels, what was said in them,
// and the files of their projects. Nothing here asks a model; package turns does.
//
// A conversation is one tree, named by the ref tree/NAME, which points at the node that says which branch it is on. The ref
// branch/NAME/BRANCH points at the head of a branch and label/NAME/LABEL at any node. [Tree] is all of that as it was when
// [Library.Open] read it: a value, which is outdated as soon as somebody else moves the conversation on.
//
// # Who may move a branch
//
// Whoever holds the conversation's lock ([Library.Lock]), one process at a time: a turn for as long as it runs, an operation
// for a moment. [Library.Grow] then appends nodes and moves the branch along in one commit, compared against the head that
// the Tree knows, so that even a forgotten lock could lose nothing: the second of two writers is refused.
//
// Titles, switches to another branch and answers of a person hang beside what is said, and move no branch (see margin.Beside).
//
// # Going back
//
// Nothing that was said is removed by going back: [Back] moves the branch, and what lay ahead stays a leaf of the tree. Files
// are another matter. A turn records what they were before and after it changed some, in package snapshot. [Undo] and
// [Redo] take the last of these changes back and forth; Back, Branch and SwitchTo do so on request. What a person changed
// between two turns is kept as it is where that is possible, and is recorded first in any case, so that a restore that is cut
// off in the middle can be finished or undone. Commits and refs of the project's repository are never moved.
//
// # Names
//
// A conversation is found by its name, its title or the end of its id, in that order. A name that the program made up ends in
// letters of the id; that is how a name a person chose is told from one nobody chose.
//
// # Failures
//
// Refusals name the command that helps. A conversation whose first node cannot be read is damage for whoever opens it, and is
// left out of lists. Operations that restore files may fail after the branch has moved: doing them again finishes.
package conversation
