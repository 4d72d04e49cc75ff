package motion

import (
	"slices"
	"strings"
)

// oneForm removes the words before the first alternative and adds to the others what they share with it. It reads only form: the
// order of words, never their meaning. It changes parts in place, and is nil if no rule tells where the alternatives begin: no option
// is better than one made of words of the question.
func oneForm(parts []string) []string {
	parts = oneSubject(parts)
	first, last := strings.Fields(parts[0]), strings.Fields(parts[len(parts)-1])
	if slices.ContainsFunc(first, func(w string) bool { return isOne(w, negations) }) {
		return nil // what is denied of the first alternative may not be denied of the others
	}
	led := false // the first alternative begins with its verb
	cut := false // it begins somewhere after other words
	switch {
	case isOne(first[0], copulas) && len(first) > 1: // "Is a map or a slice better"
		first, cut = first[1:], true
		parts[len(parts)-1] = strings.Join(last[:min(len(first), len(last))], " ")
	case isOne(first[0], auxiliaries):
		subject := subjectEnd(first)
		// "Should the Go service or the Rust service own it": not known as a verb, and followed by another subject.
		if subject == len(first)-1 && isOne(strings.Fields(parts[1])[0], determiners) && !slices.Contains(verbs, first[subject]) {
			subject++
		}
		if subject == len(first) { // "Can Append or Path fail": the alternatives are subjects
			return subjects(parts)
		}
		first, led, cut = first[subject:], subject > 0, subject == 0
	case isOne(first[0], questions):
		cut = true
		if next := strings.ToLower(parts[1][:1]); len(first) < 3 || !isOne(first[1], copulas) || next == parts[1][:1] {
			return nil // "How do we store or cache sessions"
		}
	case isOne(first[0], pronouns) && !isOne(first[0], determiners): // "We use Go or Rust"
		if cut = true; len(parts) > 2 || len(last) > 1 {
			return nil
		}
	case acts([]string{strings.ToLower(first[0])}) && len(first) > 1: // "Keep it in memory or move it to Redis"
		led = true
	}
	if led { // "Should the shop cache orders, or should it drop them"
		for i := 1; i < len(parts); i++ {
			words := strings.Fields(parts[i])
			if end := subjectEnd(words); isOne(words[0], auxiliaries) && end > 0 && end < len(words) {
				parts[i] = strings.Join(words[end:], " ")
			}
		}
	}
	next := strings.Fields(parts[1])
	switch at := lastWord(first, next[0]); {
	case at >= 0 && (isOne(next[0], prepositions) || isOne(next[0], directions)): // "keep it in SQLite or in files"
		first = first[at:]
	case len(first) > 1 && isOne(first[len(first)-1], prepositions) && isOne(next[0], prepositions): // "run before or after it"
		first = first[len(first)-1:]
	case led && isOne(next[0], prepositions) && phraseAt(first) > 0: // "keep it on disk or in memory"
		first = first[phraseAt(first):]
	case leading(first, "be") > 0:
		first = withoutBeing(first, parts)
	case led:
		if lead := sharedLead(first, next); lead > 0 {
			for i := 1; i < len(parts); i++ {
				parts[i] = strings.Join(append(slices.Clone(first[:lead]), strings.Fields(parts[i])...), " ")
			}
		}
	case cut && len(first) > len(next):
		if at <= 0 {
			at = len(first) - len(next)
			if isOne(parts[0][:strings.IndexByte(parts[0]+" ", ' ')], auxiliaries) && (len(next) > 1 || acts(next)) {
				return nil
			}
		}
		first = first[at:]
	case cut && isOne(strings.Fields(parts[0])[0], auxiliaries):
		return nil
	}
	parts[0] = strings.Join(first, " ")
	return withoutTail(parts)
}

// phraseAt returns where a short phrase such as "on disk" ends the first alternative; 0: nowhere.
func phraseAt(words []string) int {
	for i := len(words) - 2; i > 0 && i > len(words)-4; i-- {
		if isOne(words[i], prepositions) {
			return i
		}
	}
	return 0
}

// oneSubject joins what a comma inside the subject has split: "should the shop, the api and the worker use A or B".
func oneSubject(parts []string) []string {
	first := strings.Fields(parts[0])
	if !isOne(first[0], auxiliaries) || slices.ContainsFunc(first, func(w string) bool { return slices.Contains(verbs, w) }) {
		return parts
	}
	for i, p := range parts[:len(parts)-1] {
		if i > 0 && strings.Contains(p, " and ") {
			return append([]string{strings.Join(parts[:i+1], " and ")}, parts[i+1:]...)
		}
	}
	return parts
}

