package rehearsal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The replies, in the form that the panel's prompts require.
type (
	ballot struct {
		Option     string  `json:"option"`
		Other      string  `json:"other"`
		Summary    string  `json:"summary"`
		Claims     []claim `json:"claims"`
		Flip       string  `json:"change_my_mind"`
		Confidence float64 `json:"confidence"`
	}
	claim struct {
		Text     string   `json:"text"`
		Kind     string   `json:"kind"`
		Impact   int      `json:"impact"`
		Option   string   `json:"option"`
		Supports bool     `json:"supports"`
		Evidence evidence `json:"evidence"`
	}
	evidence struct {
		Kind    string   `json:"kind"`
		File    string   `json:"file"`
		Line    int      `json:"line,omitempty"` // 0: unknown
		Quote   string   `json:"quote"`
		Command []string `json:"command"`
		Expect  string   `json:"expect"`
		URL     string   `json:"url"`
	}
)

// abstain is the label of no option.
const abstain = "ABSTAIN"

// encode writes a reply as JSON; every reply can be encoded.
func encode(reply any) string {
	raw, err := json.Marshal(reply)
	if err != nil {
		panic("rehearsal: " + err.Error())
	}
	return string(raw)
}

// vote returns the seat's blind ballot. It abstains if nothing bears on any option, or if what was found does not
// distinguish the first two.
func (s *member) vote(a asked) ballot {
	options := s.weigh(a, seen(a))
	bears := slices.ContainsFunc(options, func(o weighed) bool { return len(o.finds) > 0 })
	alike := len(options) > 1 && options[1].net == options[0].net &&
		(options[0].support == 0 || options[0].denies == options[1].denies && slices.Equal(options[0].words, options[1].words))
	if !bears || alike {
		return ballot{Option: abstain, Summary: "By rule: nothing found in the project is relevant to the question.", Claims: []claim{},
			Flip: "a line in the project that mentions one option's words and not the others'"}
	}
	leader := options[0]
	chosen, other := leader, leader
	if len(options) > 1 {
		other = options[1]
	}
	if i := runnerUp(options); s.contrary && i > 0 {
		chosen, other = options[i], leader
	}
	b := ballot{Option: chosen.label, Confidence: confidence(chosen, other),
		Summary: fmt.Sprintf("By rule, weighing %s: lines about this option score %.2f, lines about the next one %.2f.", s.about,
			chosen.net, other.net),
		Flip: fmt.Sprintf("more lines in the project that mention %q", other.text)}
	b.Claims = claimsOf(chosen, other, a.most, s.contrary)
	return b
}

// runnerUp returns the best option after the first that anything at all supports; 0 if there is none.
func runnerUp(options []weighed) int {
	for i, o := range options {
		if i > 0 && o.support > 0 {
			return i
		}
	}
	return 0
}

// confidence is the chosen option's share of the support for either, in steps of .01 between .3 and .9. It follows
// from a rule and says nothing about how often the seat is right.
func confidence(chosen, other weighed) float64 {
	mine, theirs := max(0, chosen.net), max(0, other.net)
	if mine+theirs == 0 || chosen.label == other.label {
		return .5
	}
	return float64(int(100*min(.9, max(.3, mine/(mine+theirs))))) / 100
}

// claimsOf returns up to most claims: the support for the chosen option, and what speaks against the other. A
// contrary seat also quotes lines that put a limit near the words of the other option.
func claimsOf(chosen, other weighed, most int, contrary bool) []claim {
	claims := []claim{}
	add := func(c claim) {
		same := func(have claim) bool { return have.Text == c.Text }
		if len(claims) < most && !slices.ContainsFunc(claims, same) {
			claims = append(claims, c)
		}
	}
	for _, f := range chosen.finds {
		if !f.against && len(claims) < max(1, most-2) {
			add(f.claim(chosen.option))
		}
	}
	if chosen.label != other.label {
		for _, f := range other.finds {
			if f.against && len(claims) < max(1, most-1) {
				add(f.claim(other.option))
			}
		}
		for _, f := range other.finds {
			if word := f.limit(); contrary && !other.denies && word != "" && !f.against {
				add(f.limitClaim(other.option, word))
			}
		}
	}
	if len(claims) == 0 { // only evidence against its own option was found
		add(chosen.finds[0].claim(chosen.option))
	}
	return claims
}

// claim says what is written at a place and nothing more.
func (f find) claim(o option) claim {
	text := f.says() + ": it mentions " + quoted(f.named)
	if len(f.named) == 1 {
		text += ", a word of this option"
	} else {
		text += ", words of this option"
	}
	if f.negator != "" {
		text += `, close to "` + f.negator + `"`
	}
	return f.claimed(text, o, !f.against)
}

// limitClaim says that a place limits an option.
func (f find) limitClaim(o option, word string) claim {
	return f.claimed(fmt.Sprintf(`%s: it has "%s" on a line with %s, a limit on this option`, f.says(), word, quoted(f.named)), o, false)
}

// says returns the place and the beginning of its text, in quotation marks that do not occur in it.
func (f find) says() string {
	text := strings.Join(strings.Fields(f.text), " ")
	if len(text) > 120 {
		text = text[:strings.LastIndexByte(text[:120], ' ')+1]
		if text == "" {
			return f.at() + " is one long word"
		}
		text += "…"
	}
	for _, marks := range []string{`""`, "``"} {
		if !strings.Contains(text, marks[:1]) {
			return f.at() + " says " + marks[:1] + text + marks[1:]
		}
	}
	return f.at() + " says “" + text + "”"
}

// claimed returns a claim of this text about an option, with the place as evidence. A test counts less than code: it
// may make things up.
func (f find) claimed(text string, o option, supports bool) claim {
	c := claim{Text: text, Kind: "approach", Impact: 2, Option: o.label, Supports: supports,
		Evidence: evidence{Kind: "none", Command: []string{}}}
	if f.class == test {
		c.Kind, c.Impact = "tests", 1
	}
	if f.file != "" {
		c.Evidence = evidence{Kind: "quote", File: f.file, Line: max(0, f.number), Quote: f.text, Command: []string{}}
	}
	return c
}

// limit returns a word in the line that limits or forbids.
func (f find) limit() string {
	for _, w := range f.words {
		if limiters[strings.ToLower(w.text)] {
			return w.text
		}
	}
	return ""
}

// at returns the place as people write it.
func (f find) at() string {
	switch {
	case f.file == "":
		return "the commit " + firstField(f.text)
	case f.number > 0:
		return fmt.Sprintf("%s:%d", f.file, f.number)
	}
	return f.file
}

// firstField returns a text up to its first blank.
func firstField(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// quoted returns a list of words in quotation marks.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = `"` + w + `"`
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}
