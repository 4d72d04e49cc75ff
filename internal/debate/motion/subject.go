package motion

import (
	"slices"
	"strings"
)

// subjectEnd counts the words of a question before its verb: the auxiliary and the subject, which is a noun phrase of any length
// ("should the api and the new shop service | use"). All words are the subject if they contain no verb. It is 0 if no rule finds the
// verb, or if the verb is negated: an alternative must not begin in the middle of the subject, or lose its "not".
func subjectEnd(words []string) int {
	end := phraseEnd(words, 1)
	if end > 0 && end < len(words) && isOne(words[end], negations) {
		return 0
	}
	return end
}

// phraseEnd returns where the noun phrase that begins at a word ends; 0: unknown.
func phraseEnd(words []string, start int) int {
	noun := start
	for noun < len(words)-1 && isOne(words[noun], determiners) && !slices.Contains(verbs, words[noun+1]) {
		noun++
	}
	if noun >= len(words)-1 || isOne(words[noun], pronouns) && !(words[noun] == "one" && noun > start) {
		return min(noun+1, len(words))
	}
	if noun == start && isOne(words[noun], determiners) { // "should this use"
		return noun + 1
	}
	if strings.EqualFold(words[noun], "of") { // "all of the services"
		return phraseEnd(words, noun+1)
	}
	stop, nounVerbs := noun+1, []int(nil)
	for ; stop < len(words) && !opens(words[stop]); stop++ {
		switch {
		case slices.Contains(verbs, words[stop]), isOne(words[stop], negations):
			return stop
		case slices.Contains(nounsOrVerbs, words[stop]):
			nounVerbs = append(nounVerbs, stop)
		}
	}
	described := stop < len(words) && isOne(words[stop], describers)
	if described { // "the cache in the shop uses", "the api and the worker use"
		if end := phraseEnd(words, stop+1); end > 0 && end < len(words) &&
			(slices.Contains(verbs, words[end]) || len(nounVerbs) == 0 && end > stop+2 || words[stop] == "of" || words[stop] == "and") {
			return end
		}
	}
	switch {
	case stop < len(words) && isOne(words[stop], []string{"who", "that", "which"}) && stop < noun+3: // "a user who forgot"
		return 0
	case len(nounVerbs) == 1 && (stop-nounVerbs[0] <= 2 || slices.ContainsFunc(words[nounVerbs[0]+1:stop], named)):
		return nounVerbs[0]
	case stop < len(words) && (isOne(words[stop], determiners) || isOne(words[stop], pronouns)): // a second phrase: the object
		return max(stop-1, noun+1)
	case len(nounVerbs) > 0:
		return 0
	case stop-noun <= 2:
		return noun + 1
	}
	return 0
}

// opens reports whether a word ends a noun phrase although it is no verb.
func opens(word string) bool {
	return isOne(word, determiners) || isOne(word, pronouns) || isOne(word, describers) || isOne(word, prepositions) ||
		slices.Contains([]string{"to", "into", "than", "that", "which", "who", "what", "how", "if", "when"}, strings.ToLower(word))
}

// named reports whether a word that follows a verb shows that it is one: a name, a number or several things.
func named(word string) bool {
	return strings.HasSuffix(word, "s") || strings.ToLower(word) != word || strings.ContainsAny(word, "0123456789")
}

// acts reports whether a part of a question begins with an action. "Go" is a name.
func acts(part []string) bool {
	word := part[0]
	return slices.Contains(verbs, word) || slices.Contains(nounsOrVerbs, word) || strings.HasSuffix(word, "ly") || isOne(word, negations)
}

func isOne(word string, of []string) bool { return slices.Contains(of, strings.ToLower(word)) }

