package simulated

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// other is the label of a ballot for an answer that is not listed.
const other = "OTHER"

// object is a JSON object, encoded with its keys in order.
type object map[string]any

// encode writes a reply as JSON. Keys are sorted, so that equal replies are equal bytes.
func encode(reply any) string {
	raw, err := json.Marshal(reply)
	if err != nil {
		panic("simulated: " + err.Error()) // only strings, numbers and containers of them
	}
	return string(raw)
}

// reply returns what the seat says when nothing is wrong with it. It keeps an earlier answer unless it is swayed.
func (m *model) reply(a asked) string {
	switch a.act {
	case Propose:
		return encode(object{"options": m.proposal(a)})
	case Verify:
		return encode(object{"judgements": m.judgements(a)})
	case Cross:
		return m.examine(a)
	case Talk:
		return m.statement(a)
	case Ready:
		return encode(object{"ready": true, "lacks": ""})
	case Moderate:
		return encode(object{"score": 1, "divergences": []object{}})
	case Estimate:
		return m.estimate(a)
	}
	return m.answer(a, m.swayed(a))
}

// answer puts an answer into the requested form: alone, or as a ballot.
func (m *model) answer(a asked, text string) string {
	switch {
	case !a.plain:
		return m.ballot(a, text)
	case a.open:
		return encode(object{"reasoning": m.says(a, "answers", text), "answer": text, "confidence": m.Confidence})
	}
	label := a.labelOf(text)
	if label == "" {
		label = text
	}
	return encode(object{"reasoning": m.says(a, "answers", text), "option": label, "confidence": m.Confidence})
}

// vote returns the seat's own answer.
func (m *model) vote(a asked) string {
	if len(a.options) > 0 && Lot(m.Seed, "first", a.question, m.Lineage, a.name).Float64() < m.First {
		return a.options[0].text
	}
	var wrong []string
	if len(a.options) == 0 {
		wrong = decoys(a.truth)
	}
	for _, o := range a.options {
		if !same(o.text, a.truth) {
			wrong = append(wrong, o.text)
		}
	}
	return m.choose(a.question, a.name, a.truth, wrong)
}

// swayed returns the seat's answer after it saw those of its peers: its last one, or one of theirs.
func (m *model) swayed(a asked) string {
	answer := a.mine
	if answer == "" {
		answer = m.vote(a)
	}
	rng := Lot(m.Seed, "swayed", a.question, m.Lineage, a.name, strconv.Itoa(a.exchange))
	if len(a.peers) > 0 && rng.Float64() < m.Susceptibility {
		return a.peers[rng.IntN(len(a.peers))]
	}
	return answer
}

// proposal returns the seat's own answer to an open question, and one that contradicts it.
func (m *model) proposal(a asked) []string {
	wrong := m.misleading(a.question, decoys(a.truth))
	mine := m.choose(a.question, a.name, a.truth, wrong)
	for _, w := range wrong {
		if w != mine {
			return []string{mine, w}
		}
	}
	return []string{mine, a.truth}
}

// decoys returns three wrong answers to a question with this right answer: near numbers, or texts that say they are
// wrong.
func decoys(truth string) []string {
	if n, err := strconv.Atoi(strings.TrimSpace(truth)); err == nil {
		return []string{strconv.Itoa(n + 1), strconv.Itoa(n - 1), strconv.Itoa(n + 10)}
	}
	return []string{"wrong answer 1", "wrong answer 2", "wrong answer 3"}
}

// ballot votes for an answer with one claim. The words name the seat, so that two seats never say the same.
func (m *model) ballot(a asked, answer string) string {
	label, own := a.labelOf(answer), ""
	if label == "" {
		label, own = other, answer
	}
	return encode(object{"option": label, "other": own, "summary": m.says(a, "chose", answer),
		"claims":         []object{m.claim(a, label, answer)},
		"change_my_mind": "a check that refutes it", "confidence": m.Confidence})
}

// says returns a sentence on what the seat does, followed by its setting's number of extra words.
func (m *model) says(a asked, verb, what string) string {
	return "Simulated: " + m.by(a) + " " + verb + " " + what + "." + strings.Repeat(" Indeed.", m.Words)
}

// by returns the seat's name for its sentences.
func (m *model) by(a asked) string {
	if a.name == "" {
		return "a seat of lineage " + m.Lineage
	}
	return a.name
}

// claim says that an answer is right. It is short and names the seat in one word, so that a room never merges the
// claims of two seats.
func (m *model) claim(a asked, label, answer string) object {
	return object{"text": fmt.Sprintf("%s, says %s: %s", rightAnswer, oneWord(m.by(a)), short(answer)), "kind": "logic", "impact": 5,
		"option": label, "supports": true, "evidence": m.evidence(a, answer)}
}

// oneWord keeps letters and digits.
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// short returns a text's first eight words.
func short(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(8, len(words))], " ")
}

// rightAnswer opens every claim, so that a verifier finds what it claims.
const rightAnswer = "Simulated: the right answer"

