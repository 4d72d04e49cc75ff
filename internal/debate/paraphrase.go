package debate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/fact"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// assignmentPattern matches a line of code or settings that assigns a number, true or false to a name.
var assignmentPattern = pattern.Of(`(?:^|[\s({,])["']?([\pL_][\pL\pN_.-]{2,})["']?(?:\s+[*\[\pL][\pL\pN_.*\[\]]*)?\s*(?::=|=|:)\s*` +
	`([0-9]{1,6}|true|false)\s*(?:$|[;,)}]|//|#|--)`)

// remarkPattern matches a comment line, which assigns nothing.
var remarkPattern = pattern.Of(`^\s*(?://|#|--|/\*|\*|;|<!--)`)

// assignmentForm states in words which value a line assigns to a name.
func assignmentForm(quote, lines string, rnd *rand.Rand) func(bool) string {
	found := assignmentPattern().FindStringSubmatch(quote)
	if found == nil || remarkPattern().MatchString(quote) {
		return nil
	}
	name, value := found[1], found[2]
	other := map[string]string{"true": "false", "false": "true"}[value]
	switch n, err := strconv.Atoi(value); {
	case err == nil:
		other = strconv.Itoa(fact.Absent(n, lines, rnd))
	case strings.Count(lines, name) > 1: // another line may give it the other value
		return nil
	}
	words := []string{"%s is set to %s.", "The value given to %s is %s.", "%s has the value %s."}[rnd.IntN(3)]
	return func(good bool) string {
		if good {
			return fmt.Sprintf(words, name, value)
		}
		return fmt.Sprintf(words, name, other)
	}
}

// modals and helpers are words after which "not" negates a sentence. English only: in other languages no paraphrase fits, and another
// form is used.
var (
	modals  = []string{"must", "should", "can", "may", "will"}
	helpers = []string{"is", "are", "was", "were", "does", "do", "did", "has", "have"}
)

// joins are words that connect clauses: the words before them are no simple subject.
var joins = []string{"if", "when", "while", "that", "which", "who", "because", "since", "unless", "until", "and", "or", "but", "as",
	"where", "whether", "whose", "no", "there", "it", "than", "so", "not"}

// synonyms reword a sentence without changing what it says.
var synonyms = map[string]string{
	"should": "ought to", "use": "make use of", "uses": "makes use of", "contains": "includes", "because": "since", "begin": "start",
	"begins": "starts", "only": "just", "every": "each", "never": "at no time", "always": "at all times", "returns": "gives back",
	"keeps": "retains", "keep": "retain", "shows": "displays", "needs": "requires", "need": "require", "requires": "needs",
	"allows": "permits", "allow": "permit", "starts": "begins", "creates": "makes", "create": "make", "removes": "takes away",
	"remove": "take away", "called": "named", "many": "a lot of", "large": "big",
}

// paraphraseForm paraphrases a sentence of prose, or its negation. It uses the quote, never the claim: whether the lines show the
// claim is the open question, so its negation may be true. Its wording does not give it away as a control.
func paraphraseForm(quote, _ string, _ *rand.Rand) func(bool) string {
	words := strings.Fields(strings.Trim(quote, " .:;-*#/\t\n"))
	at := slices.IndexFunc(words, negates)
	if at < 1 || at > len(words)-2 || len(words) < 5 || strings.ContainsAny(quote, "{}();=<>") {
		return nil
	}
	said := withSynonyms
	if said(words) == strings.Join(words, " ") {
		said = reordered
	}
	if said(words) == "" {
		return nil
	}
	return func(good bool) string {
		if good {
			return said(words) + "."
		}
		if strings.EqualFold(words[at+1], "not") {
			return said(slices.Delete(slices.Clone(words), at+1, at+2)) + "."
		}
		return said(slices.Insert(slices.Clone(words), at+1, "not")) + "."
	}
}

// negates reports whether "not" after this word negates a sentence.
func negates(word string) bool {
	word = strings.ToLower(word)
	return slices.Contains(modals, word) || slices.Contains(helpers, word)
}

// withSynonyms returns a sentence with some words replaced by synonyms.
func withSynonyms(words []string) string {
	said := slices.Clone(words)
	for i, w := range said {
		if s := synonyms[w]; s != "" && (i+1 >= len(said) || said[i+1] != "not") {
			said[i] = s
		}
	}
	return strings.Join(said, " ")
}

// reordered returns a one-clause sentence in another order, or reported: "the limit must be 5" becomes "what the limit must do is be
// 5". It is empty for other sentences.
func reordered(words []string) string {
	at := slices.IndexFunc(words, negates)
	joined := func(w string) bool {
		return slices.Contains(joins, strings.ToLower(w)) || strings.ContainsAny(w, ".,:;!?")
	}
	subject, verb, rest := lowered(words[:at]), strings.ToLower(words[at]), words[at+1:]
	modal := slices.Contains(modals, verb)
	if rest[0] == "not" {
		verb, rest = verb+" not", rest[1:]
	}
	said := strings.Join(rest, " ")
	switch {
	case slices.ContainsFunc(words[:at], joined), slices.ContainsFunc(rest, joined), slices.ContainsFunc(rest, negates):
		return ""
	case modal:
		return "What " + subject + " " + verb + " do is " + said
	}
	return "According to these lines " + subject + " " + verb + " " + said
}

// articles are words that have a capital only at the start of a sentence.
var articles = []string{"the", "a", "an", "every", "each", "all", "this", "these", "our", "its"}

// lowered returns a subject for use inside a sentence: its article has no capital.
func lowered(words []string) string {
	if first := strings.ToLower(words[0]); slices.Contains(articles, first) {
		words = append([]string{first}, words[1:]...)
	}
	return strings.Join(words, " ")
}
