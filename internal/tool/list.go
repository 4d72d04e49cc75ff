package tool

import (
	"path"
	"strings"
)

// Effects are all effects, weakest first.
var Effects = []Effect{Talks, Reads, Keeps, Writes, Runs, Sends}

// In reports whether a list of tools, as pages and flags have it, contains the tool. An entry is a name, a pattern of
// names such as git_*, or an effect, which stands for every tool that has it. An entry with a dash before it excludes
// tools. A list that only excludes, such as the empty one, contains everything else.
func (t Tool) In(list []string) bool {
	in, all := false, true
	for _, entry := range list {
		entry, out := strings.CutPrefix(entry, "-")
		fits, _ := path.Match(entry, t.Name)
		fits = fits || entry == string(t.Effect)
		if fits && out {
			return false
		}
		in, all = in || fits, all && out
	}
	return in || all
}
