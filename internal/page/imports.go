package page

import "strings"

// Imports are the names behind an @ at the beginning of a word, outside of code: files that another agent reads along with a page.
func Imports(text string) (out []string) {
	fence := ""
	for line := range strings.Lines(text) {
		if start := strings.TrimLeft(line, " "); fence == "" && (strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~")) {
			fence = start[:3]
			continue
		} else if fence != "" {
			if strings.HasPrefix(start, fence) {
				fence = ""
			}
			continue
		}
		for i, piece := range strings.Split(line, "`") {
			if i%2 == 1 { // a code span
				continue
			}
			for _, word := range strings.Fields(piece) {
				if name, ok := strings.CutPrefix(word, "@"); ok && name != "" {
					out = append(out, strings.TrimRight(name, ".,;:!?)"))
				}
			}
		}
	}
	return out
}
