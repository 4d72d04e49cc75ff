package scene

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/clock"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Seat is a seat at the table as it stands.
// Busy and State are of the question at hand; Usage and Calls of all replies that have come.
type Seat struct {
	Info   table.Seat
	Busy   bool
	State  string // of the question at hand, else how the last one ended
	Note   string
	Turns  []*Turn // what it was asked, and what it answered
	Usage  cost.Usage
	Steps  cost.Usage // of the calls behind the answer that has not come
	Calls  int
	Took   time.Duration // of what has ended
	Since  time.Time     // when the question at hand was put
	Tokens int           // estimated, of the answer that grows
	Out    bool          // a person dropped it
}

// Turn is one question to a seat and its answer.
type Turn struct {
	Ask    tree.ID
	At     time.Time
	Asked  exchange.Asked
	Reply  *exchange.Reply // nil: it has not come
	Text   string          // as far as it is known
	Blob   string          // the hash of the whole text; empty once Text is whole
	Calls  []string        // tools it used, in a line each
	Shown  string          // Text as a person reads it
	shown  string          // what Shown was made of
	labels map[string]string
}

// Room is a debate as it stands.
// Make one with NewRoom. It keeps all nodes, since Result sums up the whole record.
type Room struct {
	Root   tree.ID
	Frame  table.Frame
	Seats  []*Seat
	Stage  string
	Paused bool
	Need   *people.Need // what a person is needed for; nil: nothing
	Lines  []Remark     // what happened, in order
	Spoken []Speech     // what seats and persons said, in order
	Clock  clock.Clock
	End    *ruling.End
	// Verdict is the newest, and Decided its node; empty: there is none.
	Verdict verdict.Verdict
	Decided tree.ID
	// Rev changes whenever something does.
	Rev int

	nodes    []tree.Node
	asks     map[tree.ID]*Turn
	messages map[tree.ID]people.Message
	said     []tree.ID // of messages that were not applied yet
	seats    map[string]*Seat
	result   debate.Result
	summed   int // of nodes that result was made of
	options  []verdict.Option
	changed  string // the newest stage that changed how it stands
	ledger   verdict.Ledger
	stood    []stood // what the moves are not made of yet
	moves    []Move
}

// Remark is a line of what happened.
type Remark struct {
	At   time.Duration // on the debate's clock
	Node tree.ID
	Who  string // a seat's id, "you", or empty: the program
	Text string
	Bad  bool
}

// Speech is one answer of a seat or one message of a person.
type Speech struct {
	Turn    *Turn           // what the seat was asked; nil: a person speaks, or the record lacks the question
	Reply   *exchange.Reply // nil: a person speaks
	Late    bool            // of Reply: the room had gone on
	Message people.Message
}

// NewRoom makes a scene of nothing.
func NewRoom() *Room {
	return &Room{asks: map[tree.ID]*Turn{}, messages: map[tree.ID]people.Message{}, seats: map[string]*Seat{}}
}

// stages are what the acts are called in front of people.
var stages = map[exchange.Act]string{exchange.Propose: "options", exchange.Blind: "blind ballots", exchange.Verify: "checking evidence",
	exchange.Cross: "cross-examination", exchange.Talk: "talk", exchange.Ballot: "votes", exchange.Ready: "readiness",
	exchange.Moderate: "moderator", exchange.Guess: "estimates"}

// Stage is what the stage of a question is called in front of people.
func Stage(a exchange.Asked) string {
	parts := strings.Split(a.Key, "/")
	if a.Act != exchange.Talk || len(parts) != 3 {
		return stages[a.Act]
	}
	if _, err := strconv.Atoi(parts[1]); err == nil {
		return "talk, round " + parts[1]
	} else if parts[1] == "seed" {
		return "first statements"
	}
	return "talk, " + parts[1]
}

// Came is how a question to a seat ended, as people read it: its stage, and what became of it.
func Came(a exchange.Reply) string {
	came := string(a.State) + after(" (", a.Reason) + map[bool]string{true: ")"}[a.Reason != ""]
	if strings.HasPrefix(a.Reason, string(a.State)+" ") { // dropped by a person
		came = a.Reason
	}
	return Stage(exchange.Asked{Key: a.Key, Act: a.Act}) + ": " + came
}

