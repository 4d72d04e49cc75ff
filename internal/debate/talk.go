package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// person is the seat name of a person's claims. It has no vote.
const person = "person"

// Polled reports whether a person wants the votes now: then the talk should end.
func (r *Room) Polled() bool { return r.talks.voteNow }

// Assign gives a seat a side for the rest of the talk, such as "for A": what it says then does not show what it leans to.
func (r *Room) Assign(seat, side string) { r.talks.sides[seat] = side }

// statement is what a seat says in a talk: a text for people, claims and stances for the ledger. Judges never see Text: only claims
// are checked and count.
type statement struct {
	Text     string       `json:"text"`
	Option   string       `json:"option"`
	Position string       `json:"position"`
	Stances  []wireStance `json:"stances"`
	Claims   []wireClaim  `json:"claims"`
}

// spoken is a statement as shown to the others.
type spoken struct {
	seat     string
	Peer     string       `json:"peer"`
	Side     string       `json:"side,omitempty"` // assigned, whatever it thinks
	Says     string       `json:"says"`
	Option   string       `json:"option,omitempty"`
	Position string       `json:"position,omitempty"`
	Stances  []wireStance `json:"stances,omitempty"`
	Claims   []string     `json:"claims,omitempty"` // ids, in the ledger block
}

// Leaning returns the option a seat said it leans to, by the room's letters, and whether it agrees, objects or adds. spoke is false
// if the seat failed to speak; option is empty if it named none.
func (t Turn) Leaning() (option string, position verdict.Verb, spoke bool) {
	st, ok := t.parsed.(statement)
	if t.State != exchange.Answered || !ok {
		return "", "", false
	}
	if _, known := t.Labels[st.Option]; known {
		option = st.Option
	}
	return option, verdict.Verb(st.Position), true
}

// Phase is one round of talk.
type Phase struct {
	Name   string                   // unique in the room
	Task   string                   // instructions for the seat
	Words  int                      // limit of a text in words; 0: 300
	Blind  bool                     // earlier statements are not shown
	Leans  bool                     // each seat says which option it leans to and whether it agrees, and sees the others' leanings
	Detail func(seat string) string // text for one seat below the task; nil: none
}

// words returns the limit of a text. Three hundred words fill a page on a screen.
func (ph Phase) words() int { return cmp.Or(ph.Words, 300) }

// talks is the state of a room's talk.
type talks struct {
	room   *Room
	ledger *tally
	said   []spoken
	shown  map[string]int    // by seat: how many entries of said it was shown
	absent map[string]Turn   // seats that failed to speak, with the failed turn
	opened map[string]bool   // seats that were shown context and question
	leans  map[string]string // the option each seat named last
	sides  map[string]string // the side a seat was assigned, which is not what it leans to
	round  int

	voteNow bool             // a person wants the votes
	guesses map[string]guess // by seat: its last estimate
}

// Talk has seats speak in parallel, each having read what was said since it last spoke, and adds their claims to the ledger. Seats
// that fail are not asked again, and stay in every denominator. Once a person has asked for the votes, Talk does nothing.
func (r *Room) Talk(ctx context.Context, ph Phase, seats ...Seat) ([]Turn, error) {
	if seats = r.Present(seats...); len(seats) == 0 {
		return nil, nil
	}
	point := key(exchange.Talk, ph.Name, seats[0].Info.ID)
	if err := r.people.apply(ctx, "before "+point, !r.journal.passed(point)); err != nil || r.talks.voteNow {
		return nil, err
	}
	turns, err := r.Ask(ctx, exchange.Talk, ph.Name, func(s Seat) Prompt { return r.talks.talkPrompt(ph, s) }, seats...)
	if err != nil {
		return nil, err
	}
	r.talks.round++
	known := len(r.talks.said)
	for _, t := range turns {
		st, ok := t.parsed.(statement)
		if t.State != exchange.Answered || !ok {
			r.talks.absent[t.Seat] = t
			continue
		}
		r.talks.opened[t.Seat] = true
		if !ph.Blind {
			r.talks.shown[t.Seat] = known
		}
		if err := r.talks.enter(ctx, ph, t, st); err != nil {
			return nil, err
		}
	}
	return turns, r.checker.matchQuotes(ctx)
}

