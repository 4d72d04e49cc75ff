package told

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Restored returns the restoration of files that a node records; it is empty for other nodes.
func Restored(n tree.Node) margin.Snap {
	if s, ok := margin.SnapKind.Of(n); ok && s.Why == "restored" {
		return s
	}
	return margin.Snap{}
}

// Interrupted says that files were to be restored and how to finish that; it is empty unless the last node of a branch shows that the
// process ended meanwhile.
func Interrupted(last tree.Node, name, branch string) string {
	if s, ok := margin.SnapKind.Of(last); !ok || s.Why != "restoring" {
		return ""
	}
	return "Restoring files was interrupted: some are restored, others are as before.\nFinish it: " + Finish(name, branch) + "\n"
}

// Finish is the command that finishes an interrupted restoration of files.
func Finish(name, branch string) string {
	return "socrates tree switch " + name + " " + branch + " --files"
}

// Blocked returns what a restoration left as it is although the file should have changed. A file that was ignored at the restored state
// stays rightly.
func Blocked(s margin.Snap) []string {
	return slices.DeleteFunc(slices.Clone(s.Left), func(l string) bool { return strings.HasSuffix(l, ": ignored in that snapshot") })
}

// Brought says what a restoration of files did, line by line; redo is the command that undoes it, unless it is a redo: then
// it is undo.
func Brought(s margin.Snap, redo string) (out string) {
	list := func(what string, files []string) {
		if more := len(files) - mostFiles; more > 0 {
			files = append(slices.Clone(files[:mostFiles]), fmt.Sprintf("and %d more", more))
		}
		if len(files) > 0 {
			out += what + ": " + strings.Join(files, ", ") + "\n"
		}
	}
	verb, deleted := "restored", "deleted"
	if s.By == "redo" {
		verb, deleted, redo = "redone", "deleted again", strings.Replace(redo, "redo", "undo", 1)
	}
	// Removed files are listed in a line of their own.
	list(verb, slices.DeleteFunc(slices.Clone(s.Files), func(f string) bool { return slices.Contains(s.Removed, f) }))
	list(deleted, s.Removed)
	list("left as they are", s.Left)
	list("not in a snapshot, still there", s.Stays)
	if out == "" {
		out = "no files needed changing\n"
	}
	if s.Beyond {
		out += "files that no snapshot contains were changed too; these changes cannot be undone\n"
	}
	if len(s.Edited) > 0 {
		list("your later edits were also reverted in", s.Edited)
		out += "to restore them: " + redo + "\n"
	}
	if s.On != "" && len(s.Files) > 0 {
		out += "you are on branch " + s.On + "; these files are as they were on " + cmp.Or(s.Branch, "a commit without a branch") + "\n"
	}
	if len(s.Commits) > 0 {
		out += "later commits stay:\n  " + strings.Join(s.Commits, "\n  ") + "\n"
	}
	if len(s.Commits) > 0 && s.Head != "" {
		out += fmt.Sprintf("to drop them and keep the files as they are now: git reset %.12s\n", s.Head) +
			"if they are already pushed, commit the files as they are now instead\n"
	}
	return out
}

// mostFiles is how many files are named individually.
const mostFiles = 20