// Node takes in a node that was committed, and returns what RoomBody makes of it.
func (r *Room) Node(n tree.Node) any {
	r.nodes = append(r.nodes, n)
	r.Rev++
	r.Clock.Node(n)
	body := RoomBody(n)
	if c := change(body); c != "" {
		r.changed = c
	}
	switch b := body.(type) {
	case table.Frame:
		r.frame(n, b)
	case table.Options:
		r.options = b.Options
	case exchange.Asked:
		r.ask(n, b)
	case exchange.Step:
		r.step(n, b)
	case exchange.Reply:
		r.reply(n, b)
	case verdict.Check:
		r.Stage = checksStage
		r.say(n, "", "check "+b.ID+" ("+b.Kind+" of "+b.Claim+"): "+b.Result+after(", ", b.Detail), b.Result == verdict.Fail)
	case verdict.Ledger:
		r.stood = append(r.stood, stood{b, r.changed})
	case ruling.Note:
		r.say(n, "", b.Text, false)
	case Addendum:
		r.Spoken = append(r.Spoken, Speech{Turn: r.asked(n, b.Reply), Reply: &b.Reply, Late: true})
	case people.Message:
		r.Spoken = append(r.Spoken, Speech{Message: b})
		r.messages[n.ID], r.said = b, append(r.said, n.ID)
	case people.Applied:
		r.apply(n, b)
	case people.Need:
		r.Need, r.Stage = &b, "waiting for you"
		r.say(n, "", "needs your call: "+b.Text, true)
	case ruling.After:
		r.after(n, b)
	case verdict.Verdict:
		r.Stage, r.Need, r.Paused = "decided", nil, false
		r.Verdict, r.Decided = b, n.ID
	case ruling.End:
		r.End, r.Stage, r.Need, r.Paused = &b, "ended", nil, false
	}
	return body
}

func (r *Room) after(n tree.Node, a ruling.After) {
	switch {
	case a.Shared != "":
		r.say(n, "you", "context add "+a.Shared+": shared with the follow-up debate", false)
	case a.Followed != "":
		r.say(n, "", "followed up by "+a.Followed, false)
	default:
		r.say(n, "", "execution: "+a.Says(), a.State != "done")
	}
}

func (r *Room) frame(n tree.Node, f table.Frame) {
	r.Root, r.Frame, r.Stage, r.options = n.ID, f, "setup", f.Options
	if f.Follows != "" {
		r.say(n, "", "follows up "+f.Follows, false)
	}
	for _, s := range f.Seats {
		r.sit(s)
	}
	if f.Judge != nil {
		r.seats[f.Judge.ID] = &Seat{Info: *f.Judge, State: "waiting"} // it judges, and has no place at the table
	}
}

func after(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}

func (r *Room) sit(s table.Seat) {
	if r.seats[s.ID] == nil {
		r.seats[s.ID] = &Seat{Info: s, State: "waiting"}
		r.Seats = append(r.Seats, r.seats[s.ID])
	}
}

func (r *Room) ask(n tree.Node, a exchange.Asked) {
	r.Stage = Stage(a)
	t := &Turn{Ask: n.ID, At: n.At, Asked: a, labels: a.Labels}
	r.asks[n.ID] = t
	if s := r.seats[a.Seat]; s != nil {
		s.Turns = append(s.Turns, t)
		s.Busy, s.State, s.Note, s.Since, s.Tokens = true, "thinking", "", n.At, 0
	}
}

func (r *Room) step(n tree.Node, x exchange.Step) {
	s, t := r.seats[n.By], r.asks[n.Parent]
	if s == nil {
		return
	}
	s.Steps = s.Steps.Add(x.Usage)
	for _, m := range x.Messages {
		for _, c := range m.Calls() {
			if t != nil {
				t.Calls = append(t.Calls, c.Name+" "+string(c.Args))
			}
		}
	}
}

func (r *Room) reply(n tree.Node, a exchange.Reply) {
	t := r.asked(n, a)
	r.Spoken = append(r.Spoken, Speech{Turn: t, Reply: &a})
	if t != nil {
		t.Reply, t.Blob = &a, a.Text
	}
	s := r.seats[a.Seat]
	if s == nil {
		return
	}
	s.Busy, s.State, s.Note, s.Tokens = false, string(a.State), a.Reason, 0
	// A seat that could not judge is not a seat that could not answer.
	if a.Act == exchange.Verify && a.State != exchange.Answered && a.State != exchange.Dropped && s.answered() { // its ballot stands
		s.State, s.Note = string(exchange.Answered), "its ballot counts, its checks do not ("+string(a.State)+after(": ", a.Reason)+")"
	}
	s.Usage, s.Steps, s.Calls = s.Usage.Add(a.Took()), cost.Usage{}, s.Calls+a.Calls
	s.Took += time.Duration(a.MS) * time.Millisecond
	r.say(n, a.Seat, Came(a), a.State != exchange.Answered)
}

// asked is the question that a reply answers; nil: there is none in the record.
// A reply of an older record hangs from the stage, and not from its question.
func (r *Room) asked(n tree.Node, a exchange.Reply) *Turn {
	if t := r.asks[n.Parent]; t != nil {
		return t
	}
	var found *Turn
	for _, t := range r.asks {
		if t.Asked.Key == a.Key && (found == nil || found.Reply != nil && t.Reply == nil) {
			found = t
		}
	}
	return found
}