// admit adds a statement that arrived after its phase: the others read it from now on, and its seat speaks and votes again.
func (ts *talks) admit(ctx context.Context, late exchange.Reply) error {
	text, err := ts.room.journal.Open(ctx, late.Text)
	if err != nil {
		return err
	}
	st, err := parseStatement(text, false)
	if err != nil {
		return nil // not a statement; it stays in the record as it is
	}
	_, name, _ := strings.Cut(late.Key, "/")
	name = strings.TrimSuffix(name, "/"+late.Seat)
	_, labels := ts.ledger.plainOptions()
	late.State = exchange.Late
	delete(ts.absent, late.Seat)
	ts.opened[late.Seat] = true
	ts.shown[late.Seat] = min(ts.shown[late.Seat], len(ts.said))
	if err := ts.enter(ctx, Phase{Name: name}, Turn{Reply: late, Labels: labels}, st); err != nil {
		return err
	}
	if ask, ok := journal.Happened(ts.room.journal.Book, exchange.AskKind, late.Key); ok {
		a, _ := exchange.AskKind.Of(ask)
		promptText, err := ts.room.journal.Open(ctx, a.Prompt)
		if err != nil {
			return err
		}
		ts.room.asks.remember(late.Seat, Turn{Answer: text, prompt: promptText})
	}
	return nil
}

// Present returns the seats that have not failed to speak.
func (r *Room) Present(seats ...Seat) []Seat {
	return slices.DeleteFunc(slices.Clone(seats), func(s Seat) bool {
		_, gone := r.talks.absent[s.Info.ID]
		return gone
	})
}

func (ts *talks) talkPrompt(ph Phase, s Seat) Prompt {
	options, labels := ts.ledger.plainOptions()
	var b strings.Builder
	if !ts.opened[s.Info.ID] {
		b.WriteString(ts.room.opening(s.Info) + block("options", options) + "\n")
	}
	if !ph.Blind {
		b.WriteString(ts.unread(s.Info.ID))
	}
	task := strings.TrimSpace(ph.Task)
	if ph.Detail != nil {
		task += "\n" + ph.Detail(s.Info.ID)
	}
	shape := strings.NewReplacer("{{words}}", strconv.Itoa(ph.words()), "{{claims}}", strconv.Itoa(ts.room.Frame.Limits.MostClaims()),
		"{{you}}", ts.room.Peer(s.Info.ID)).Replace(page(talkPage))
	b.WriteString(block("task", task+"\n\n"+shape))
	return Prompt{Prompt: b.String(), Labels: labels, Schema: form.Schema[statement](statementValues(sortedKeys(labels),
		ph.Leans)), Reads: true,
		Parse: func(text string) (any, error) { return parseStatement(text, ph.Leans) }}
}

// plainOptions shows the options under their own letters, which must mean the same to all seats of a talk.
func (l *tally) plainOptions() (text string, labels map[string]string) {
	labels = map[string]string{}
	var b strings.Builder
	for _, o := range l.Options {
		labels[o.Key] = o.Key
		fmt.Fprintf(&b, "%s: %s\n", o.Key, o.Text)
	}
	return b.String(), labels
}

// Peer returns the name of a seat that all others see in a talk: it hides the seat's identity and stays the same.
func (r *Room) Peer(seat string) string {
	if seat == person {
		return "Person"
	}
	i := slices.IndexFunc(r.Seats, func(s Seat) bool { return s.Info.ID == seat })
	order := shuffler(r.Frame.Seed, "peers").Perm(len(r.Frame.Seats))
	if i >= 0 && i < len(order) { // seats that joined later come after the others
		i = order[i]
	}
	return fmt.Sprintf("Peer %c", 'A'+i)
}

