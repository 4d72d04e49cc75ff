package builtin

import (
	"errors"
	"slices"
	"strings"
)

// errIndent is why an edit is refused whose old text matches only without its indentation: a wrong guess at the depth
// of the new lines could change what a program means.
var errIndent = errors.New("old matches only if indentation is ignored, and new cannot be indented to match: give both with the " +
	"indentation that read shows")

// shift converts the indentation of lines a model wrote to that of the file, which has the same lines indented
// otherwise. Lines that the model indented alike stay alike, and a line one step deeper stays one step deeper.
type shift struct {
	pairs    [][2]string // the indentation of each line by the model and in the file
	from, to string      // one step of either; empty: unknown
	alone    bool        // the lines do not keep their relation: only known indentations can be converted
	cut      string      // the indentation of the first line, whose beginning the model left out
}

// shifts returns the conversions by which old may have become the lines found in the file. new and the file tell what
// a step is.
func shifts(old, there, new, file []string) []shift {
	s := shift{from: smallest(old, new), to: usual(file)}
	first := -1
	for i := range min(len(old), len(there)) {
		if strings.TrimSpace(old[i]) != "" {
			s.pairs = append(s.pairs, [2]string{indent(old[i]), indent(there[i])})
			if first < 0 {
				first = i
			}
		}
	}
	var fit []shift
	if s.even() {
		fit = append(fit, s)
	}
	if first == 0 && s.pairs[0][0] == "" && s.pairs[0][1] != "" {
		rest := s
		rest.pairs, rest.cut = s.pairs[1:], s.pairs[0][1]
		if rest.same() {
			rest.from = rest.to
		}
		if len(rest.pairs) == 0 || rest.inPlace() {
			fit = append(fit, rest)
		}
	}
	if s.alone = true; len(fit) == 0 {
		fit = append(fit, s)
	}
	return fit
}

// inPlace reports whether lines are indented as in the file, apart from the size of a step, and some are indented at
// all.
func (s shift) inPlace() bool {
	some := false
	for _, p := range s.pairs {
		if there, ok := s.steps(p[0]); !ok || there != p[1] {
			return false
		}
		some = some || p[0] != ""
	}
	return some
}

// even reports whether every line can be derived from the shallowest one.
func (s shift) even() bool {
	if len(s.pairs) == 0 {
		return true
	}
	base := s.pairs[0]
	for _, p := range s.pairs {
		if len(p[0]) < len(base[0]) {
			base = p
		}
	}
	for _, p := range s.pairs {
		rest, deeper := strings.CutPrefix(p[0], base[0])
		if there, ok := s.steps(rest); !deeper || !ok || base[1]+there != p[1] {
			return false
		}
	}
	return true
}

// steps converts an indentation, or a part of one, to the steps of the file, if it has a known number of steps.
// Anything but whole steps, for alignment or because the guess is wrong, is known only where nothing has to be
// changed.
func (s shift) steps(have string) (string, bool) {
	if n := len(have); n > 0 && s.from != "" && s.to != "" && have == strings.Repeat(s.from, n/len(s.from)) {
		return strings.Repeat(s.to, n/len(s.from)), true
	}
	return have, have == "" || s.same()
}

// same reports whether the lines are indented as in the file, and some are indented at all.
func (s shift) same() bool {
	some := false
	for _, p := range s.pairs {
		if p[0] != p[1] {
			return false
		}
		some = some || p[0] != ""
	}
	return some
}

// lines shifts the lines of a text; top means that its first line is the first of all.
func (s shift) lines(text string, top bool) (string, error) {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			out.WriteString(line)
			continue
		}
		have := indent(line)
		becomes, ok := s.cut, true
		if have != "" || !top || s.cut == "" {
			becomes, ok = s.one(have)
		}
		if !ok {
			return "", errIndent
		}
		out.WriteString(becomes + line[len(have):])
		top = false
	}
	return out.String(), nil
}

