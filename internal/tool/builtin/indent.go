package builtin

import "strings"

// shift turns the indentation of one text into that of another which has the same lines.
type shift struct {
	pairs [][2]string // how lines are indented in the one and in the other, longest first
	tab   int         // blanks of the one for a tab of the other; negative: tabs for so many blanks; 0: not known
}

func shiftFrom(from, to []string) shift {
	var s shift
	for i := range min(len(from), len(to)) {
		a, b := indent(from[i]), indent(to[i])
		if strings.TrimSpace(from[i]) == "" {
			continue
		}
		s.pairs = append(s.pairs, [2]string{a, b})
		switch {
		case s.tab != 0 || a == "" || b == "":
		case only(a, " ") && only(b, "\t") && len(a)%len(b) == 0:
			s.tab = len(a) / len(b)
		case only(a, "\t") && only(b, " ") && len(b)%len(a) == 0:
			s.tab = -len(b) / len(a)
		}
	}
	return s
}

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func only(s, letter string) bool { return strings.Trim(s, letter) == "" }

// lines shifts each line of text.
func (s shift) lines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			out.WriteString(line)
			continue
		}
		have := indent(line)
		out.WriteString(s.one(have) + line[len(have):])
	}
	return out.String()
}

// one shifts an indentation: as a line that had it was, else as the deepest one it goes on from.
func (s shift) one(have string) string {
	best := [2]string{}
	found := false
	for _, p := range s.pairs {
		if strings.HasPrefix(have, p[0]) && (!found || len(p[0]) > len(best[0])) {
			best, found = p, true
		}
	}
	rest := have[len(best[0]):]
	switch {
	case s.tab > 0 && only(rest, " "):
		rest = strings.Repeat("\t", len(rest)/s.tab) + rest[:len(rest)%s.tab]
	case s.tab < 0 && only(rest, "\t"):
		rest = strings.Repeat(" ", -s.tab*len(rest))
	}
	return best[1] + rest
}