// CheckCommand is the program simulated claims name as their evidence. It does not exist: whoever runs a simulated
// room checks such evidence with a checker whose rates are known. Its arguments are the seat and the answer.
const CheckCommand = "simulated-check"

// Passed begins what such a checker shows a judge about a check that passed.
const Passed = "simulated check passed: "

// QuoteFile is the file that simulated claims quote, likewise.
const QuoteFile = "simulated.txt"

// evidence returns what a claim points at. Whether a question can be checked at all is drawn once for all seats,
// since it depends on the question.
func (m *model) evidence(a asked, answer string) object {
	e := object{"kind": "none", "file": "", "line": 0, "quote": "", "command": []string{}, "expect": "", "url": ""}
	if m.Evidence == "" || Lot(m.Seed, "checkable", a.question).Float64() >= m.Checkable {
		return e
	}
	e["kind"] = m.Evidence
	switch m.Evidence {
	case "command":
		e["command"], e["expect"] = []string{CheckCommand, m.by(a), answer}, "pass"
	case "quote":
		e["file"], e["line"], e["quote"] = QuoteFile, 1, answer
	}
	return e
}

// examine answers the claims of others: it agrees with those for its own answer and objects to the rest. It changes
// its answer when it is swayed, or when its own claim was refuted and a peer's was not.
func (m *model) examine(a asked) string {
	answer, because := m.swayed(a), []string{}
	rng := Lot(m.Seed, "stubborn", a.question, m.Lineage, a.name, strconv.Itoa(a.exchange))
	if refuted := a.refuted(); len(refuted) > 0 && rng.Float64() >= m.Stubborn {
		for _, c := range a.claims {
			if c.Peer != "you" && c.Supports && c.has("pass") && !c.has("fail") && !same(a.textOf(c.Option), answer) {
				answer, because = a.textOf(c.Option), refuted
				break
			}
		}
	}
	label := a.labelOf(answer)
	if label == "" {
		label = "ABSTAIN"
	}
	return encode(object{"option": label, "because": because, "stances": a.stances(answer), "claims": []object{}})
}

// stances agrees with the claims that support answer and objects to all others.
func (a *asked) stances(answer string) []object {
	stances := []object{}
	for _, c := range a.claims {
		if c.Peer == "you" {
			continue
		}
		s := object{"claim": c.ID, "stance": "AGREE", "why": "", "cites": []string{}, "same": "", "impact": 5}
		if same(a.textOf(c.Option), answer) != c.Supports || c.has("fail") {
			s["stance"], s["why"], s["cites"] = "OBJECT", "simulated: another answer is right", []string{c.ID}
		}
		stances = append(stances, s)
	}
	return stances
}

// statement argues for the seat's answer in a talk. It claims it once.
func (m *model) statement(a asked) string {
	answer := m.swayed(a)
	label, position, claims := a.labelOf(answer), "AGREE", []object{}
	if slices.ContainsFunc(a.peers, func(p string) bool { return !same(p, answer) }) {
		position = "OBJECT"
	}
	if !same(answer, a.mine) {
		claims = append(claims, m.claim(a, label, answer))
	}
	return encode(object{"text": m.says(a, "stands for", answer), "option": label, "position": position, "stances": a.stances(answer),
		"claims": claims})
}

// estimate returns the seat's answer as a number with a tenth on either side. An answer that is not a number is 0.
func (m *model) estimate(a asked) string {
	x, err := strconv.ParseFloat(strings.TrimSpace(m.swayed(a)), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	return encode(object{"value": x, "low": x - math.Abs(x)/10, "high": x + math.Abs(x)/10, "unit": "units",
		"because": m.says(a, "estimates", fmt.Sprint(x)),
		"claims":  []object{}})
}

// refuted returns the seat's own claims that a check refuted.
func (a asked) refuted() []string {
	var out []string
	for _, c := range a.claims {
		if c.Peer == "you" && c.has("fail") {
			out = append(out, c.ID)
		}
	}
	return out
}

// judgements says of each claim whether its lines show it. A literal statement is looked up; of other claims the seat
// knows whether they are right, and errs as often as its settings say. Lines that do not contain the claim are wrong.
func (m *model) judgements(a asked) []object {
	out := []object{}
	for _, it := range a.items {
		_, answer, claimed := strings.Cut(it.Claim, ": ")
		if strings.HasPrefix(it.Claim, rightAnswer) {
			_, answer, claimed = strings.Cut(answer, ": ")
		}
		right := strings.HasPrefix(it.Lines, Passed) || claimed && strings.Contains(it.Lines, answer) &&
			(!strings.HasPrefix(it.Claim, rightAnswer) || same(answer, short(a.truth)))
		pass := m.Judge.FalsePass
		if right {
			pass = m.Judge.TruePass
		}
		says := "no"
		if Lot(m.Seed, "judge", a.question, m.Lineage, a.name, it.Claim, it.Lines).Float64() < pass {
			says = "yes"
		}
		out = append(out, object{"item": it.Item, "entails": says, "bears": "yes", "grave": says, "why": "simulated"})
	}
	return out
}
