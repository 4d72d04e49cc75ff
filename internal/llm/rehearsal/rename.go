package rehearsal

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// renaming matches a request that the agent can carry out: one word replaces another in a file.
var renaming = pattern.Of(`(?i)^\s*rename\s+([A-Za-z_]\w*)\s+to\s+([A-Za-z_]\w*)\s*\.?\s*$`)

// renameSteps are the steps of a rename.
var renameSteps = []string{"Find the name", "Read the file that mentions it most", "Rename it there"}

// renamed returns what the agent does next for a request to rename; ok is false for any other request.
func (w work) renamed() (calls []llm.Call, text string, ok bool) {
	m := renaming().FindStringSubmatch(w.asked)
	if m == nil || !w.tools["grep"] || !w.tools["read"] || !w.tools["edit"] {
		return nil, "", false
	}
	from, to := m[1], m[2]
	_, searched := w.results["grep"]
	read, opened := w.results["read"]
	edit, tried := w.results["edit"]
	hits := w.hits()
	switch {
	case !searched:
		calls := append(w.steps(renameSteps, 0), w.call("grep", map[string]any{"pattern": `\b` + from + `\b`})...)
		return calls, "First I search for " + from + ".", true
	case len(hits) == 0:
		return nil, ruled + from + " does not occur in the project.", true
	case !opened:
		return append(w.steps(renameSteps, 1), w.call("read", map[string]any{"path": best(hits)})...),
			fmt.Sprintf("%s contains it, in %s.", best(hits), count(len(hits[best(hits)]), "line")), true
	case !tried && partly(read.Text, from):
		why := "Nothing was changed: %s is also part of longer words in `%s`, which would also change."
		return nil, ruled + fmt.Sprintf(why, from, best(hits)), true
	case !tried && !read.Failed:
		args := map[string]any{"path": best(hits), "old": from, "new": to, "all": true}
		return append(w.steps(renameSteps, 2), w.call("edit", args)...), "", true
	case tried && !edit.Failed:
		return nil, ruled + fmt.Sprintf("%s is now %s in `%s`%s. `/undo` reverts that, or in a shell `socrates tree undo`.", from, to,
			best(hits), elsewhere(hits, best(hits))), true
	}
	return nil, ruled + "Nothing was changed: " + strings.TrimSpace(edit.Text+read.Text), true
}

// elsewhere names the files that still have the name.
func elsewhere(hits map[string][]string, done string) string {
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(hits)), func(f string) bool { return f == done })
	switch n := len(others); {
	case n == 0:
		return ""
	case n > 3:
		return fmt.Sprintf("; %d other files still have it", n)
	}
	return "; still in `" + strings.Join(others, "`, `") + "`"
}

// partly reports whether a text contains a word also as a part of longer ones.
func partly(text, word string) bool {
	return strings.Count(text, word) > len(regexp.MustCompile(`\b`+word+`\b`).FindAllStringIndex(text, -1))
}
