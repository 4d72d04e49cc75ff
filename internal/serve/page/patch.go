package page

import (
	"strconv"
	"strings"
)

// patch is a unified diff as a table; each line has its sign, so colour is never alone. A line is the head of a file only where no
// hunk has lines left: a removed line that begins with "-- " would else be left out, and an added one with "++ " name another file.
func patch(diff string) Raw {
	w := &writer{}
	name, rows, added, removed := "", &writer{}, 0, 0
	before, after := 0, 0 // lines that the hunk still has
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		between := before <= 0 && after <= 0
		switch {
		case between && strings.HasPrefix(line, "+++ "):
			name = strings.TrimPrefix(strings.TrimPrefix(line, "+++ "), "b/")
		case between && (strings.HasPrefix(line, "--- ") || line == ""):
		case strings.HasPrefix(line, "@@"):
			before, after = hunkSizes(line)
			rows.put(`<tr class="hunk"><td class="sg"></td><td>%s</td></tr>`, line)
		case strings.HasPrefix(line, "+"):
			added, after = added+1, after-1
			rows.put(`<tr class="add"><td class="sg">+</td><td>%s</td></tr>`, line[1:])
		case strings.HasPrefix(line, "-"):
			removed, before = removed+1, before-1
			rows.put(`<tr class="del"><td class="sg">−</td><td>%s</td></tr>`, line[1:])
		case strings.HasPrefix(line, `\`): // no newline at the end: it is no line of the file
			rows.put(`<tr><td class="sg"> </td><td>%s</td></tr>`, line)
		default:
			before, after = before-1, after-1
			rows.put(`<tr><td class="sg"> </td><td>%s</td></tr>`, strings.TrimPrefix(line, " "))
		}
	}
	w.put(`<figure class="diff"><figcaption><span>%s</span><span class="good">+%d</span><span class="bad">−%d</span></figcaption>`+
		`<div class="scroll" tabindex="0" role="region" aria-label="Changes in %s"><table><tbody>%s</tbody></table></div></figure>`,
		name, added, removed, name, rows.raw())
	return w.raw()
}

// hunkSizes are how many lines a hunk has of the file before and after, as its first line says: @@ -3,4 +5,6 @@. A number that is
// missing is 1.
func hunkSizes(head string) (before, after int) {
	sizes := [2]int{1, 1}
	fields := strings.Fields(head)
	for i := range min(2, max(0, len(fields)-1)) {
		if _, size, ok := strings.Cut(fields[i+1], ","); ok {
			sizes[i], _ = strconv.Atoi(size)
		}
	}
	return sizes[0], sizes[1]
}
