package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// What a seat is asked for in a talk.
const (
	talk     act = "talk"
	ready    act = "ready"
	moderate act = "moderate"
	estimate act = "estimate"
)

type (
	statement struct {
		Text     string   `json:"text"`
		Option   string   `json:"option"`
		Position string   `json:"position"`
		Stances  []stance `json:"stances"`
		Claims   []claim  `json:"claims"`
	}
	readyReply struct {
		Ready bool   `json:"ready"`
		Lacks string `json:"lacks"`
	}
	moderation struct {
		Score       float64      `json:"score"`
		Divergences []divergence `json:"divergences"`
	}
	divergence struct {
		About  string   `json:"about"`
		Impact int      `json:"impact"`
		Claims []string `json:"claims"`
	}
	guess struct {
		Value   float64 `json:"value"`
		Low     float64 `json:"low"`
		High    float64 `json:"high"`
		Unit    string  `json:"unit"`
		Because string  `json:"because"`
		Claims  []claim `json:"claims"`
	}
)

// said is a statement of another seat, as the prompt shows it.
type said struct {
	Peer, Says, Option, Position string
}

// formOf derives the act from the form that a task asks for. It is empty if only the blocks tell.
func formOf(task string) act {
	for form, a := range map[string]act{`{"text": "what you say`: talk, `{"ready":`: ready, `{"score":`: moderate, `{"value":`: estimate,
		`"change_my_mind":`: blind} {
		if strings.Contains(task, form) {
			return a
		}
	}
	return ""
}

// talkOver performs the next step of a turn in a talk.
func (s *member) talkOver(a asked) ([]llm.Call, string) {
	switch a.act {
	case ready:
		return nil, encode(readyReply{Ready: true})
	case moderate:
		return nil, encode(closeness(a.said))
	case estimate:
		if calls := countCalls(a); len(calls) > 0 {
			return calls, ""
		}
		return nil, encode(s.count(a))
	}
	if a.mine == "" {
		if calls := s.look(a); len(calls) > 0 {
			return calls, ""
		}
		return nil, encode(s.open(a))
	}
	if calls := lookAtClaims(a); len(calls) > 0 {
		return calls, ""
	}
	return nil, encode(s.respond(a))
}

// sideOf matches the side that a task assigns.
var sideOf = pattern.Of(`You argue (for|against) option ([A-Z])`)

// open returns a seat's first statement: what it would vote for and why. If it has an assigned side, its claims
// support that: a seat that argues against an option argues for the best of the others.
func (s *member) open(a asked) statement {
	b := s.vote(a)
	st := statement{Text: b.Summary, Option: b.Option, Stances: []stance{}, Claims: b.Claims, Position: positionOf(a, b.Option)}
	if st.Option == abstain {
		st.Option = ""
	}
	side := sideOf().FindStringSubmatch(a.task)
	if side == nil {
		return st
	}
	options := s.weigh(a, seen(a))
	given := slices.IndexFunc(options, func(o weighed) bool { return o.label == side[2] })
	rival := slices.IndexFunc(options, func(o weighed) bool { return o.label != side[2] })
	if given < 0 || rival < 0 {
		return st
	}
	con := side[1] == "against"
	if con {
		given, rival = rival, given
	}
	chosen, other := options[given], options[rival]
	if len(chosen.finds) == 0 {
		st.Text, st.Claims = "By rule: nothing found in the project supports the assigned side.", []claim{}
		return st
	}
	st.Text = fmt.Sprintf("By rule, weighing %s: lines about option %s score %.2f, lines about option %s %.2f.", s.about,
		chosen.label, chosen.net, other.label, other.net)
	st.Claims = claimsOf(chosen, other, a.most, con)
	return st
}

// respond takes a stance on what the others claim, and keeps its option as in a cross-examination.
func (s *member) respond(a asked) statement {
	r := s.examine(a)
	st := statement{Option: r.Option, Stances: r.Stances, Claims: []claim{}}
	if st.Option == abstain {
		st.Option = ""
	}
	agreed, objected := 0, 0
	for _, x := range r.Stances {
		switch x.Stance {
		case "AGREE":
			agreed++
		case "OBJECT":
			objected++
		}
	}
	st.Text = fmt.Sprintf("By rule: of %d claims shown, the quotes of %d mention their option's words, and those of %d do not.",
		len(r.Stances), agreed, objected)
	st.Position = positionOf(a, st.Option)
	return st
}

// positionOf returns a seat's position on the direction of the table: it agrees if everyone who leans somewhere leans
// as it does.
func positionOf(a asked, option string) string {
	if !strings.Contains(a.task, `your position in "position"`) {
		return ""
	}
	for _, x := range a.said {
		if x.Option != "" && x.Option != option {
			return "OBJECT"
		}
	}
	if option == "" {
		return "ADD"
	}
	return "AGREE"
}

// stand returns a vote after a talk: for the option the seat last leaned to. It has made its claims already.
func stand(a asked, about string) (ballot, bool) {
	for _, o := range a.options {
		if a.talked && o.text == a.mine {
			return ballot{Option: o.label, Summary: "By rule, weighing " + about + ": the talk did not change the findings.",
				Claims: []claim{},
				Flip:   "one of its own quotes refuted, and a verified quote from another seat", Confidence: .5}, true
		}
	}
	return ballot{}, false
}

// closeness is the share of words that the versions have in common.
func closeness(versions []said) moderation {
	all, shared := map[string]int{}, 0
	for _, v := range versions {
		mine := map[string]bool{}
		for _, w := range contentWords(v.Says) {
			if !mine[w] {
				mine[w] = true
				all[w]++
			}
		}
	}
	for _, n := range all {
		if n == len(versions) {
			shared++
		}
	}
	m := moderation{Score: 1, Divergences: []divergence{}}
	if len(all) > 0 && shared < len(all) {
		m.Score = float64(100*shared/len(all)) / 100
		m.Divergences = append(m.Divergences, divergence{About: fmt.Sprintf("%d of %d words are not in every version", len(all)-shared,
			len(all)), Impact: 2, Claims: []string{}})
	}
	return m
}

// countCalls returns calls that look for the words which a question about a number names.
func countCalls(a asked) []llm.Call {
	if a.rounds > 0 || !a.tools["grep"] {
		return nil
	}
	var calls []llm.Call
	for _, w := range contentWords(a.question) {
		if len(calls) < 3 {
			calls = append(calls, lookArgs{Pattern: expression(w)}.call("grep"))
		}
	}
	return calls
}

// countable are the stems of what a rule can count: only lines.
var countable = map[string]bool{"line": true, "place": true, "mention": true, "occurrence": true}

// count estimates a number by counting the lines with the question's words in the files that the seat weighs. It
// abstains where the question asks for anything else.
func (s *member) count(a asked) guess {
	if !slices.ContainsFunc(wordsOf(a.question), func(w word) bool { return countable[w.stem] }) {
		return guess{Unit: abstain, Claims: []claim{}, Because: "By rule: a rehearsal seat can only count lines, and the question asks " +
			"for something else."}
	}
	n := 0.0
	for _, l := range seen(a).lines {
		n += s.weights[l.class]
	}
	if n == 0 { // nothing was searched this time: the last estimate stays
		n = a.earlier
	}
	g := guess{Value: float64(int(n + .5)), Unit: "lines", Claims: []claim{},
		Because: "By rule, weighing " + s.about + ": lines with a word of the question. Rehearsal seats count nothing else."}
	g.Low, g.High = float64(int(g.Value/2)), 2*g.Value
	return g
}
