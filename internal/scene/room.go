package scene

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Seat is the state of a seat at the table. Busy and State refer to the current question; Usage and Calls to all replies so far.
type Seat struct {
	Info   table.Seat
	Busy   bool
	State  string // of the current question, else how the last one ended
	Note   string
	Turns  []*Turn // its questions and answers
	Usage  cost.Usage
	Steps  cost.Usage // of the calls behind an answer that is not finished
	Calls  int
	Took   time.Duration // of the questions that have ended
	Since  time.Time     // when the current question was asked
	Tokens int           // estimated, of the growing answer
	Out    bool          // a person dropped it
}

// Turn is one question to a seat and its answer.
type Turn struct {
	Ask    tree.ID
	At     time.Time
	Asked  exchange.Asked
	Reply  *exchange.Reply // nil: there is none yet
	Text   string          // as much as is known
	Blob   string          // the hash of the whole text; empty once Text is whole
	Calls  []string        // tools it used, in a line each
	Shown  string          // Text as a person reads it
	shown  string          // the Text from which Shown was made
	labels map[string]string
}

// Room is the state of a debate. Make one with NewRoom. It keeps all nodes, since Result summarizes the whole record.
type Room struct {
	Root   tree.ID
	Frame  table.Frame
	Seats  []*Seat
	Stage  string
	Paused bool
	Need   *people.Need // why a person is needed; nil: none is
	Lines  []Remark     // what happened, in order
	Spoken []Speech     // what seats and persons said, in order
	Clock  clock.Clock
	End    *ruling.End
	// Verdict is the newest verdict, and Decided its node; empty: there is none.
	Verdict verdict.Verdict
	Decided tree.ID
	// Rev changes whenever anything does.
	Rev int

	nodes    []tree.Node
	asks     map[tree.ID]*Turn
	messages map[tree.ID]people.Message
	said     []tree.ID // messages that were not applied yet
	seats    map[string]*Seat
	result   debate.Result
	summed   int // number of nodes that result was made from
	options  []verdict.Option
	changed  string // the newest stage that changed the state
	ledger   verdict.Ledger
	stood    []stood // ledgers not yet turned into moves
	moves    []Move
}

// Remark is one line of the log.
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

// NewRoom returns an empty scene.
func NewRoom() *Room {
	return &Room{asks: map[tree.ID]*Turn{}, messages: map[tree.ID]people.Message{}, seats: map[string]*Seat{}}
}

// stages are the names of acts for people.
var stages = map[exchange.Act]string{exchange.Propose: "options", exchange.Blind: "blind ballots", exchange.Verify: "checking evidence",
	exchange.Cross: "cross-examination", exchange.Talk: "talk", exchange.Ballot: "votes", exchange.Ready: "readiness",
	exchange.Moderate: "moderator", exchange.Guess: "estimates"}

// Stage is the name of a question's stage for people.
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

// Came says how a question to a seat ended: its stage and the result.
func Came(a exchange.Reply) string {
	came := string(a.State) + after(" (", a.Reason) + map[bool]string{true: ")"}[a.Reason != ""]
	if strings.HasPrefix(a.Reason, string(a.State)+" ") { // dropped by a person
		came = a.Reason
	}
	return Stage(exchange.Asked{Key: a.Key, Act: a.Act}) + ": " + came
}

// Node adds a committed node, and returns its RoomBody.
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
		r.seats[f.Judge.ID] = &Seat{Info: *f.Judge, State: "waiting"} // it judges, and does not sit at the table
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

// called is a seat's call as people read it: the tool, what it is about, and which lines.
func called(c llm.Call) string {
	about := c.Gist()
	var lines struct{ From, To int }
	if json.Unmarshal(c.Args, &lines) == nil && about != "" && lines.From > 0 {
		about += fmt.Sprintf(":%d", lines.From)
		if lines.To > lines.From {
			about += fmt.Sprintf("-%d", lines.To)
		}
	}
	return c.Name + " " + cmp.Or(about, string(c.Args))
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
				t.Calls = append(t.Calls, called(c))
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
	// A seat that could not judge may still have answered: its ballot counts.
	if a.Act == exchange.Verify && a.State != exchange.Answered && a.State != exchange.Dropped && s.answered() { // its ballot counts
		s.State, s.Note = string(exchange.Answered), "its ballot counts, its checks do not ("+string(a.State)+after(": ", a.Reason)+")"
	}
	s.Usage, s.Steps, s.Calls = s.Usage.Add(a.Took()), cost.Usage{}, s.Calls+a.Calls
	s.Took += time.Duration(a.MS) * time.Millisecond
	r.say(n, a.Seat, Came(a), a.State != exchange.Answered)
}

// asked returns the question that a reply answers; nil: the record has none. In older records the parent of a reply is
// the stage, not its question.
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

// answered reports whether a seat has given an answer that counts.
func (s *Seat) answered() bool {
	return slices.ContainsFunc(s.Turns, func(t *Turn) bool { return t.Reply != nil && t.Reply.State == exchange.Answered })
}

// Examined reports whether a seat has replied to the claims of the others.
func (r *Room) Examined() bool {
	return slices.ContainsFunc(r.Seats, func(s *Seat) bool {
		return slices.ContainsFunc(s.Turns, func(t *Turn) bool { return t.Asked.Act == exchange.Cross && t.Reply != nil })
	})
}

// Pending returns the messages that have had no effect yet, in the order they were sent.
func (r *Room) Pending() (out []people.Message) {
	if r.End != nil {
		return nil
	}
	for _, id := range r.said {
		out = append(out, r.messages[id])
	}
	return out
}

// Waits returns the question that the person has not answered yet. A choice or a message to continue answers it, whether or not the debate
// has read it yet.
func (r *Room) Waits() (need people.Need, ok bool) {
	answers := func(m people.Message) bool { return m.Verb == people.Choose || m.Verb == people.Go }
	if r.Need == nil || slices.ContainsFunc(r.Pending(), answers) {
		return need, false
	}
	return *r.Need, true
}

// Questions is how many questions the seats and the judge were asked.
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

// Growing updates the growing texts; it reports whether something changed.
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

// Wanted returns the hashes of texts that are not known completely yet, in no order.
func (r *Room) Wanted() (out []string) {
	for _, t := range r.asks {
		if t.Blob != "" {
			out = append(out, t.Blob)
		}
	}
	return out
}

// Texts adds complete texts, by their hash.
func (r *Room) Texts(texts map[string]string) {
	for _, t := range r.asks {
		if text, ok := texts[t.Blob]; ok && t.Blob != "" {
			t.Text, t.Blob = text, ""
			r.Rev++
		}
	}
}

// Read returns what a seat said in a turn, as a person reads it.
func (r *Room) Read(t *Turn) string {
	if t.shown != t.Text || t.Shown == "" {
		t.shown, t.Shown = t.Text, Readable(t.Text, t.labels, r.options)
	}
	return t.Shown
}

// Given is the hash of the context that all seats get; empty: there is none.
func (r *Room) Given() string {
	if all := table.ContextKind.All(r.nodes); len(all) > 0 {
		return all[0].Text
	}
	return ""
}

// Options are the answers that can be voted for.
func (r *Room) Options() []verdict.Option { return r.options }

// Result is the result of the debate, or the one it would have if it ended now. It is computed again only if there are
// new nodes: code decides in milliseconds, but a screen asks many times a second.
func (r *Room) Result() debate.Result {
	if r.summed != len(r.nodes) {
		r.summed = len(r.nodes)
		r.result, _ = debate.Summarize(r.nodes) // without a frame there is nothing to summarize
	}
	return r.result
}
