package motion

import (
	"slices"
	"strings"
)

// oneForm removes the words before the first alternative and adds to the others what they share with it. It reads only form: the
// order of words, never their meaning. It changes parts in place. What it cannot parse it leaves as it is: an odd option is better
// than one that says something else.
func oneForm(parts []string) []string {
	first, last := strings.Fields(parts[0]), strings.Fields(parts[len(parts)-1])
	if slices.Contains(copulas, strings.ToLower(first[0])) && len(first) > 1 { // "Is a map or a slice better"
		first = first[1:]
		parts[len(parts)-1] = strings.Join(last[:min(len(first), len(last))], " ")
	}
	subject := 0
	if slices.Contains(auxiliaries, strings.ToLower(first[0])) {
		if subject = subjectEnd(first); subject == len(first) { // "Can Append or Path fail": the alternatives are subjects
			first = first[1:]
			parts[0], parts[len(parts)-1] = strings.Join(first, " "), strings.Join(last[:min(len(first), len(last))], " ")
			return parts
		}
		first = first[subject:]
	}
	if subject > 0 { // "Should the shop cache orders, or should it drop them"
		for i := 1; i < len(parts); i++ {
			words := strings.Fields(parts[i])
			if end := subjectEnd(words); slices.Contains(auxiliaries, strings.ToLower(words[0])) && end < len(words) {
				parts[i] = strings.Join(words[end:], " ")
			}
		}
	}
	next := strings.Fields(parts[1])
	switch at := lastWord(first, next[0]); {
	case at >= 0 && slices.Contains(prepositions, strings.ToLower(next[0])): // "keep it in SQLite or in files"
		first = first[at:]
	case leading(first, "be") > 0:
		first = withoutBeing(first, parts)
	case subject > 0:
		if lead := sharedLead(first, next); lead > 0 {
			for i := 1; i < len(parts); i++ {
				parts[i] = strings.Join(append(slices.Clone(first[:lead]), strings.Fields(parts[i])...), " ")
			}
		}
	case len(first) > len(next):
		if at <= 0 {
			at = len(first) - len(next)
		}
		first = first[at:]
	}
	parts[0] = strings.Join(first, " ")
	return withoutTail(parts)
}

// withoutConjunction drops a word that links a question to the sentence before it.
func withoutConjunction(sentence string) string {
	first, rest, _ := strings.Cut(sentence, " ")
	if slices.Contains([]string{"and", "but", "so", "or", "then"}, strings.ToLower(strings.TrimSuffix(first, ","))) {
		return strings.TrimSpace(rest)
	}
	return sentence
}

// withoutOpening drops an opening phrase before the first of several alternatives: "tomorrow, keep it or drop it", "if it grows,
// should we split or merge", "which is better, A or B". If others begin in the same way, it is an alternative itself: "today,
// tomorrow or never".
func withoutOpening(parts []string) []string {
	begins := func(part string, words ...[]string) bool {
		first, _, _ := strings.Cut(strings.ToLower(part), " ")
		return slices.Contains(slices.Concat(words...), first)
	}
	asks := func(part string) bool { return begins(part, auxiliaries, copulas) }
	for len(parts) > 2 {
		opens := begins(parts[0], openers, prepositions) &&
			!slices.ContainsFunc(parts[1:], func(p string) bool { return begins(p, openers, prepositions) })
		if !opens && (asks(parts[0]) || !asks(parts[1])) {
			break
		}
		parts = parts[1:]
	}
	return parts
}

// withoutBeing removes "be" from alternatives and, if the others are things, the words before the first thing: "be kept in JSON or
// TOML" gives "JSON" and "TOML".
func withoutBeing(first []string, parts []string) []string {
	for i := 1; i < len(parts); i++ {
		words := strings.Fields(parts[i])
		if parts[i] = strings.Join(words[leading(words, "be"):], " "); parts[i] == "" {
			return first
		}
	}
	first, next := first[1:], strings.Fields(parts[1])
	word := strings.ToLower(next[0])
	// A single word that is not a participle: "kept in JSON or TOML", but not "kept or dropped".
	thing := len(next) == 1 && !strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "en")
	for i := len(first) - 2; i > 0 && (thing || objects(first, next)); i-- {
		if at := strings.ToLower(first[i]); at == "to" || slices.Contains(prepositions, at) {
			return first[i+1:]
		}
	}
	return first
}

// leading returns 1 if words begin with word and have more, else 0.
func leading(words []string, word string) int {
	if len(words) > 1 && strings.EqualFold(words[0], word) {
		return 1
	}
	return 0
}

