package builtin

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// unified returns the diff of two texts for a person: CRLF is left out where both texts use it, and characters that
// are invisible, or that a terminal would obey, are written out.
func unified(from, to, before, after string) string {
	if crlf(before) == crlf(after) || before == "" || after == "" {
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	if before == after {
		return ""
	}
	head := "--- " + oneLine(from) + "\n+++ " + oneLine(to) + "\n"
	return plainly(head + hunks(before, lineEdits(before, after)))
}

// longDiff is how many lines are compared exactly. That takes quadratic time in the changes, so beyond it the diff is
// correct but not the smallest.
const longDiff = 20_000

// lineEdits returns which lines of before become which. With very many lines, lines at the same place are matched or,
// if their numbers differ, all count as changed.
func lineEdits(before, after string) []udiff.Edit {
	a, b := textLines(before), textLines(after)
	offset, tail := 0, 0
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		offset += len(a[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail += len(a[len(a)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if min(len(a), len(b)) <= longDiff {
		edits := udiff.Lines(before[offset:len(before)-tail], strings.Join(b, ""))
		for i := range edits {
			edits[i].Start, edits[i].End = edits[i].Start+offset, edits[i].End+offset
		}
		return edits
	}
	if len(a) != len(b) {
		return []udiff.Edit{{Start: offset, End: len(before) - tail, New: strings.Join(b, "")}}
	}
	var edits []udiff.Edit
	for i, line := range a {
		if line != b[i] {
			edits = append(edits, udiff.Edit{Start: offset, End: offset + len(line), New: b[i]})
		}
		offset += len(line)
	}
	return edits
}

// contextLines is as many as diff and git show.
const contextLines = 3 // lines shown before and after what changed

// hunks writes edits, which are of whole lines and in order, as a unified diff. The library counts lines from the
// beginning for every edit, and miscounts where edits are close together.
func hunks(before string, edits []udiff.Edit) string {
	lines := textLines(before)
	var out, body strings.Builder
	at, offset := 0, 0            // everything before this line and byte is written or skipped
	first, gone, added := 0, 0, 0 // of the hunk in body: where it begins, how many lines it has on either side
	drift := 0                    // how many more lines there are afterwards, up to this hunk
	same := func(to int) {
		for ; at < min(to, len(lines)); at++ {
			put(&body, ' ', lines[at])
			gone, added = gone+1, added+1
		}
	}
	flush := func() {
		out.WriteString("@@ -" + span(first, gone) + " +" + span(first+drift, added) + " @@\n" + body.String())
		drift += added - gone
		body.Reset()
	}
	for i, e := range edits {
		start := at + strings.Count(before[offset:e.Start], "\n")
		if i == 0 || start > at+2*contextLines {
			if i > 0 {
				same(at + contextLines)
				flush()
			}
			at = max(start-contextLines, at)
			first, gone, added = at, 0, 0
		}
		same(start)
		for offset = e.Start; offset < e.End; at++ {
			put(&body, '-', lines[at])
			offset += len(lines[at])
			gone++
		}
		for _, line := range textLines(e.New) {
			put(&body, '+', line)
			added++
		}
	}
	same(at + contextLines)
	flush()
	return out.String()
}

// textLines returns the lines of a text with their ends.
func textLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// put writes one line of a diff, with the mark that diff and patch use for a missing newline.
func put(out *strings.Builder, sign byte, line string) {
	out.WriteByte(sign)
	out.WriteString(line)
	if !strings.HasSuffix(line, "\n") {
		out.WriteString("\n\\ No newline at end of file\n")
	}
}

// span returns where lines begin, from 1, and their number; none begin before the first.
func span(first, count int) string {
	switch count {
	case 0:
		return "0,0"
	case 1:
		return strconv.Itoa(first + 1)
	}
	return strconv.Itoa(first+1) + "," + strconv.Itoa(count)
}

// oneLine prevents a file name with a newline from looking like further lines of a diff.
func oneLine(name string) string { return strings.ReplaceAll(name, "\n", `\n`) }

// changed counts the lines that a unified diff adds and removes.
func changed(diff string) (added, gone int) {
	inside := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case strings.HasPrefix(line, "--- "):
			inside = inside && !strings.HasPrefix(line, "--- a/") && !strings.HasPrefix(line, "--- /dev/null")
			if inside {
				gone++
			}
		case inside && line[0] == '+':
			added++
		case inside && line[0] == '-':
			gone++
		}
	}
	return added, gone
}

// plainly writes out what is invisible: controls, invisible letters and invalid bytes. Newlines and tabs stay. A
// person approves what they read: an invisible letter could change its meaning.
func plainly(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\n' || r == '\t' || r == '\ufe0f' || size > 1 && r == utf8.RuneError:
			out.WriteString(s[:size])
		case r == utf8.RuneError || !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r):
			quoted := strconv.QuoteToASCII(s[:size])
			out.WriteString(quoted[1 : len(quoted)-1])
		default:
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}

// crlf reports whether most lines of s end in CRLF.
func crlf(s string) bool { return 2*strings.Count(s, "\r\n") > strings.Count(s, "\n") }