// embedded returns the alternatives of a question in a longer sentence: "decide whether to use A or B" gives "use A or B", and so do
// "is it better for the shop to use A or B" and "the shop should use A or B".
func embedded(sentence string) string {
	words := strings.Fields(sentence)
	if len(words) == 0 {
		return sentence
	}
	from := 1
	for i := 0; i+2 < len(words) && !isOne(words[i], []string{"or", "vs", "versus"}); i++ {
		switch {
		case isOne(words[i], []string{"better", "best", "wiser", "safer", "easier", "simpler", "cheaper"}) && !isOne(words[i+1], questions):
			if to := slices.Index(words[:min(i+8, len(words)-1)], "to"); to > i {
				return strings.Join(words[to+1:], " ")
			}
		case strings.EqualFold(words[i], "whether"):
			if from = i + 1; strings.EqualFold(words[from], "to") {
				return strings.Join(words[from+1:], " ")
			}
		}
	}
	if from == 1 && isOne(words[0], auxiliaries) && !strings.EqualFold(words[1%len(words)], "you") {
		return sentence
	}
	for i := from; i+2 < len(words) && !strings.HasSuffix(words[i], ",") && !isOne(words[i], []string{"or", "vs", "versus"}); i++ {
		if isOne(words[i], auxiliaries[:len(auxiliaries)-2]) && acts(words[i+1:]) && !strings.HasSuffix(words[i+1], ",") {
			return strings.Join(words[i+1:], " ")
		}
	}
	return sentence
}

var (
	// requests begin a text that asks for no choice, whatever it lists: "explain the retry or backoff logic".
	requests  = strings.Fields("explain describe review summarize summarise list show find tell analyze analyse document check look")
	negations = []string{"not", "never"}
	// describers go on with a subject: "the cache in the shop", "the api and the worker".
	describers = []string{"of", "in", "for", "from", "between", "on", "with", "and"}
	// verbs are those that a question in our field asks about, without those that are often nouns.
	verbs = strings.Fields(`abandon accept acquire adapt add adopt allow append apply ask assign assume avoid be become begin
		belong bring buy calculate choose close combine communicate compile compress compute configure
		connect consume continue convert create decide declare decode delegate delete deliver deny depend
		deploy deprecate derive deserialize detect disable discard do drop duplicate emit enable encode
		encrypt enforce ensure evict exclude execute exist expand expect expire explain expose extend
		extract fail fetch follow forbid forward gather generate get give go grow handle happen have hide
		hold ignore implement include inherit inject insert install integrate introduce invalidate invoke
		keep know lead learn leave let listen live lose maintain make manage merge migrate move need
		normalize notify omit optimize overwrite own parse pay perform persist pick prefer prevent produce
		prohibit propagate provide prune publish put raise read rebuild recompute reduce refactor refuse
		reject rely remain remember remove rename render replace represent require reside resolve respond
		restart restrict retain return reuse rewrite rotate satisfy save see select sell send separate
		serialize serve ship shrink sit skip solve spawn specify split start stay stop submit subscribe
		succeed switch take talk tell throw tolerate transform treat truncate use validate verify wait want
		wrap write`)
	// nounsOrVerbs are verbs only if nothing else in the sentence can be one: "the price cache stores", "the shop caches prices".
	nounsOrVerbs = strings.Fields(`access alert answer archive audit back backup balance batch benchmark block bootstrap branch break
		buffer build bundle cache call change charge check clone commit contact control copy cost count
		crash deal debug default delay design display document download draw drive exit export fall filter
		finish fix flush force format freeze group guard guess hash host import increase index issue join
		land lease level limit link list load lock log look mail map mark measure mirror mock model monitor
		name offer open order page panic park partition pass patch phase pin pipe plan point poll pool post
		print process profile program proxy pull purge push query queue reach record refresh register
		release repeat report request reset rest retry review roll route run sample scale scan schedule
		score search seed set shard share shop show shut sign sleep sort stack stage stand store stream
		structure support swap sync tag target test time trace track trade trigger trust try turn type
		update upgrade upload vendor version view vote walk watch work`)
)
