package simulated

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/fence"
)

// Act is what a seat is asked for.
type Act string

// The acts. Answer is a question outside a debate; Revise is a question together with the answers of peers.
const (
	Propose  Act = "propose"
	Blind    Act = "blind" // and every other ballot
	Verify   Act = "verify"
	Cross    Act = "cross"
	Talk     Act = "talk"
	Ready    Act = "ready"
	Moderate Act = "moderate"
	Estimate Act = "estimate"
	Answer   Act = "answer"
	Revise   Act = "revise"
)

// acts returns all acts.
func acts() []Act {
	return []Act{Propose, Blind, Verify, Cross, Talk, Ready, Moderate, Estimate, Answer, Revise}
}

// forms identify an act by a key that only its reply has.
var forms = []struct {
	key string
	act Act
}{{"judgements", Verify}, {"ready", Ready}, {"divergences", Moderate}, {"value", Estimate}, {"position", Talk}, {"stances", Cross},
	{"options", Propose}, {"claims", Blind}, {"option", Answer}, {"answer", Answer}}

// asked is the relevant part of a request.
type asked struct {
	act      Act
	question string
	truth    string // right answer
	name     string // of the seat
	options  []option
	claims   []shownClaim
	items    []item
	peers    []string // the answer of each peer shown: the text of an option
	mine     string   // what the seat answered last; empty: nothing
	exchange int      // how often it saw answers of peers before
	plain    bool     // it replies with its answer alone instead of a ballot
	open     bool     // it answers in words instead of a letter
	size     int      // bytes of the whole request
}

// option is an answer as a prompt lists it. Labels are shuffled for each seat, texts are not; so answers are stored
// as texts.
type option struct{ label, text string }

// shownClaim is a claim as a debate shows it.
type shownClaim struct {
	ID, Peer, Option string
	Supports         bool
	Checks           []struct{ Kind, Result string }
}

// has reports whether some check of the claim had that result.
func (c shownClaim) has(result string) bool {
	return slices.ContainsFunc(c.Checks, func(k struct{ Kind, Result string }) bool { return k.Result == result })
}

// item is a claim and its lines of evidence.
type item struct {
	Item         int
	Claim, Lines string
}

// readRequest reads the last prompt, and from those before it the question, the options and what the seat said. A
// prompt is a user message with a task. The answers of peers are in a block "answers", one per line: an object with
// option or answer, or a name, a colon, and a letter or text; or they are what peers say and claim in a debate. It
// returns false if nothing is asked.
func readRequest(req llm.Request) (asked, bool) {
	a := asked{size: len(req.System)}
	found := false
	for _, m := range req.Messages {
		text := m.Text()
		a.size += len(text)
		if m.Role == llm.Assistant {
			a.remember(text)
			continue
		}
		blocks := fence.Blocks(text)
		if _, task := blocks["task"]; !task {
			continue // a repair belongs to the prompt before it
		}
		if found && len(a.peers) > 0 {
			a.exchange++
		}
		found = true
		a.readBlocks(blocks)
	}
	a.fit(req.Schema)
	return a, found && a.question != ""
}

// fit derives the act from the requested reply, which says more than what is shown.
func (a *asked) fit(schema json.RawMessage) {
	var form struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal(schema, &form) != nil {
		return
	}
	has := func(key string) bool { _, ok := form.Properties[key]; return ok }
	for _, f := range forms {
		if has(f.key) {
			if a.act = f.act; f.act == Answer && len(a.peers) > 0 {
				a.act = Revise
			}
			a.plain, a.open = f.act == Answer, f.act == Answer && !has("option")
			return
		}
	}
}

// readBlocks reads one prompt. What it shows replaces what earlier ones showed, except the question and the options,
// which later prompts need not repeat. The act is guessed from what is shown; fit corrects it if a form is requested.
func (a *asked) readBlocks(blocks map[string]string) {
	if q, ok := blocks["question"]; ok {
		a.question = strings.TrimSpace(q)
	}
	a.act, a.items, a.peers = Propose, nil, nil
	if text, ok := blocks["options"]; ok {
		a.act, a.options = Blind, nil
		for line := range strings.Lines(text) {
			if label, rest, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				a.options = append(a.options, option{label, rest})
			}
		}
	}
	a.claims = linesOf[shownClaim](blocks["ledger"])
	talk, talking := blocks["talk"]
	if answers, ok := blocks["answers"]; ok {
		a.act = Revise
		a.hear(answers)
	} else if talking {
		a.hear(talk)
	} else if len(a.claims) > 0 {
		a.act = Cross
		seen := map[string]bool{"you": true}
		for _, c := range a.claims {
			if !seen[c.Peer] {
				a.peer(c.Peer, "")
			}
			seen[c.Peer] = true
		}
	}
	if text, ok := blocks["evidence"]; ok {
		a.act, a.items = Verify, linesOf[item](text)
	}
}

// hear reads the answers of peers, one per line.
func (a *asked) hear(text string) {
	for line := range strings.Lines(text) {
		var said struct{ Peer, Option, Answer string }
		if json.Unmarshal([]byte(line), &said) == nil {
			a.peer(said.Peer, said.Option+said.Answer)
		} else if name, answer, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			a.peer(name, answer)
		}
	}
}

// peer adds the answer of a peer; if it gives none, the answer that its first claim supports.
func (a *asked) peer(name, answer string) {
	for _, c := range a.claims {
		if answer == "" && c.Peer == name && c.Supports {
			answer = c.Option
		}
	}
	if answer != "" {
		a.peers = append(a.peers, a.textOf(answer))
	}
}

// remember stores the answer of an earlier reply of the seat.
func (a *asked) remember(text string) {
	var reply struct{ Option, Other, Answer string }
	if json.Unmarshal([]byte(text), &reply) != nil {
		return
	}
	switch {
	case reply.Option == other:
		a.mine = reply.Other
	case reply.Option != "":
		a.mine = a.textOf(reply.Option)
	case reply.Answer != "":
		a.mine = a.textOf(reply.Answer)
	}
}

// textOf returns the text of the option with this letter, or the answer itself.
func (a *asked) textOf(answer string) string {
	for _, o := range a.options {
		if o.label == answer {
			return o.text
		}
	}
	return answer
}

// labelOf returns the letter of an option; empty if it is not listed.
func (a *asked) labelOf(text string) string {
	for _, o := range a.options {
		if same(o.text, text) {
			return o.label
		}
	}
	return ""
}

// same reports whether two texts have the same words.
func same(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// linesOf decodes one JSON object per line and skips other lines.
func linesOf[T any](text string) []T {
	var out []T
	for line := range strings.Lines(text) {
		var v T
		if json.Unmarshal([]byte(line), &v) == nil {
			out = append(out, v)
		}
	}
	return out
}
