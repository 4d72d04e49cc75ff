package page

import (
	"strconv"
	"strings"
)

// patch formats a unified diff as a table; each line has its sign, so colour is never alone. A line is the head of a
// file only if no hunk has lines left: otherwise a removed line that begins with "-- " would be left out, and an
// added one with "++ " would name another file.
func patch(diff string) Raw {
	w := &writer{}
	name, rows, added, removed := "", &writer{}, 0, 0
	before, after := 0, 0 // lines that the hunk still has
	old, now := 0, 0      // numbers of the next lines
	row := func(class Raw, was, is int, sign Raw, text string) {
		rows.put(`<tr%s><td class="ln">%s</td><td class="ln">%s</td><td class="sg">%s</td><td>%s</td></tr>`, class, lineNumber(was),
			lineNumber(is), sign, text)
	}
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		between := before <= 0 && after <= 0
		switch {
		case between && strings.HasPrefix(line, "+++ "):
			name = strings.TrimPrefix(strings.TrimPrefix(line, "+++ "), "b/")
		case between && (strings.HasPrefix(line, "--- ") || line == ""):
		case strings.HasPrefix(line, "@@"):
			old, before, now, after = hunk(line)
			row(` class="hunk"`, 0, 0, "", line)
		case strings.HasPrefix(line, "+"):
			row(` class="add"`, 0, now, "+", line[1:])
			added, after, now = added+1, after-1, now+1
		case strings.HasPrefix(line, "-"):
			row(` class="del"`, old, 0, "−", line[1:])
			removed, before, old = removed+1, before-1, old+1
		case strings.HasPrefix(line, `\`): // no newline at the end: it is no line of the file
			row("", 0, 0, " ", line)
		default:
			row("", old, now, " ", strings.TrimPrefix(line, " "))
			before, after, old, now = before-1, after-1, old+1, now+1
		}
	}
	w.put(`<figure class="diff"><figcaption><span>%s</span><span class="good">+%d</span><span class="bad">−%d</span></figcaption>`+
		`<div class="scroll" tabindex="0" role="region" aria-label="Changes in %s"><table><tbody>%s</tbody></table></div></figure>`,
		name, added, removed, name, rows.raw())
	return w.raw()
}

// lineNumber formats one; 0: the line is in one of the files only.
func lineNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// hunk parses the first line of a hunk: its first line before and after, and how many lines it has of each: @@ -3,4
// +5,6 @@. A missing size is 1.
func hunk(head string) (old, before, now, after int) {
	starts, sizes := [2]int{}, [2]int{1, 1}
	fields := strings.Fields(head)
	for i := range min(2, max(0, len(fields)-1)) {
		start, size, ok := strings.Cut(fields[i+1], ",")
		starts[i], _ = strconv.Atoi(strings.TrimLeft(start, "-+"))
		if ok {
			sizes[i], _ = strconv.Atoi(size)
		}
	}
	return starts[0], sizes[0], starts[1], sizes[1]
}
