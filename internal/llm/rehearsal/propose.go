package rehearsal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// proposeReply is the reply to an open question.
type proposeReply struct {
	Options []string `json:"options"`
}

// proposal names options for an open question, by its form: the alternatives it lists, a neutral pair if it can be
// answered with yes or no, else two things that it names. A text that names nothing gets two that no line speaks for;
// people are told before the debate that it asks for no choice.
func proposal(a asked) proposeReply {
	question := strings.Trim(strings.Join(strings.Fields(a.question), " "), " ?.!")
	if parts := alternatives(question); len(parts) >= 2 {
		return proposeReply{parts[:min(4, len(parts))]}
	}
	first, _, _ := strings.Cut(strings.ToLower(question), " ")
	if auxiliaries[first] {
		return proposeReply{[]string{"Do it", "Do not do it"}}
	}
	named := names(question)
	if len(named) == 0 {
		about := contentWords(question)
		for _, n := range names(a.context) {
			if slices.ContainsFunc(about, func(w string) bool { return hasWord(wordsOf(n), w) }) {
				named = append(named, n)
			}
		}
	}
	if named = distinct(named); len(named) >= 2 {
		return proposeReply{[]string{"Use " + named[0], "Use " + named[1]}}
	}
	return proposeReply{[]string{"Keep the current solution", "Replace the current solution"}}
}

// auxiliaries begin questions that can be answered with yes or no.
var auxiliaries = set("should shall is are was were can could do does did will would must may might has have")

// between matches a pair that a question lists.
var between = pattern.Of(`(?i)\b(?:between|either)\s+(.+?)\s+(?:and|or)\s+(.+)$`)

// alternatives returns the alternatives that the question lists.
func alternatives(question string) []string {
	if m := between().FindStringSubmatch(question); m != nil {
		return distinct(append(strings.Split(m[1], ", "), m[2]))
	}
	if _, rest, ok := strings.Cut(question, ": "); ok {
		question = rest
	}
	for _, sep := range []string{" versus ", " vs. ", " vs ", " or ", " / "} {
		if first, rest, ok := strings.Cut(question, sep); ok {
			return distinct(append(strings.Split(first, ", "), strings.Split(rest, sep)...))
		}
	}
	return nil
}

// distinct cleans the texts and drops empty ones and those whose letters and digits repeat another's.
func distinct(texts []string) []string {
	var out []string
	for _, t := range texts {
		t = strings.Trim(t, " ,;:\"'`")
		if plain(t) != "" && !slices.ContainsFunc(out, func(have string) bool { return plain(have) == plain(t) }) {
			out = append(out, t)
		}
	}
	return out
}

// plain returns a text without case and punctuation.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// marked matches a text in quotation marks or backquotes.
var marked = pattern.Of("`([^`\n]{2,60})`|\"([^\"\n]{2,60})\"")

// names returns the things a text names: what is in quotation marks or backquotes, then words that look like names.
func names(text string) []string {
	var out []string
	for _, m := range marked().FindAllStringSubmatch(text, 20) {
		out = append(out, m[1]+m[2])
	}
	for i, w := range strings.Fields(marked().ReplaceAllString(text, " ")) {
		w = strings.Trim(w, ".,;:!?()\"'")
		inside := strings.IndexFunc(strings.TrimLeft(w, "-"),
			func(r rune) bool { return unicode.IsUpper(r) || r == '_' || r == '.' || r == '/' })
		if len(w) > 2 && (inside > 0 || inside == 0 && i > 0) && !hollow[strings.ToLower(w)] && i < 400 {
			out = append(out, w)
		}
	}
	return distinct(out)
}
