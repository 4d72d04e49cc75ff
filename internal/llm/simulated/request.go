package simulated

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Act is what a seat is asked for.
type Act string

// The acts. Answer is a question outside a debate; Revise is one asked with the answers of peers in sight.
const (
	Propose Act = "propose"
	Blind   Act = "blind"
	Verify  Act = "verify"
	Cross   Act = "cross"
	Answer  Act = "answer"
	Revise  Act = "revise"
)

// asked is a request as far as it matters.
type asked struct {
	act      Act
	question string
	truth    string // right answer
	name     string // of the seat
	options  []option
	claims   []shownClaim
	items    []item
	peers    []string // what each peer that is shown answers: the text of an option
	mine     string   // what the seat answered last; empty: nothing
	exchange int      // how often it was shown answers of peers before
	plain    bool     // it replies with its answer alone, not with a ballot
	open     bool     // no options are shown: it answers in words
	size     int      // bytes of the whole request
}

type option struct{ label, text string }

// shownClaim is a claim in a cross-examination.
type shownClaim struct {
	ID, Peer, Option string
	Supports         bool
	Checks           []struct{ Kind, Result string }
}

func (c shownClaim) has(result string) bool {
	return slices.ContainsFunc(c.Checks, func(k struct{ Kind, Result string }) bool { return k.Result == result })
}

// item is a claim and the lines it rests on.
type item struct {
	Item         int
	Claim, Lines string
}

// readRequest reads the last prompt, and from those before it the question and what the seat said. A prompt is a user
// message with a task; answers of peers stand in a block "answers", a line for each: an object with option or answer,
// or a name, a colon, and a letter or text. A schema without claims and options asks for the answer alone. It is false
// if nothing is asked.
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
		blocks := llm.Blocks(text)
		if _, task := blocks["task"]; !task {
			continue // a repair is of the prompt before it
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

// fit tells an answer outside a debate by the reply that is asked for.
func (a *asked) fit(schema json.RawMessage) {
	var form struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal(schema, &form) != nil {
		return
	}
	has := func(key string) bool { _, ok := form.Properties[key]; return ok }
	a.plain = (has("answer") || has("option")) && !has("claims")
	if a.plain && (a.act == Propose || a.act == Blind) {
		a.act = Answer
	}
	a.open = has("answer") && !has("option")
}

func (a *asked) readBlocks(blocks map[string]string) {
	if q, ok := blocks["question"]; ok {
		a.question = strings.TrimSpace(q)
	}
	a.act, a.claims, a.items, a.peers = Propose, nil, nil, nil
	if text, ok := blocks["options"]; ok {
		a.act, a.options = Blind, nil
		for line := range strings.Lines(text) {
			if label, rest, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				a.options = append(a.options, option{label, rest})
			}
		}
	}
	if text, ok := blocks["answers"]; ok {
		a.act = Revise
		for line := range strings.Lines(text) {
			var said struct{ Option, Answer string }
			if json.Unmarshal([]byte(line), &said) == nil {
				a.peers = append(a.peers, a.textOf(said.Option+said.Answer))
			} else if _, answer, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				a.peers = append(a.peers, a.textOf(answer))
			}
		}
	}
	if text, ok := blocks["ledger"]; ok {
		a.act, a.claims = Cross, linesOf[shownClaim](text)
		seen := map[string]bool{"you": true}
		for _, c := range a.claims {
			if c.Supports && !seen[c.Peer] {
				seen[c.Peer] = true
				a.peers = append(a.peers, a.textOf(c.Option))
			}
		}
	}
	if text, ok := blocks["evidence"]; ok {
		a.act, a.items = Verify, linesOf[item](text)
	}
}

// remember keeps the answer of an earlier reply of the seat.
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

// textOf is the text of the option that goes by this letter, or the answer itself.
func (a *asked) textOf(answer string) string {
	for _, o := range a.options {
		if o.label == answer {
			return o.text
		}
	}
	return answer
}

// labelOf is the letter of an option; empty if it is not on the list.
func (a *asked) labelOf(text string) string {
	for _, o := range a.options {
		if same(o.text, text) {
			return o.label
		}
	}
	return ""
}

// same says whether two texts have the same words.
func same(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// linesOf decodes one JSON object per line and skips what is none.
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