// subjects gives alternatives that are subjects: "Can Append or the path fail" gives "Append" and "the path".
func subjects(parts []string) []string {
	parts[0] = parts[0][strings.IndexByte(parts[0], ' ')+1:]
	for _, p := range parts[1 : len(parts)-1] {
		if words := strings.Fields(p); phraseEnd(words, 0) < len(words)-1 {
			return nil // "Should the shop, the api and the worker use A or B"
		}
	}
	last := strings.Fields(parts[len(parts)-1])
	end := phraseEnd(last, 0)
	if end == 0 {
		return nil
	}
	parts[len(parts)-1] = strings.Join(last[:end], " ")
	return parts
}

// withoutConjunction drops a word that links a question to the sentence before it.
func withoutConjunction(sentence string) string {
	first, rest, _ := strings.Cut(sentence, " ")
	if slices.Contains([]string{"and", "but", "so", "or", "then", "compare"}, strings.ToLower(strings.TrimSuffix(first, ","))) {
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
		asked := !asks(parts[0]) && slices.ContainsFunc(strings.Fields(parts[0]), func(w string) bool { return isOne(w, questions) })
		opens := asked || begins(parts[0], openers, prepositions) &&
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
	// It does not begin with a participle: "kept in JSON or TOML", but not "kept or dropped".
	done := strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "en") || isOne(word, participles)
	thing := len(next) < 3 && !done && !acts(next)
	for i := len(first) - 2; i > 0 && (thing || objects(first, next)); i-- {
		if isOne(first[i], directions) || isOne(first[i], prepositions) {
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

// sharedLead counts the words of the first alternative that the second shares: its verb, if the second is only an object. 0: the
// second alternative is complete by itself.
func sharedLead(first, second []string) int {
	if len(first) < 2 {
		return 0
	}
	taken, thing := isOne(first[0], takers), objects(first, second)
	if isOne(second[0], prepositions) || !thing && (taken || acts(second) || len(second) > 2) {
		return 0
	}
	for i := len(first) - 2; i > 0; i-- { // "keep sessions in Redis or Postgres"
		if (isOne(first[i], directions) || isOne(first[i], prepositions)) && !taken {
			return i + 1
		}
	}
	if thing || strings.HasSuffix(second[len(second)-1], "s") { // "store floats or cents", but not "run alone or together"
		return 1
	}
	return 0
}

// objects reports whether the second alternative is a thing, not an action: it begins with an article, a name or a number, or the
// first one is about choosing among things.
func objects(first, second []string) bool {
	word := second[0]
	if strings.EqualFold(word, first[0]) {
		return false
	}
	named := strings.ToLower(word) != word || strings.ContainsAny(word, "0123456789") || isOne(word, determiners)
	taken := isOne(first[0], takers) && len(second) < 3
	return named || taken && !isOne(word, actions)
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
	auxiliaries = []string{"should", "shall", "must", "can", "could", "will", "would", "may", "do", "does"}
	copulas     = []string{"is", "are", "was", "were"}
	pronouns    = []string{"we", "i", "it", "they", "you", "he", "she", "one", "there", "someone", "everyone", "anybody", "nobody"}
	determiners = []string{"the", "a", "an", "our", "my", "this", "that", "its", "each", "every", "one", "two", "no", "your",
		"their", "these", "those", "any", "all", "some"}
	// takers are verbs whose objects are the alternatives: "use tabs, spaces or both".
	takers      = []string{"use", "choose", "pick", "prefer", "adopt", "take", "buy", "have", "need", "want", "select"}
	participles = strings.Fields("built cut done kept left lost made put rebuilt rewritten run sent set sold split thrown")
	// actions can follow a taker as a separate alternative: "use it or wait".
	actions = []string{"wait", "stop", "write", "build", "keep", "drop", "leave", "skip", "avoid", "reject", "rewrite", "remove", "do"}
	// openers can begin an opening phrase before the alternatives.
	openers = []string{"now", "today", "tomorrow", "later", "next", "finally", "otherwise", "instead", "given", "if", "when", "since",
		"because", "while", "once", "until"}
	// questions begin a question that names no options before a comma.
	questions = []string{"which", "what", "who", "where", "how", "why"}
	// directions begin alternatives as prepositions do, and can begin an action, too.
	directions = []string{"to", "into"}
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
