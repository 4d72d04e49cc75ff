package workspace

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// leastText is how many characters besides blanks a line must have to be identified by its text and place alone.
const leastText = 10

// Align finds the line of a text, counted from 1, in a file as a run left it: the one in the same place once both are
// aligned. empty: none, or it is too short to identify, and most of what its commit added is not in the text. Blame
// cannot see through a squash or a rebase, and the same line may occur several times; so its place relative to all
// other lines decides.
func Align(text []string, line int, kept []Line) (commit string) {
	if line < 1 || line > len(text) {
		return ""
	}
	var theirs []string
	for _, l := range kept {
		theirs = append(theirs, l.Text)
	}
	pairs := beside(theirs, text)
	at, ok := pairs[line-1]
	if !ok {
		return ""
	}
	commit = kept[at].Commit
	if len(strings.Join(strings.Fields(text[line-1]), "")) >= leastText {
		return commit
	}
	there, all := 0, 0
	for _, i := range pairs {
		if kept[i].Commit == commit {
			there++
		}
	}
	for _, l := range kept {
		if l.Commit == commit {
			all++
		}
	}
	if 2*there <= all {
		return ""
	}
	return commit
}

// beside maps each line of the second text that the first one has, too, to that line of the first.
func beside(a, b []string) map[int]int {
	before, after := strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n"
	pairs := map[int]int{}
	at, i, j := 0, 0, 0 // in the first text; lines of both
	same := func(upto int) {
		for n := strings.Count(before[at:upto], "\n"); n > 0; n-- {
			pairs[j] = i
			i, j = i+1, j+1
		}
	}
	for _, e := range udiff.Lines(before, after) {
		same(e.Start)
		i += strings.Count(before[e.Start:e.End], "\n")
		j += strings.Count(e.New, "\n")
		at = e.End
	}
	same(len(before))
	return pairs
}
