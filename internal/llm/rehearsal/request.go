package rehearsal

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// act is what the seat is asked for.
type act string

// The acts of a debate; those of seats that talk are in talk.go.
const (
	propose act = "propose"
	blind   act = "blind"
	verify  act = "verify"
	cross   act = "cross"
)

// asked is a request as far as the rules understand it. What later prompts leave out is taken from earlier ones.
type asked struct {
	act               act
	question, context string
	options           []option
	claims            []shownClaim
	items             []item
	most              int             // most claims in a ballot
	mine              string          // text of the option this seat voted for earlier; empty: none
	tools             map[string]bool // by name
	looks             []look          // what the tools returned since the prompt, in order
	rounds            int             // exchanges with tools since the prompt
	answered          bool            // a call of the last exchange worked
	size              int             // bytes of the whole request
	task              string          // what it is told to do
	said              []said          // statements of others that it sees
	talked            bool            // it has made a statement
	earlier           float64         // its last estimate
}

// look is a tool call and what came back.
type look struct {
	tool   string
	args   lookArgs
	text   string
	failed bool
}

// lookArgs are the arguments of all calls the rules make.
type lookArgs struct {
	Pattern    string `json:"pattern,omitempty"`
	Glob       string `json:"glob,omitempty"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Path       string `json:"path,omitempty"`
	From       int    `json:"from,omitempty"`
	To         int    `json:"to,omitempty"`
	Limit      int    `json:"limit,omitempty"`
}

// call returns a call of a tool with these arguments.
func (a lookArgs) call(tool string) llm.Call {
	raw, _ := json.Marshal(a) // strings and numbers only
	return llm.Call{Name: tool, Args: raw}
}

// shownClaim is a claim in a cross-examination.
type shownClaim struct {
	ID, Peer, Text, Option string
	Supports               bool
	Evidence               struct {
		Kind, File, Quote string
		Line              int
	}
	Checks []struct{ Kind, Result string }
}

// item is a claim and its lines of evidence.
type item struct {
	Item    int
	Claim   string
	Against string // the option it objects to
	Lines   string
}

// readRequest finds the last message with a task and what was looked at since. It returns false if there is no such
// message.
func readRequest(req llm.Request) (asked, bool) {
	a := asked{tools: map[string]bool{}, size: len(req.System)}
	for _, t := range req.Tools {
		a.tools[t.Name] = true
	}
	var blocks map[string]string
	var at int
	var options string
	for i, m := range req.Messages {
		found := fence.Blocks(m.Text())
		if _, ok := found["task"]; ok && m.Role == llm.User {
			blocks, at = found, i
		}
		for tag, to := range map[string]*string{"context": &a.context, "question": &a.question, "options": &options} {
			if text, ok := found[tag]; ok && m.Role == llm.User {
				*to = text // later prompts do not repeat it
			}
		}
		a.size += m.Bytes()
	}
	if blocks == nil {
		return a, false
	}
	a.readBlocks(blocks)
	if a.task = blocks["task"]; formOf(a.task) != "" {
		a.act = formOf(a.task)
		a.options = readOptions(options, a.question)
		a.said = linesOf[said](blocks["talk"] + blocks["versions"])
	}
	a.readOwn(req.Messages[:at])
	a.mine = earlierVote(req.Messages[:at])
	a.readLooks(req.Messages[at+1:])
	return a, true
}

// mostClaims matches the limit that a task sets.
var mostClaims = pattern.Of(`At most (\d+) claims`)

// readBlocks derives the act from what is shown: evidence is to be judged, claims to be examined, options to be voted
// on.
func (a *asked) readBlocks(blocks map[string]string) {
	a.act = propose
	if text, ok := blocks["options"]; ok {
		a.act = blind
		a.options = readOptions(text, a.question)
	}
	if text, ok := blocks["ledger"]; ok {
		a.act = cross
		a.claims = linesOf[shownClaim](text)
	}
	if text, ok := blocks["evidence"]; ok {
		a.act = verify
		a.items = linesOf[item](text)
	}
	a.most = 4
	if m := mostClaims().FindStringSubmatch(blocks["task"]); m != nil {
		n, _ := strconv.Atoi(m[1])
		a.most = max(1, min(a.most, n))
	}
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

// readOwn finds what the seat said earlier.
func (a *asked) readOwn(history []llm.Message) {
	for _, m := range history {
		var own struct {
			Text  string
			Value float64
		}
		if m.Role == llm.Assistant && json.Unmarshal([]byte(m.Text()), &own) == nil {
			a.talked = a.talked || own.Text != ""
			a.earlier = max(a.earlier, own.Value)
		}
	}
}

// earlierVote returns the text of the option in the seat's last ballot or reply before this prompt.
func earlierVote(history []llm.Message) string {
	vote := ""
	var shown []option
	for _, m := range history {
		if m.Role == llm.User {
			if blocks := fence.Blocks(m.Text()); blocks["options"] != "" {
				shown = readOptions(blocks["options"], "")
			}
			continue
		}
		var reply struct{ Option string }
		if json.Unmarshal([]byte(m.Text()), &reply) != nil {
			continue
		}
		for _, o := range shown {
			if o.label == reply.Option {
				vote = o.text
			}
		}
	}
	return vote
}

// readLooks reads what the tools returned, with the calls it answers. A round in which every call failed does not
// count as answered: then the budget is used up, or the tools are of no use.
func (a *asked) readLooks(messages []llm.Message) {
	calls := map[string]llm.Call{}
	for _, m := range messages {
		for _, c := range m.Calls() {
			calls[c.ID] = c
		}
		any := false
		for _, p := range m.Parts {
			r, ok := p.(llm.Result)
			if !ok {
				continue
			}
			if !any {
				a.rounds, a.answered, any = a.rounds+1, false, true
			}
			a.answered = a.answered || !r.Failed
			l := look{tool: r.Name, text: r.Text, failed: r.Failed}
			_ = json.Unmarshal(calls[r.ID].Args, &l.args) // our own arguments, or none
			a.looks = append(a.looks, l)
		}
	}
}
