package rehearsal

import (
	"slices"
	"strings"
)

// option is one of the answers, as this seat sees it.
type option struct {
	label, text string
	words       []string // stems to look for
	denies      bool     // it says that what its words name must not be
}

// readOptions reads lines of the form "A: text". Words that all options share do not distinguish them, so they are
// left out. An option that only affirms or denies is about the words of the question.
func readOptions(text, question string) []option {
	var out []option
	for line := range strings.Lines(text) {
		label, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		o := option{label: label, text: rest}
		words := wordsOf(rest)
		bare := slices.ContainsFunc(words, func(w word) bool { return !hollow[strings.ToLower(w.text)] })
		for i, w := range words {
			small := strings.ToLower(w.text)
			o.denies = o.denies || (small == "no" || small == "not" || small == "never" || small == "without") && i < 3
		}
		if bare {
			o.words = contentWords(rest)
		} else if !answersByItself(rest) {
			o.words = contentWords(rest) // of small words only, like "one" or "both"
		}
		out = append(out, o)
	}
	distinguish(out, question)
	return out
}

// answersByItself reports whether an option is a bare yes or no.
func answersByItself(text string) bool {
	for _, w := range wordsOf(strings.ToLower(text)) {
		if !bareAnswers[w.text] {
			return false
		}
	}
	return true
}

// bareAnswers are the words that may occur in a bare yes or no.
var bareAnswers = set("yes no do not don t it this that never")

// distinguish removes the words that all options share from those that have others, too.
func distinguish(options []option, question string) {
	inAll := func(stem string) bool {
		return !slices.ContainsFunc(options, func(o option) bool { return !hasWord(wordsOf(o.text), stem) })
	}
	own := make([][]string, len(options))
	for i, o := range options {
		for _, w := range o.words {
			if len(options) == 1 || !inAll(w) {
				own[i] = append(own[i], w)
			}
		}
	}
	for i := range options {
		if len(own[i]) > 0 {
			options[i].words = own[i]
		}
		if len(options[i].words) == 0 {
			options[i].words = contentWords(question)
		}
	}
}

// subject returns what the question is about beyond its options.
func subject(question string, options []option) []string {
	return slices.DeleteFunc(contentWords(question), func(stem string) bool {
		return hollow[stem] || slices.ContainsFunc(options, func(o option) bool {
			return slices.ContainsFunc(o.words, func(w string) bool { return sameWord(w, stem) })
		})
	})
}
