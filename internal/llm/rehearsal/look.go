package rehearsal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/llm"
)

// The bounds of a blind turn: twelve calls in all, which is what a seat usually may make.
const (
	mostWords = 6 // that are looked for everywhere
	mostFiles = 8 // that are searched again for all words
	margin    = 6 // lines read before and after a place
)

// look returns the next tool calls of a blind turn: first the options' words everywhere, then all words in the files
// that named some, then the lines around the best places. None: it has seen enough.
func (s *seat) look(a asked) []llm.Call {
	var calls []llm.Call
	switch {
	case a.rounds == 0:
		if a.tools["grep"] {
			for _, w := range searched(a.options) {
				calls = append(calls, lookArgs{Pattern: pattern(w)}.call("grep"))
			}
		}
		if s.history && a.tools["git_log"] {
			calls = append(calls, lookArgs{Limit: 200}.call("git_log"))
		}
	case a.rounds == 1 && a.tools["grep"]:
		if files := s.best(a); len(files) > 0 {
			all := subject(a.question, a.options)
			for _, o := range a.options {
				all = append(all, o.words...)
			}
			calls = append(calls, lookArgs{Pattern: anyOf(all), Glob: "{" + strings.Join(files, ",") + "}"}.call("grep"))
		}
	case a.rounds == 2 && a.tools["read"]:
		for _, f := range s.places(a) {
			calls = append(calls, lookArgs{Path: f.file, From: max(1, f.number-margin), To: f.number + margin}.call("read"))
		}
	}
	return calls
}

// searched chooses the words to look for: one of each option in turn, long ones first because they are rare.
func searched(options []option) []string {
	lists := make([][]string, len(options))
	for i, o := range options {
		lists[i] = slices.Clone(o.words)
		slices.SortStableFunc(lists[i], func(a, b string) int { return len(b) - len(a) })
	}
	var out []string
	for at := 0; ; at++ {
		found := false
		for _, list := range lists {
			if at >= len(list) {
				continue
			}
			found = true
			if w := list[at]; len(out) < mostWords && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
		if !found {
			return out
		}
	}
}

// best are the files that name most of an option's words, up to mostFiles, shared out among the options.
func (s *seat) best(a asked) []string {
	p := seen(a)
	var out []string
	for _, o := range s.weigh(a, p) {
		n := 0
		for _, f := range o.finds {
			if n == max(1, mostFiles/len(a.options)) {
				break
			}
			if f.number > 0 && !slices.Contains(out, f.file) && !strings.ContainsAny(f.file, `*?[]{},\`) {
				out = append(out, f.file)
				n++
			}
		}
		for _, l := range p.lines { // places that bear on nothing yet, for want of the other words
			if n == 0 && l.number > 0 && !slices.Contains(out, l.file) && !strings.ContainsAny(l.file, `*?[]{},\`) &&
				slices.ContainsFunc(o.words, func(w string) bool { return hasWord(l.words, w) }) {
				out = append(out, l.file)
				n++
			}
		}
	}
	slices.Sort(out)
	return out
}

// places are where to read: the strongest of each option in turn.
func (s *seat) places(a asked) []find {
	options := s.weigh(a, seen(a))
	var out []find
	for at := range s.mostReads {
		for _, o := range options {
			if at < len(o.finds) && o.finds[at].number > 0 && len(out) < s.mostReads {
				out = append(out, o.finds[at])
			}
		}
	}
	return out
}

// pattern is an expression that finds a stem with a small or a capital first letter. It stays literal otherwise, which
// is what makes a search fast.
func pattern(stem string) string {
	stem = strings.TrimSuffix(stem, "y") // policy, policies
	first, size := utf8.DecodeRuneInString(stem)
	if upper := unicode.ToUpper(first); upper != first {
		return "[" + string(first) + string(upper) + "]" + stem[size:]
	}
	return stem
}

func anyOf(stems []string) string {
	var out strings.Builder
	for _, s := range stems {
		if p := pattern(s); p != "" && out.Len()+len(p) < 900 && !strings.Contains(out.String(), p) {
			if out.Len() > 0 {
				out.WriteByte('|')
			}
			out.WriteString(p)
		}
	}
	return out.String()
}