// subjectEnd counts the words of a question before its verb: the auxiliary and the subject. A subject without article or pronoun is
// taken as one word.
func subjectEnd(words []string) int {
	for i := 1; i < len(words); i++ {
		if subjectEnds(words[i], words[i-1]) {
			return described(words, i+1)
		}
		if i == 1 && !slices.Contains(determiners, strings.ToLower(words[i])) {
			return described(words, 2)
		}
	}
	return min(2, len(words))
}

// described moves the end of a subject past what describes it: its number, and a phrase such as "of this project" in "part 1 of this
// project". A verb can come only after the noun of that phrase.
func described(words []string, end int) int {
	if end < len(words) && strings.Trim(words[end], "0123456789") == "" {
		end++
	}
	for end+2 < len(words) && slices.Contains([]string{"of", "in", "for", "from", "between"}, strings.ToLower(words[end])) {
		noun := end + 1
		for noun+2 < len(words) && slices.Contains(determiners, strings.ToLower(words[noun])) {
			noun++
		}
		end = noun + 1
	}
	return end
}

// sharedLead counts the words of the first alternative that the second shares: its verb, if the second is only an object. 0: the
// second alternative is complete by itself.
func sharedLead(first, second []string) int {
	if len(first) < 2 || !objects(first, second) {
		return 0
	}
	for i := len(first) - 2; i > 0; i-- { // "keep sessions in Redis or Postgres"
		word := strings.ToLower(first[i])
		if (word == "to" || slices.Contains(prepositions, word)) && !slices.Contains(takers, strings.ToLower(first[0])) {
			return i + 1
		}
	}
	return 1
}

// objects reports whether the second alternative is a thing, not an action: it begins with an article, a name or a number, or the
// first one is about choosing among things.
func objects(first, second []string) bool {
	word := second[0]
	if strings.EqualFold(word, first[0]) {
		return false
	}
	named := strings.ToLower(word) != word || strings.ContainsAny(word, "0123456789") || slices.Contains(determiners, strings.ToLower(word))
	taken := slices.Contains(takers, strings.ToLower(first[0])) && len(second) < 3
	return named || taken && !slices.Contains(acts, strings.ToLower(word))
}

// withoutTail drops the end of the last alternative that applies to all: "Redis vs Memcached for sessions".
func withoutTail(parts []string) []string {
	n := len(parts) - 1
	words := strings.Fields(parts[n])
	at := slices.Index(words, "for")
	others := func(p string) bool { return slices.Contains(strings.Fields(p), "for") }
	if at > 0 && at < len(words)-1 && !slices.ContainsFunc(parts[:n], others) {
		parts[n] = strings.Join(words[:at], " ")
	}
	return parts
}

var (
	auxiliaries = []string{"should", "shall", "must", "can", "could", "do", "does", "will", "would", "may"}
	copulas     = []string{"is", "are", "was", "were"}
	pronouns    = []string{"we", "i", "it", "they", "you", "one"}
	determiners = []string{"the", "a", "an", "our", "my", "this", "that", "its", "each", "every", "one", "two", "no"}
	// takers are verbs whose objects are the alternatives: "use tabs, spaces or both".
	takers = []string{"use", "choose", "pick", "prefer", "adopt", "take", "buy", "have", "need", "want", "select"}
	// acts can follow a taker as a separate alternative: "use it or wait".
	acts = []string{"wait", "stop", "write", "build", "keep", "drop", "leave", "skip", "avoid", "reject", "rewrite", "remove", "do"}
	// openers can begin an opening phrase before the alternatives.
	openers = []string{"now", "today", "tomorrow", "later", "next", "finally", "otherwise", "instead", "given", "if", "when", "since",
		"because", "while", "once", "until", "which", "what", "who", "where", "how", "why"}
	// prepositions can begin every alternative: "keep it in SQLite or in files".
	prepositions = []string{"in", "on", "at", "with", "without", "by", "for", "from", "as", "via", "before", "after", "under", "inside",
		"outside"}
)

// lastWord returns the last index of word in words, or -1.
func lastWord(words []string, word string) int {
	for i := len(words) - 1; i >= 0; i-- {
		if strings.EqualFold(words[i], word) {
			return i
		}
	}
	return -1
}

// subjectEnds reports whether word ends the subject of a question: a pronoun, or the noun after an article.
func subjectEnds(word, before string) bool {
	return slices.Contains(pronouns, strings.ToLower(word)) || slices.Contains(determiners[:9], strings.ToLower(before))
}
