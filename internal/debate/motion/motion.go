// Package motion reads the question of a debate: the options it names and the data attached to it.
//
// It reads form, never meaning: the order of words in an English sentence. "Should we use SQLite or Postgres?" offers two options,
// "Should we cache?" yes and no, "How should we cache?" none, and then the panel proposes some. Options can always be given beside
// the question, so a misread sentence can be corrected. In other languages only lists and "A vs B" are recognized.
package motion

import (
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
)

// MaxLength is the limit of a question in bytes. Background belongs in the context.
const MaxLength = 100_000

// FindOptions finds the options in a question: "A or B?", "A vs B", a list of lines, or yes and no for "Should we …?". It is nil for
// an open question. It reads only form and never judges. The order is that of the question. Attached data is ignored.
func FindOptions(question string) []verdict.Option {
	question, _ = Split(question)
	if listed := listOptions(question); len(listed) >= 2 {
		return Letters(listed)
	}
	sentence := withoutIdioms(withoutConjunction(lastQuestion(question)))
	if sentence == "" {
		return nil
	}
	first, _, _ := strings.Cut(strings.ToLower(sentence), " ")
	if _, after, ok := strings.Cut(sentence, " - "); ok && isOne(first, questions) { // "what should we use - Go or Rust"
		sentence = after
	}
	if base, ok := strings.CutSuffix(first, "n't"); ok { // "shouldn't we"
		first, sentence = base, base+sentence[len(first):]
	}
	whole := sentence
	sentence = embedded(sentence)
	for _, sep := range []string{" versus ", " vs ", " or "} {
		if strings.Contains(strings.ToLower(sentence), sep) && !(sentence == whole && sep == " or " && isOne(first, requests)) {
			if out := Letters(alternatives(sentence, sep)); len(out) > 1 {
				return out
			}
			return nil
		}
	}
	for _, choice := range []string{"choose between ", "decide between ", "choice between ", "decision between "} {
		_, named, _ := strings.Cut(sentence, choice)
		if a, b, ok := strings.Cut(named, " and "); ok { // "how do we choose between A and B"
			return Letters(withoutTail([]string{a, b}))
		}
	}
	switch first {
	case "should", "is", "are", "can", "could", "do", "does", "will", "would", "shall", "must", "may", "has", "have":
		return Letters([]string{"Yes", "No"})
	}
	return nil
}

// withoutIdioms removes phrases with "or" that name no alternatives, and "either".
func withoutIdioms(sentence string) string {
	if open, end := strings.IndexByte(sentence, '('), strings.IndexByte(sentence, ')'); end > open && open > 0 &&
		strings.Count(sentence[:open], " ") < 4 { // "should we (the shop team) use A or B"
		sentence = strings.TrimSpace(sentence[:open]) + sentence[end+1:]
	}
	for _, idiom := range []string{" or not", " or more", " or less", " or so", " or later", " either"} {
		for {
			at := strings.Index(strings.ToLower(sentence)+" ", idiom+" ")
			if at < 0 {
				break
			}
			sentence = sentence[:at] + sentence[at+len(idiom):]
		}
	}
	return sentence
}

// With adds data to a question, fenced so that nothing in it is taken for the question. The data cannot contain the end of the fence,
// so Split can undo it.
func With(question, data string) string {
	if data == "" {
		return question
	}
	return question + dataMark + strings.ReplaceAll(data, "</data", "<\\/data") + "\n</data>"
}

const dataMark = "\n\n<data>\n"

// Split separates a question from the data added to it.
func Split(question string) (asked, data string) {
	asked, data, _ = strings.Cut(question, dataMark)
	return asked, strings.TrimSuffix(data, "\n</data>")
}

// Letters gives the texts their keys in order, without duplicates; MaxOptions at most.
func Letters(texts []string) []verdict.Option {
	var out []verdict.Option
	for _, t := range texts {
		t = clean.OneLine(strings.Trim(t, " \t?.,;:!\"'"), maxText)
		// A dropped text takes no letter, so the keys have no gap.
		if t == "" || len(out) == MaxOptions || hasText(out, t) {
			continue
		}
		out = append(out, verdict.Option{Key: string(rune('A' + len(out))), Text: t})
	}
	return out
}

