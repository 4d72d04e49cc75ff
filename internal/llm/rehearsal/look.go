package rehearsal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/llm"
)

// The limits of a blind turn. With up to six options they keep it within the twelve calls that a seat usually may
// make.
const (
	mostSearches = 6 // of the whole project
	mostFiles    = 8 // files searched again for all words
	mostReads    = 4 // places
	margin       = 6 // lines read before and after a place
)

// look returns the next tool calls of a blind turn. It searches everywhere for a word of each option, then for its
// next word while the results do not bear on it or are too many to show; then for all words in the files that contain
// some; then it reads the lines around the best places. No calls mean that it has seen enough.
func (s *member) look(a asked) []llm.Call {
	if a.rounds > 0 && !a.answered {
		return nil // the budget is used up
	}
	if calls := s.search(a); len(calls) > 0 {
		return calls
	}
	narrowed := slices.ContainsFunc(a.looks, func(l look) bool { return l.args.Glob != "" })
	if files := s.best(a); len(files) > 0 && !narrowed && a.tools["grep"] {
		all := subject(a.question, a.options)
		for _, o := range a.options {
			all = append(all, o.words...)
		}
		return []llm.Call{lookArgs{Pattern: anyOf(all), Glob: "{" + strings.Join(files, ",") + "}", IgnoreCase: true}.call("grep")}
	}
	var calls []llm.Call
	if read := slices.ContainsFunc(a.looks, func(l look) bool { return l.tool == "read" }); !read && a.tools["read"] {
		for _, f := range s.places(a) {
			calls = append(calls, lookArgs{Path: f.file, From: max(1, f.number-margin), To: f.number + margin}.call("read"))
		}
	}
	return calls
}

// search returns the searches of the whole project that are due.
func (s *member) search(a asked) []llm.Call {
	var calls []llm.Call
	done := map[string]look{}
	for _, l := range a.looks {
		if l.tool == "grep" && l.args.Glob == "" {
			done[l.args.Pattern] = l
		}
	}
	for _, o := range s.weigh(a, seen(a)) {
		if !a.tools["grep"] || o.settled(done) {
			continue
		}
		for _, w := range o.words {
			before := len(calls)
			for _, p := range spellings(w) {
				if _, ok := done[p]; !ok && len(done) < max(mostSearches, len(a.options)) {
					done[p] = look{} // due
					calls = append(calls, lookArgs{Pattern: p}.call("grep"))
				}
			}
			if len(calls) > before {
				break
			}
		}
	}
	if s.history && a.rounds == 0 && a.tools["git_log"] {
		calls = append(calls, lookArgs{Limit: 200}.call("git_log"))
	}
	return calls
}

// settled reports whether no more words of the option must be searched: something bears on it, and all results of a
// search for one of its words were shown.
func (o weighed) settled(done map[string]look) bool {
	return len(o.finds) > 0 && slices.ContainsFunc(o.words, func(w string) bool {
		return slices.ContainsFunc(spellings(w), func(p string) bool { return done[p].complete() })
	})
}

// complete reports whether a search found something, and showed all of it.
func (l look) complete() bool {
	first, _, _ := strings.Cut(l.text, "\n")
	return hit().MatchString(first) && !strings.HasSuffix(strings.TrimSpace(l.text), "to see the others]")
}

// spellings returns the expressions to search a word with. A short one may be an abbreviation, which is written in
// capitals.
func spellings(stem string) []string {
	if upper := strings.ToUpper(stem); len(stem) <= 3 && upper != stem {
		return []string{expression(stem), upper}
	}
	return []string{expression(stem)}
}

// best returns the files that contain most of an option's words, up to mostFiles, divided among the options.
func (s *member) best(a asked) []string {
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
		for _, l := range p.lines { // places that bear on nothing yet, because the other words are missing
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

// places returns where to read: the strongest place of each option in turn.
func (s *member) places(a asked) []find {
	options := s.weigh(a, seen(a))
	var out []find
	for at := range mostReads {
		for _, o := range options {
			if at < len(o.finds) && o.finds[at].number > 0 && len(out) < mostReads {
				out = append(out, o.finds[at])
			}
		}
	}
	return out
}

// expression returns an expression that matches a stem with a small or a capital first letter. It is literal
// otherwise, which keeps the search fast.
func expression(stem string) string {
	if utf8.RuneCountInString(stem) == 1 { // a name; elsewhere it is part of a word
		return `\b` + regexp.QuoteMeta(stem) + `\b`
	}
	stem = strings.TrimSuffix(stem, "y") // policy, policies
	first, size := utf8.DecodeRuneInString(stem)
	if upper := unicode.ToUpper(first); upper != first {
		return "[" + string(first) + string(upper) + "]" + stem[size:]
	}
	return stem
}

// anyOf returns an expression that matches any of the stems, as many as fit into 900 bytes: tools limit their input.
func anyOf(stems []string) string {
	var out strings.Builder
	for _, s := range stems {
		if p := expression(s); p != "" && out.Len()+len(p) < 900 && !strings.Contains(out.String(), p) {
			if out.Len() > 0 {
				out.WriteByte('|')
			}
			out.WriteString(p)
		}
	}
	return out.String()
}
