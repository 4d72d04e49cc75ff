package rehearsal

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

type (
	verifyReply struct {
		Judgements []judgement `json:"judgements"`
	}
	judgement struct {
		Item    int    `json:"item"`
		Entails string `json:"entails"`
		Bears   string `json:"bears"` // rules cannot tell: always yes
		Grave   string `json:"grave"` // of an objection: always yes
		Why     string `json:"why"`
	}
)

// judgements judges each item by itself.
func judgements(items []item) verifyReply {
	r := verifyReply{Judgements: []judgement{}}
	for _, it := range items {
		r.Judgements = append(r.Judgements, it.judge())
	}
	return r
}

var (
	quotation = pattern.Of("\"[^\"]+\"|`[^`]+`|“[^”]+”")
	reference = pattern.Of(`\S*[\w)]\.?\w*:\d+\b`) // file:line, which is not part of the lines
	lineMark  = pattern.Of(`(?m)^[>\s]*\d+[\s:|]`) // the number in front of a line
)

// judge compares a claim with its lines word by word. A part in quotation marks must be there letter by letter; of
// the other words it requires all numbers and most of the rest. It cannot judge statements about lines, nor most
// controls.
func (it item) judge() judgement {
	lines := lineMark().ReplaceAllString(it.Lines, " ")
	if parts := quotation().FindAllString(it.Claim, -1); len(parts) > 0 {
		for _, part := range parts {
			if part = strings.TrimSuffix(strings.Trim(part, "\"`“”"), "…"); !strings.Contains(spaced(lines), spaced(part)) {
				return it.says("no", "the lines do not contain what the claim quotes")
			}
		}
		return it.says("yes", "the lines contain all that the claim quotes")
	}
	stated := reference().ReplaceAllString(it.Claim, " ")
	words, there := contentWords(stated), wordsOf(lines)
	found := 0
	for _, w := range words {
		if hasWord(there, w) {
			found++
		}
	}
	for _, w := range wordsOf(stated) {
		if strings.Trim(w.text, "0123456789") == "" && !hasWord(there, w.stem) {
			return it.says("no", "the lines do not contain the number "+w.text)
		}
	}
	if len(words) == 0 || float64(found) < .75*float64(len(words)) {
		return it.says("no", "the lines do not contain the claim's words")
	}
	if turned(wordsOf(stated)) != turned(closest(lines, words)) {
		return it.says("contradicts", "the lines say so with the opposite sign")
	}
	return it.says("yes", "the lines contain the claim's words")
}

// says returns the judgement of an item.
func (it item) says(entails, why string) judgement {
	j := judgement{Item: it.Item, Entails: entails, Bears: "yes", Why: why}
	if it.Against != "" {
		j.Grave = "yes"
	}
	return j
}

// closest returns the line that contains most of the words.
func closest(lines string, stems []string) []word {
	var best []word
	most := -1
	for l := range strings.Lines(lines) {
		words := wordsOf(l)
		n := 0
		for _, s := range stems {
			if hasWord(words, s) {
				n++
			}
		}
		if n > most {
			best, most = words, n
		}
	}
	return best
}

// turned reports whether a word negates the statement.
func turned(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return negators[strings.ToLower(w.text)] })
}

// spaced returns s with single blanks between its words, in lower case.
func spaced(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