// MaxOptions limits the options of a question: their keys are letters.
const MaxOptions = 26

// maxText is the limit of an option's text in bytes.
const maxText = 200

// hasText reports whether an option with the same words exists.
func hasText(options []verdict.Option, text string) bool {
	for _, o := range options {
		if Plain(o.Text) == Plain(text) {
			return true
		}
	}
	return false
}

// Chosen reads a person's answer to "which option": its letter or text, which a reason may follow ("B it fits"). A letter before a
// reason is written as it is shown, because "a bit late" chooses nothing. The key is empty if the text names no option.
func Chosen(text string, options []verdict.Option) (key, reason string) {
	text = strings.TrimSpace(text)
	for _, o := range options {
		if said := Plain(text); said != "" && (said == Plain(o.Key) || said == Plain(o.Text)) {
			return o.Key, ""
		}
	}
	for _, o := range options {
		rest, found := strings.CutPrefix(text, o.Key)
		until := " ,:.-"
		next, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if strings.HasPrefix(rest, " ") && o.Key == "A" && !isOne(next, afterLetter) {
			found = false // "A teal logo would do"
		}
		if !found && len(text) > len(o.Text) && strings.EqualFold(text[:len(o.Text)], o.Text) {
			rest, found, until = text[len(o.Text):], true, ",:."
		}
		if found && rest != "" && strings.ContainsAny(rest[:1], until) {
			return o.Key, strings.TrimLeft(rest, " ,:.-")
		}
	}
	return "", ""
}

// afterLetter are words that cannot follow the article "A".
var afterLetter = strings.Fields("as because but for if is it its it's no our since so that the they this to we with -")

// listOptions reads lines that begin with "- ", "* ", "1." or "A)".
func listOptions(q string) []string {
	var out []string
	for line := range strings.Lines(q) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			out = append(out, rest)
		} else if rest, ok := strings.CutPrefix(line, "* "); ok {
			out = append(out, rest)
		} else if len(line) > 3 && (unicode.IsDigit(rune(line[0])) || unicode.IsUpper(rune(line[0]))) &&
			strings.ContainsAny(line[1:2], ".)") && line[2] == ' ' {
			out = append(out, line[3:])
		}
	}
	return out
}

// lastQuestion returns the sentence that ends with the last question mark, or the whole text.
func lastQuestion(q string) string {
	q = strings.ReplaceAll(strings.Join(strings.Fields(q), " "), " vs. ", " vs ")
	end := strings.LastIndexByte(q, '?')
	// Without a question mark, the whole text may be the question.
	if end < 0 {
		return q
	}
	start := strings.LastIndexAny(q[:end], ".?!:")
	for start > 0 && start+1 < end && q[start+1] != ' ' { // a dot inside a word, like in main.go
		start = strings.LastIndexAny(q[:start], ".?!:")
	}
	return strings.TrimSpace(q[start+1 : end])
}

// alternatives splits a sentence at sep and gives its alternatives one form: "Should the store keep one connection or use a pool"
// gives "keep one connection" and "use a pool", "Should we use SQLite or Postgres" gives "use SQLite" and "use Postgres". It is nil
// for a sentence with fewer than two.
func alternatives(sentence, sep string) []string {
	low := strings.ToLower(sentence)
	i := strings.Index(low, sep)
	if i < 0 {
		return nil
	}
	var parts []string
	for _, p := range strings.Split(strings.ReplaceAll(sentence[:i], ", ", sep)+sentence[i:], sep) {
		if p = strings.Trim(strings.TrimPrefix(strings.TrimSpace(p), "or "), " ,"); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return oneForm(withoutOpening(parts))
}

// Plain reduces a text to its lower-case words, for comparing.
func Plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}