// one converts an indentation: as on a line that had the same one, else by steps from the nearest one. ok is false if
// lines with it became different, or if it would have to leave the margin.
func (s shift) one(have string) (becomes string, ok bool) {
	var above, below *[2]string // the deepest shallower pair, the shallowest deeper pair
	for i, p := range s.pairs {
		switch {
		case p[0] == have:
			if ok && becomes != p[1] {
				return "", false
			}
			becomes, ok = p[1], true
		case strings.HasPrefix(have, p[0]) && (above == nil || len(p[0]) > len(above[0])):
			above = &s.pairs[i]
		case strings.HasPrefix(p[0], have) && (below == nil || len(p[0]) < len(below[0])):
			below = &s.pairs[i]
		}
	}
	switch {
	case ok:
		return becomes, true
	case s.alone:
		return "", false
	case s.cut != "":
		return s.steps(have)
	case above != nil:
		becomes, ok = s.steps(have[len(above[0]):])
		return above[1] + becomes, ok
	case below != nil && have == "" && below[1] == "":
		return "", true // nothing is further left
	case below != nil:
		gone, known := s.steps(below[0][len(have):])
		becomes, ok = strings.CutSuffix(below[1], gone)
		return becomes, ok && known
	}
	return have, len(s.pairs) == 0
}

// usual returns the most frequent step in the lines of a file; of equals the smallest. Empty if none is known.
func usual(file []string) (best string) {
	counts := deeper(file)
	for step, n := range counts {
		if better := n - counts[best]; better > 0 || better == 0 && len(step) < len(best) {
			best = step
		}
	}
	return best
}

// smallest returns the smallest step in what a model wrote: too few lines for usual. Empty if none is known.
func smallest(texts ...[]string) (best string) {
	for step := range deeper(texts...) {
		if best == "" || len(step) < len(best) {
			best = step
		}
	}
	return best
}

// deeper counts by how much lines are deeper than the lines before them. A tab is a step of its own; more than eight
// blanks are none.
func deeper(texts ...[]string) map[string]int {
	counts := map[string]int{}
	for _, lines := range texts {
		last, begun := "", false
		for _, line := range lines {
			if strings.TrimSpace(line) == "" {
				continue
			}
			have := indent(line)
			if strings.HasPrefix(have, "\t") {
				counts["\t"]++
			} else if step, ok := strings.CutPrefix(have, last); begun && ok && step != "" && len(step) <= 8 {
				counts[step]++
			}
			last, begun = have, true
		}
	}
	return counts
}

// reindent gives the lines of new, of which middle is what differs from old, the indentation of the file. top means
// that middle begins new. It is an error unless exactly one conversion fits: indentation has meaning in some
// languages, and is a guess in all.
func reindent(old, there, new []string, middle string, top bool, file []string) (string, error) {
	switch likeFile, likeOld := kept(there, old, new), kept(old, old, new); {
	case likeFile > 0 && likeFile > likeOld:
		return middle, nil // old was indented differently from the file, new is as the file
	case likeFile == 0 && likeOld == 0 && len(new) > 0 && indent(new[0]) != "" && indent(new[0]) == indent(there[0]) &&
		indent(new[0]) != indent(old[0]):
		return "", errIndent // as in the file, or further left than old: undecidable
	}
	if a, b := smallest(old), smallest(new); a != "" && b != "" && a != b {
		return "", errIndent
	}
	var found []string
	for _, s := range shifts(old, there, new, file) {
		if text, err := s.lines(middle, top); err == nil && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	if len(found) != 1 {
		return "", errIndent
	}
	return found[0], nil
}

// kept counts the lines of new that old has too, if all of them are indented like lines next to old.
func kept(beside, old, new []string) (n int) {
	for _, line := range new {
		text, shared, alike := strings.TrimSpace(line), false, false
		for i := range min(len(old), len(beside)) {
			if text != "" && text == strings.TrimSpace(old[i]) {
				shared, alike = true, alike || indent(line) == indent(beside[i])
			}
		}
		if shared && !alike {
			return 0
		}
		if shared {
			n++
		}
	}
	return n
}

// indent returns the blanks and tabs a line begins with.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
