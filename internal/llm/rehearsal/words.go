package rehearsal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of a text as written, and its stem, by which words are compared.
type word struct{ text, stem string }

// wordsOf cuts text into words: at everything that is neither letter nor digit, and in identifiers where a capital
// begins the next word.
func wordsOf(text string) []word {
	var out []word
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, word{text[start:at], stem(strings.ToLower(text[start:at]))})
		}
		start = -1
	}
	var before rune
	whole := 0 // up to here a name is one word, capitals or not
	for i, r := range text {
		if start < 0 && i >= whole {
			whole = i + len(nameAt(text[i:]))
		}
		switch {
		case start >= 0 && i < whole:
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case start < 0:
			start = i
		case unicode.IsUpper(r) && !unicode.IsUpper(before), unicode.IsUpper(r) && lowerFollows(text[i:]):
			end(i)
			start = i
		}
		before = r
	}
	end(len(text))
	return out
}

// oneWord are names that count as one word despite capitals inside.
var oneWord = []string{"SQLite", "MySQL", "PostgreSQL", "NoSQL", "GraphQL", "OAuth", "GitHub", "GitLab", "JavaScript", "TypeScript",
	"YouTube", "DynamoDB", "MongoDB"}

// nameAt returns the name that a text begins with, if it does.
func nameAt(text string) string {
	if text[0] < 'A' || text[0] > 'Z' {
		return ""
	}
	for _, n := range oneWord {
		if strings.HasPrefix(text, n) {
			return n
		}
	}
	return ""
}

// lowerFollows reports whether a small letter comes after the first: the S in HTTPServer begins a word.
func lowerFollows(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[size:])
	return unicode.IsLower(next)
}

// stem removes common English endings from a lower-case word. In doubt it leaves them.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 5 && strings.HasSuffix(w, "ing") && hasVowel(w[:len(w)-3]):
		return undoubled(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ed") && hasVowel(w[:len(w)-2]):
		return undoubled(w[:len(w)-2])
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") ||
		strings.HasSuffix(w, "shes")):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") &&
		!strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	if len(w) > 4 {
		return strings.TrimSuffix(w, "e")
	}
	return w
}

// hasVowel is false for stems that are no words, such as the str of string.
func hasVowel(s string) bool { return strings.ContainsAny(s, "aeiouy") }

// undoubled reverses what an ending did to a stem, as in running, runn, run. It removes a final e, as stem does.
func undoubled(s string) string {
	if n := len(s); n > 3 && s[n-1] == s[n-2] && !strings.ContainsAny(s[n-1:], "lsz") {
		return s[:n-1]
	}
	return strings.TrimSuffix(s, "e")
}

// sameWord compares stems. A stem that is the beginning of the other counts if it is long enough: connect,
// connection.
func sameWord(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= 5 && strings.HasPrefix(b, a) && (a[0] < '0' || a[0] > '9')
}

// hasWord reports whether a text has the word of this stem.
func hasWord(words []word, stem string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return sameWord(w.stem, stem) })
}

// contentWords returns the stems that say what a text is about, each once: what looks like a name first, then by
// length, for long words are rare. Without any, it returns the small words: somebody may ask about them.
func contentWords(text string) []string {
	var content, small []string
	rank := map[string]int{}
	for i, w := range wordsOf(text) {
		list := &content
		named := strings.IndexFunc(w.text, unicode.IsUpper) == 0 && i > 0 // "use Go"
		if hollow[strings.ToLower(w.text)] && !named || utf8.RuneCountInString(w.text) < 2 {
			list = &small
		}
		if slices.Contains(*list, w.stem) {
			continue
		}
		*list = append(*list, w.stem)
		rank[w.stem] = len(w.stem)
		if named := strings.IndexFunc(w.text, unicode.IsUpper); named > 0 || named == 0 && (i > 0 || w.text == strings.ToUpper(w.text)) {
			rank[w.stem] += 100
		}
	}
	if len(content) == 0 {
		content = small
	}
	slices.SortStableFunc(content, func(a, b string) int { return rank[b] - rank[a] })
	return content
}

// negators negate a statement; limiters limit it.
var (
	negators = set("no not never without avoid avoids cannot nor none instead rather forbid forbids forbidden dont don't doesn don " +
		"isn aren won't shouldn mustn drop dropped remove removed reject rejected")
	negatorAfter = set("cannot off disabled forbidden banned removed rejected")
	modals       = set("is are was were be must may can could should shall will would do does did")
	limiters     = set("must never only not cannot no always forbidden")
)

// hollow words say little about what is asked.
var hollow = set(`a an the this that these those it its they them their we us our you your i me my he she one
	be is are was were been being am do does did done doing have has had having will would shall should can could may might must
	and or but nor not no yes if then else than so as at by for from in into of off on onto out over per to up upon via with within without
	about after again against all also always any anything because before between both during each either every few how just least less
	like many more most much neither never none now only other own quite rather same some something still such there here thing things too
	under until very what when where whether which while who whom whose why versus vs instead
	keep keeps kept use uses used using make makes made making get gets go goes put let take takes need needs want wants better best
	good bad right way ways option options choose pick prefer switch move stay change leave leaves replace present add new old
	us project code file files
	s t re ll ve d m don doesn isn aren won shouldn mustn`)

// set returns the words in a text as a set.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