// unread returns what was said since the seat last spoke, and the claims mentioned there with what code found.
func (ts *talks) unread(seat string) string {
	news := ts.said[ts.shown[seat]:]
	var talk, ledger strings.Builder
	var ids []string
	for _, s := range news {
		if s.seat == seat {
			continue
		}
		talk.WriteString(mustJSON(s) + "\n")
		ids = append(ids, s.Claims...)
		for _, st := range s.Stances {
			ids = append(ids, st.Claim)
		}
	}
	if talk.Len() == 0 {
		return ""
	}
	for _, c := range ts.ledger.Claims {
		if c.SameAs == "" && slices.Contains(ids, c.ID) || slices.ContainsFunc(c.Merged,
			func(id string) bool { return slices.Contains(ids, id) }) {
			ledger.WriteString(mustJSON(ts.ledger.showClaim(c, ts.room.Peer(c.Seat), c.Option)) + "\n")
		}
	}
	out := block("talk", talk.String()) + "\n"
	if ledger.Len() > 0 {
		out += block("ledger", ledger.String()) + "\n"
	}
	return out
}

// maxSpoken limits a text in the ledger, in bytes.
const maxSpoken = 20_000

// With leans it requires a position.
func parseStatement(text string, leans bool) (statement, error) {
	s, err := form.Object[statement](text, "text")
	if err != nil {
		return s, err
	}
	s.Position = strings.ToUpper(strings.TrimSpace(s.Position))
	s.Option = optionKey(s.Option)
	s.Claims = withWords(s.Claims)
	switch {
	case len(strings.Fields(s.Text)) < 2:
		return s, errors.New(`"text" says nothing`)
	case leans && !slices.Contains(positions, verdict.Verb(s.Position)):
		return s, fmt.Errorf(`"position" is %q, which is not one of %s`, clean.OneLine(s.Position, 40), listed(positions))
	}
	return s, nil
}

// enter adds one statement: its text for the others, its stances and claims to the ledger. A claim its seat made before is added
// again only with new evidence.
func (ts *talks) enter(ctx context.Context, ph Phase, t Turn, st statement) error {
	s := spoken{seat: t.Seat, Peer: ts.room.Peer(t.Seat), Side: ts.sides[t.Seat], Says: limitWords(st.Text, ph.words())}
	if ph.Leans {
		s.Position = st.Position
		if _, ok := t.Labels[st.Option]; ok {
			s.Option = st.Option
		}
	}
	if _, ok := t.Labels[st.Option]; ok && s.Side == "" {
		ts.leans[t.Seat] = st.Option
	}
	ts.ledger.Talk = append(ts.ledger.Talk, verdict.Spoken{Seat: t.Seat, Phase: ph.Name, Side: s.Side,
		Text: clean.Short(strings.TrimSpace(st.Text), maxSpoken), Late: t.State == exchange.Late})
	ts.ledger.addStances(t.Seat, st.Stances, ts.everybody())
	for _, w := range st.Stances {
		if ts.ledger.Claim(strings.TrimSpace(w.Claim)) != nil {
			w.Why = clean.OneLine(w.Why, table.MaxClaim)
			s.Stances = append(s.Stances, w)
		}
	}
	if n, most := len(st.Claims), ts.room.Frame.Limits.MostClaims(); n > most {
		text := fmt.Sprintf("%s made %d claims at once; the first %d count", t.Seat, n, most)
		if err := ts.room.journal.note(ctx, "claims/"+t.Key, text); err != nil {
			return err
		}
		st.Claims = st.Claims[:most]
	}
	for i, w := range st.Claims {
		if again := ts.ledger.repeats(t.Seat, w); again != "" {
			text := t.Seat + " repeated " + again + " without new evidence; it is not discussed again"
			if err := ts.room.journal.note(ctx, "loop/"+t.Key+"/"+strconv.Itoa(i), text); err != nil {
				return err
			}
			continue
		}
		c := ts.ledger.addClaim(t.Seat, w, t.Labels, "", ts.round)
		c.Put = true
		s.Claims = append(s.Claims, c.ID)
	}
	ts.said = append(ts.said, s)
	return nil
}

// everybody returns the authors whose claims can be discussed.
func (ts *talks) everybody() []string { return append([]string{person}, ts.room.people.names()...) }

// repeats finds the seat's own earlier claim that w only repeats. It is empty if there is none.
func (l *tally) repeats(seat string, w wireClaim) string {
	for _, c := range l.Claims {
		if c.Seat == seat && alike(c.Text, w.Text) {
			e, had := l.evidence(seat, w.Evidence), c.Evidence
			if e.Kind == "none" || e.Kind == had.Kind && e.File == had.File && motion.Plain(e.Quote) == motion.Plain(had.Quote) {
				return c.ID
			}
		}
	}
	return ""
}

