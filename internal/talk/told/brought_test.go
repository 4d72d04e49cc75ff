package told

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/talk/margin"
)

// What is told of files that were brought back names them, what stays, and how to get rid of commits.
func TestBrought(t *testing.T) {
	for _, c := range []struct {
		s    margin.Snap
		want string
	}{
		{margin.Snap{}, "no files needed changing\n"},
		{margin.Snap{Files: []string{"a", "b"}, Removed: []string{"b"}}, "restored: a\ndeleted: b\n"},
		{margin.Snap{By: "redo", Files: []string{"a", "b"}, Removed: []string{"b"}}, "redone: a\ndeleted again: b\n"},
		{margin.Snap{Left: []string{"c: ignored"}}, "left as they are: c: ignored\n"},
		{margin.Snap{Files: []string{"a"}, Beyond: true},
			"restored: a\nfiles that no snapshot contains were changed too; these changes cannot be undone\n"},
		{margin.Snap{Files: []string{"a"}, Stays: []string{"out/"}}, "restored: a\nnot in a snapshot, still there: out/\n"},
		{margin.Snap{Files: []string{"a"}, Kept: "x"}, "restored: a\n"},
		{margin.Snap{Files: []string{"a"}, Edited: []string{"a"}}, "restored: a\nyour later edits were also reverted in: a\nto restore them: /redo\n"},
		{margin.Snap{Files: []string{"a"}, Branch: "main", On: "other"}, "restored: a\nyou are on branch other; these files are as they were on main\n"},
		{margin.Snap{Files: strings.Split(strings.Repeat("a", 22), "")}, "restored: " + strings.Repeat("a, ", 20) + "and 2 more\n"},
		{margin.Snap{Head: "0123456789abcdef"}, "no files needed changing\n"},
		{margin.Snap{Commits: []string{"one", "two"}}, "no files needed changing\nlater commits stay:\n  one\n  two\n"},
		{margin.Snap{Commits: []string{"one"}, Head: "0123456789abcdef"}, "no files needed changing\nlater commits stay:\n  one\n" +
			"to drop them and keep the files as they are now: git reset 0123456789ab\nif they are already pushed, commit the files as they are now instead\n"},
	} {
		if got := Brought(c.s, "/redo"); got != c.want {
			t.Errorf("%+v: %q", c.s, got)
		}
	}
}