// answered says whether a seat has answered anything that counts.
func (s *Seat) answered() bool {
	return slices.ContainsFunc(s.Turns, func(t *Turn) bool { return t.Reply != nil && t.Reply.State == exchange.Answered })
}

// Examined says whether a seat has answered to the claims of the others.
func (r *Room) Examined() bool {
	return slices.ContainsFunc(r.Seats, func(s *Seat) bool {
		return slices.ContainsFunc(s.Turns, func(t *Turn) bool { return t.Asked.Act == exchange.Cross && t.Reply != nil })
	})
}

// Pending are the messages that nothing came of yet, in the order they were said.
func (r *Room) Pending() (out []people.Message) {
	if r.End != nil {
		return nil
	}
	for _, id := range r.said {
		out = append(out, r.messages[id])
	}
	return out
}

// Waits is what the person is asked and has not answered yet. A choice or a word to go on answers it, whether the debate has read
// it yet or not.
func (r *Room) Waits() (need people.Need, ok bool) {
	answers := func(m people.Message) bool { return m.Verb == people.Choose || m.Verb == people.Go }
	if r.Need == nil || slices.ContainsFunc(r.Pending(), answers) {
		return need, false
	}
	return *r.Need, true
}

// Questions is how many questions seats and the judge were asked.
func (r *Room) Questions() int { return len(r.asks) }

func (r *Room) apply(n tree.Node, h people.Applied) {
	r.said = slices.DeleteFunc(r.said, func(id tree.ID) bool { return string(id) == h.Message })
	if h.Seat != nil {
		r.sit(*h.Seat)
	}
	switch {
	case h.Refused:
	case h.Verb == people.Pause:
		r.Paused, r.Stage = true, "paused"
	case h.Verb == people.Go:
		r.Paused, r.Need = false, nil
	case h.Verb == people.Choose:
		r.Need = nil
	case h.Verb == people.Drop:
		if s := r.seats[r.messages[tree.ID(h.Message)].Seat]; s != nil {
			s.Out = true
		}
	}
	said := h.Verb
	if h.Text != "" {
		said += " “" + h.Text + "”"
	}
	r.say(n, "you", said+": "+h.Done, h.Refused)
}

func (r *Room) say(n tree.Node, who, text string, bad bool) {
	r.Lines = append(r.Lines, Remark{At: r.Clock.Took(), Node: n.ID, Who: who, Text: text, Bad: bad})
}

// Growing takes in what is growing; it says whether something changed.
func (r *Room) Growing(all map[tree.ID]feed.Snapshot) (changed bool) {
	for of, g := range all {
		if of == r.Root && g.State == debate.Preparing && r.Stage != g.Note && len(r.asks) == 0 {
			r.Stage, changed = g.Note, true
		}
		t := r.asks[of]
		if t == nil || t.Reply != nil {
			continue
		}
		s := r.seats[t.Asked.Seat]
		if s == nil || s.State == g.State && s.Note == g.Note && t.Text == g.Text {
			continue
		}
		s.State, s.Note, s.Tokens, t.Text = g.State, g.Note, g.Usage, g.Text
		changed = true
	}
	if changed {
		r.Rev++
	}
	return changed
}

// Wanted are the hashes of texts that are not known whole yet.
// They come in no order.
func (r *Room) Wanted() (out []string) {
	for _, t := range r.asks {
		if t.Blob != "" {
			out = append(out, t.Blob)
		}
	}
	return out
}

// Texts takes in texts by their hash.
func (r *Room) Texts(texts map[string]string) {
	for _, t := range r.asks {
		if text, ok := texts[t.Blob]; ok && t.Blob != "" {
			t.Text, t.Blob = text, ""
			r.Rev++
		}
	}
}

// Read is what a seat said in a turn as a person reads it.
func (r *Room) Read(t *Turn) string {
	if t.shown != t.Text || t.Shown == "" {
		t.shown, t.Shown = t.Text, Readable(t.Text, t.labels, r.options)
	}
	return t.Shown
}

// Given is the hash of what all seats are given to read; empty: nothing.
func (r *Room) Given() string {
	if all := table.ContextKind.All(r.nodes); len(all) > 0 {
		return all[0].Text
	}
	return ""
}

// Options are the answers on offer.
func (r *Room) Options() []verdict.Option { return r.options }

// Result is what the debate came to, or would come to if it ended now.
// It is computed again only if nodes have come since: code decides in milliseconds, but a screen asks many times a
// second.
func (r *Room) Result() debate.Result {
	if r.summed != len(r.nodes) {
		r.summed = len(r.nodes)
		r.result, _ = debate.Summarize(r.nodes) // without a frame there is nothing to summarize
	}
	return r.result
}