// limitWords cuts a text at the end of the last sentence within n words and says how long it was. Claims are never cut.
func limitWords(text string, n int) string {
	words := strings.Fields(text)
	if len(words) <= n {
		return strings.TrimSpace(text)
	}
	kept := strings.Join(words[:n], " ")
	if end := strings.LastIndexAny(kept, ".!?"); end > len(kept)/2 {
		kept = kept[:end+1]
	}
	return fmt.Sprintf("%s […cut from %d words]", kept, len(words))
}

// Conclude ends the talk: every seat votes alone, and claims are checked as in every debate.
func (r *Room) Conclude(ctx context.Context) error {
	prompt := func(s Seat) Prompt {
		options, labels := r.ledger.plainOptions()
		var b strings.Builder
		if !r.talks.opened[s.Info.ID] {
			b.WriteString(r.opening(s.Info))
		}
		b.WriteString(r.talks.unread(s.Info.ID) + block("options", options) + "\n")
		b.WriteString(block("task", page(ballotPage)+"\n\n"+ballotForm(r.Frame.Limits, "")))
		return ballotPrompt(b.String(), labels, 0)
	}
	var turns []Turn
	// The loop ends because each round asks only seats that have not voted.
	for round := 0; ; round++ { // seats that join or arrive late meanwhile vote after the others
		waiting := slices.DeleteFunc(r.Present(r.Seats...), func(s Seat) bool {
			return slices.ContainsFunc(turns, func(t Turn) bool { return t.Seat == s.Info.ID })
		})
		if len(waiting) == 0 {
			break
		}
		more, err := r.Ask(ctx, exchange.Ballot, strconv.Itoa(round), prompt, waiting...)
		if err != nil {
			return err
		}
		turns = append(turns, more...)
	}
	var all []Turn
	for _, s := range r.Seats {
		if i := slices.IndexFunc(turns, func(t Turn) bool { return t.Seat == s.Info.ID }); i >= 0 {
			all = append(all, turns[i])
		} else if gone, ok := r.talks.absent[s.Info.ID]; ok {
			all = append(all, gone)
		}
	}
	if err := r.ledger.count(ctx, all); err != nil {
		return err
	}
	r.ledger.voteByLeaning(all, r.talks.leans)
	if err := r.Snapshot(ctx); err != nil {
		return err
	}
	return r.Verify(ctx, r.Usable(turns))
}

// Abort ends the debate without a vote and without a decision: what seats leaned to counts as their votes.
func (r *Room) Abort(ctx context.Context, why string) error {
	r.ledger.Aborted = why
	var turns []Turn
	for _, s := range r.Seats {
		t, gone := r.talks.absent[s.Info.ID]
		if !gone {
			t = Turn{Reply: exchange.Reply{Seat: s.Info.ID, State: exchange.Stopped, Reason: "the panel was aborted"}}
		}
		turns = append(turns, t)
	}
	if err := r.ledger.count(ctx, turns); err != nil {
		return err
	}
	r.ledger.voteByLeaning(turns, r.talks.leans)
	for i, t := range turns {
		if v := &r.ledger.Votes[i]; t.State == exchange.Stopped && v.Status != verdict.Voted {
			v.Status, v.Reason = verdict.Abstained, "it leaned to no option"
		}
	}
	return r.Snapshot(ctx)
}

// voteByLeaning counts what a seat leaned to as its vote, if the room ended before it could be asked for one.
func (l *tally) voteByLeaning(turns []Turn, leans map[string]string) {
	for _, t := range turns {
		lean := leans[t.Seat]
		i := slices.IndexFunc(l.Votes, func(v verdict.Vote) bool { return v.Seat == t.Seat })
		if i < 0 || lean == "" || t.State != exchange.Stopped && t.State != exchange.NotAsked {
			continue
		}
		v := &l.Votes[i]
		v.Status, v.Option, v.Reason = verdict.Voted, lean, "its last word in the talk; "+t.Reason
	}
}
