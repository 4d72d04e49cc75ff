package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// heads reports whether three lines begin a file's changes, and are not changes.
func heads(a, b, c string) bool {
	return strings.HasPrefix(a, "--- ") && strings.HasPrefix(b, "+++ ") && strings.HasPrefix(c, "@@")
}

// hunk parses "@@ -3,4 +5,6 @@": the first line numbers before and after.
func hunk(line string) (before, after int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return 0, 0, false
	}
	first, _, _ := strings.Cut(fields[1][1:], ",")
	second, _, _ := strings.Cut(fields[2][1:], ",")
	before, err := strconv.Atoi(first)
	after, err2 := strconv.Atoi(second)
	return before, after, err == nil && err2 == nil && min(before, after) >= 0 && max(before, after) < 1<<30
}

// section returns the text after the numbers of a hunk: the enclosing function.
func section(line string) string {
	parts := strings.SplitN(line, "@@", 3)
	return parts[len(parts)-1]
}

// about returns a title from git's lines about a file without changed lines, and the remaining lines.
func about(lines []string) (title string, rest []string) {
	names := strings.TrimPrefix(lines[0], "diff --git ")
	for i := range names { // twice the same name, which may contain anything; git quotes both or neither
		was, ok := strings.CutPrefix(Unquoted(names[:i]), "a/")
		is, also := strings.CutPrefix(Unquoted(strings.TrimPrefix(names[i:], " ")), "b/")
		if ok && also && was == is {
			names = is
			break
		}
	}
	what, from, before := "", "", ""
	for _, line := range lines[1:] {
		word := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
		if _, ok := word("new file mode "); ok {
			what = " (new, empty)"
		} else if _, ok := word("deleted file mode "); ok {
			what = " (deleted, was empty)"
		} else if name, ok := word("rename from "); ok {
			from = Unquoted(name)
		} else if name, ok := word("rename to "); ok {
			names = from + " → " + Unquoted(name)
		} else if mode, ok := word("old mode "); ok {
			before = mode
		} else if mode, ok := word("new mode "); ok {
			rest = append(rest, "mode "+before+" → "+mode)
		} else if strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "GIT binary patch") {
			what = strings.NewReplacer(", empty", ", not text", ", was empty", ", not text").Replace(what)
			if what == "" {
				what = " (not text)"
			}
		} else if !strings.HasPrefix(line, "index ") && !strings.HasPrefix(line, "similarity ") {
			rest = append(rest, line)
		}
	}
	return names + what, rest
}

// name returns the file name of a head line, without the time some programs add.
func name(line string) string {
	s, _, _ := strings.Cut(line[4:], "\t")
	return Unquoted(strings.TrimSpace(s))
}

// Unquoted decodes a name that git quotes because it has quotes, controls or letters beyond ASCII.
func Unquoted(name string) string {
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			return clean.Line(clean.Reveal(plain))
		}
	}
	return name
}

// outside reports whether a line ends the changes before it. Others belong to them, even those that lack their
// sign.
func outside(line string) bool {
	for _, begin := range []string{"@@", "diff ", "--- ", "Index: ", "Binary files ", "Only in "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// measure computes the width of the numbers. A hunk may be longer than it says: models count badly.
func (d *differ) measure(lines []string) {
	last, at := 0, 0
	for _, line := range lines {
		if from, to, ok := hunk(line); ok {
			at = max(from, to)
		}
		at++
		last = max(last, at)
	}
	d.digits = len(strconv.Itoa(last))
	if d.width < 40 || d.width < 2*d.digits+20 {
		d.digits = 0
	}
}

// next returns the number of the line after n; unknown stays unknown.
func next(n int) int {
	if n == 0 {
		return 0
	}
	return n + 1
}

func number(n, digits int) string {
	if n == 0 {
		return strings.Repeat(" ", digits)
	}
	return fmt.Sprintf("%*d", digits, n)
}
