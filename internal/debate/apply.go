package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// errDropped is the cause a seat's turn ends for when a person drops the seat.
var errDropped = errors.New("dropped by a person")

// Told is a message with its node.
type Told struct {
	ID      tree.ID
	Message people.Message
}

// peopleInput is what a room knows of the people at its table.
type peopleInput struct {
	room    *Room
	ledger  *tally
	pending []Told // came while seats were asked
	asides  []string
	told    map[string]int // by seat: how many asides it was told
	dropped map[string]bool
	joined  []string // seats that joined and have no vote yet
}

// receive takes in a message that comes while seats are asked: what concerns a running turn works at once, all is applied
// at the next place.
func (p *peopleInput) receive(t Told) {
	p.room.running.applyNow(t)
	p.pending = append(p.pending, t)
}

// apply does what people said until now. fresh is false where everything that follows is recorded already: then only
// what was applied here the first time is applied.
// It is called between questions, by the goroutine that runs the strategy. place names where, and stays the same in
// every run.
func (p *peopleInput) apply(ctx context.Context, point string, fresh bool) error {
	for _, applied := range p.room.journal.appliedAt(point) {
		// A late statement stands among the messages that were applied here: it is admitted where it was the first time.
		if late, ok := journal.Recall(p.room.journal.Book, exchange.AddendumKind, applied.Message); ok {
			if err := p.room.talks.admit(ctx, late); err != nil {
				return err
			}
			continue
		}
		if t, ok := p.room.journal.message(tree.ID(applied.Message)); ok && !applied.Refused {
			if _, err := p.perform(ctx, t, applied.Seat); err != nil {
				return err
			}
		}
	}
	if p.room.journal.Sealed || !fresh {
		return nil
	}
	for {
		t, ok := p.next()
		if !ok {
			return p.admitLate(ctx, point)
		}
		if err := p.applyOne(ctx, point, t); err != nil {
			return err
		}
	}
}

// admitLate admits the statements that came since, and records that.
func (p *peopleInput) admitLate(ctx context.Context, point string) error {
	for _, l := range p.room.running.takeLate() {
		applied := people.Applied{Message: l.Key, Point: point, Verb: people.LateVerb,
			Done: l.Seat + " answered late; its answer counts from now on, and it keeps speaking and voting"}
		if err := p.room.journal.Add(ctx, people.AppliedKind.New(p.room.journal.parent(), "code", applied)); err != nil {
			return err
		}
		if err := p.room.talks.admit(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// next is the oldest message that was not applied yet. It never waits.
func (p *peopleInput) next() (Told, bool) {
	for {
		var t Told
		if len(p.pending) > 0 {
			t, p.pending = p.pending[0], p.pending[1:]
		} else {
			select {
			case t = <-p.room.Messages:
			default:
				return Told{}, false
			}
		}
		if !p.room.journal.isApplied(t.ID) {
			return t, true
		}
	}
}

// applyOne applies one message and records what came of it.
// A message that cannot be applied is recorded as refused, with the reason; it is no error of the room.
func (p *peopleInput) applyOne(ctx context.Context, point string, t Told) error {
	applied, err := p.perform(ctx, t.Message, nil)
	if err != nil {
		applied.Done, applied.Refused = err.Error(), true
	}
	if point == lastPoint && !applied.Refused {
		applied.Done, applied.Refused = p.outcomeAtEnd(t, applied.Done)
	}
	applied.Message, applied.Point, applied.Verb, applied.Text = string(t.ID), point, t.Message.Verb, t.Message.Gist()
	if err := p.room.journal.Add(ctx, people.AppliedKind.New(t.ID, "code", applied)); err != nil {
		return err
	}
	if t.Message.Verb == people.Pause {
		return p.pause(ctx, point)
	}
	return nil
}

// outcomeAtEnd is what came of a message that was applied after the last question. What it changed at once is no refusal.
func (p *peopleInput) outcomeAtEnd(t Told, done string) (what string, refused bool) {
	switch t.Message.Verb {
	case people.Say, people.Share, people.Poll, people.Drop, people.Deadline:
		if p.room.running.appliedNow(t.ID) {
			return done, false
		}
		if _, asked := journal.Happened(p.room.journal.Book, people.NeedKind, lastPoint); asked && p.ledger.Ruling == nil {
			return "seats are no longer asked; " + howToChoose(p.ledger.Options), true
		}
		return "too late: no seat was asked again", true
	case people.Assert:
		return strings.Replace(done, "is shown to the seats", "is recorded, too late to be shown to the seats", 1), false
	}
	return done, false
}

// perform does what a message asks. sat is who sat down when it was applied first. An error is a refusal to be told.
func (p *peopleInput) perform(ctx context.Context, message people.Message, sat *table.Seat) (people.Applied, error) {
	switch message.Verb {
	case people.Say:
		p.asides = append(p.asides, message.Text)
		return people.Applied{Done: "sent to all seats"}, nil
	case people.Share:
		p.asides = append(p.asides, "The file "+message.File+":\n"+block("file", message.Text))
		return people.Applied{Done: message.File + " is shown to all seats"}, nil
	case people.Pause:
		return people.Applied{Done: "paused"}, nil
	case people.Go:
		return people.Applied{Done: "resumed"}, nil
	case people.Answer:
		return people.Applied{Done: "deciding now"}, nil
	case people.Drop:
		if p.room.seat(message.Seat) == nil {
			return people.Applied{}, p.noSeat(message.Seat)
		}
		p.dropped[message.Seat] = true
		return people.Applied{Done: message.Seat + " is dropped"}, nil
	case people.Join:
		return p.join(ctx, message, sat)
	case people.Deadline:
		if message.Seat != "all" && p.room.seat(message.Seat) == nil {
			return people.Applied{}, p.noSeat(message.Seat)
		}
		p.room.running.limit(message.Seat, message.Limit)
		return people.Applied{Done: fmt.Sprintf("%s has %s per turn", message.Seat, message.Limit)}, nil
	case people.Assert:
		return p.ledger.assert(message)
	case people.Veto:
		c := p.ledger.Claim(message.Claim)
		if c == nil {
			return people.Applied{}, fmt.Errorf("no claim %s", message.Claim)
		}
		c.Vetoed = cmp.Or(message.Text, "no reason given")
		return people.Applied{Done: "claim " + c.ID + " is vetoed: " + c.Vetoed}, nil
	case people.Poll:
		p.room.talks.voteNow = true
		return people.Applied{Done: p.standing()}, nil
	case people.Choose:
		return p.ledger.choose(message)
	}
	return people.Applied{}, fmt.Errorf("unknown command %s", message.Verb)
}

func (p *peopleInput) noSeat(name string) error {
	return fmt.Errorf("no seat %s; the seats are %s", name, strings.Join(p.names(), ", "))
}

func (p *peopleInput) names() []string {
	var out []string
	for _, s := range p.room.Seats {
		out = append(out, s.Info.ID)
	}
	return out
}

// In a replay the seat sits down from the record and has no model: it answers from there, too.
func (p *peopleInput) join(ctx context.Context, message people.Message, sat *table.Seat) (people.Applied, error) {
	s := Seat{Dir: p.room.Frame.Dir}
	if sat != nil {
		s.Info = *sat
	}
	if p.room.Sit != nil && !p.room.journal.Sealed {
		made, err := p.room.Sit(ctx, message.Spec, p.names())
		if err != nil {
			return people.Applied{}, err
		}
		if s = made; sat != nil {
			s.Info = *sat
		}
	} else if sat == nil {
		return people.Applied{}, errors.New("seats cannot join here")
	}
	p.room.Seats = append(slices.Clone(p.room.Seats), s)
	p.joined = append(p.joined, s.Info.ID)
	return people.Applied{Done: s.Info.ID + " joined", Seat: &s.Info}, nil
}

// assert enters a claim of a person. It stands under the name person, which has no vote, so it counts for no lineage.
func (l *tally) assert(message people.Message) (people.Applied, error) {
	_, labels := l.plainOptions()
	wire := wireClaim{Text: message.Text, Kind: "approach", Impact: 5, Supports: !message.Against}
	if message.Option != "" {
		if wire.Option = OptionOf(l.Ledger, message.Option); wire.Option == "" {
			return people.Applied{}, l.noOption(message.Option)
		}
	}
	if message.File != "" {
		wire.Evidence = wireEvidence{Kind: "quote", File: message.File, Line: &message.Line, Quote: message.Quote}
	}
	c := l.addClaim(person, wire, labels, "", 0)
	return people.Applied{Done: "claim " + c.ID + " is shown to the seats"}, nil
}

// OptionOf finds an option by its key or its text. It is empty if there is none.
func OptionOf(l verdict.Ledger, name string) string {
	for _, o := range l.Options {
		if o.Key == optionKey(name) || motion.Plain(o.Text) == motion.Plain(name) {
			return o.Key
		}
	}
	return ""
}

// choose records a person's ruling. Whether it decides is the verdict's: it does where the panel leaves the choice to
// a person.
func (l *tally) choose(message people.Message) (people.Applied, error) {
	if l.Ruling != nil {
		return people.Applied{}, fmt.Errorf("%s was already chosen; a choice is final", l.Ruling.Option)
	}
	key := OptionOf(l.Ledger, message.Option)
	if key == "" {
		return people.Applied{}, l.noOption(message.Option)
	}
	l.Ruling = &verdict.Ruling{Option: key, Why: message.Text}
	return people.Applied{Done: "the person chooses " + key + " if the panel leaves the decision to a person"}, nil
}

func (l *tally) noOption(name string) error {
	if len(l.Options) == 0 {
		return fmt.Errorf("no option %s: there are no options yet", name)
	}
	return fmt.Errorf("no option %s; the options are %s", name, lettersOf(l.Options))
}

func lettersOf(options []verdict.Option) string {
	var all []string
	for _, o := range options {
		all = append(all, o.Key)
	}
	return strings.Join(all, ", ")
}

// howToChoose tells a person what to say who is asked to choose and said something else.
func howToChoose(options []verdict.Option) string {
	return "choose with /choose " + options[0].Key + " REASON (options: " + lettersOf(options) + "), or leave it undecided with /go"
}

// standing says in a line how the ledger would be decided now.
func (p *peopleInput) standing() string {
	if len(p.ledger.Votes) == 0 {
		return "no votes yet" + leaningCounts(p.room.talks.said)
	}
	v := verdict.Decide(p.ledger.Ledger, p.room.Frame.Rules)
	if !v.Outcome.Decision() {
		return fmt.Sprintf("standing: %s, %s", v.Outcome, v.Reason)
	}
	return fmt.Sprintf("standing: %s for %s, probability %.0f %%, %s", v.Outcome, v.Winner, 100*v.Chance(), v.Reason)
}

// leaningCounts says to which options seats said they lean, where they say so.
func leaningCounts(said []spoken) string {
	last := map[string]string{}
	for _, s := range said {
		if s.Option != "" {
			last[s.seat] = strings.TrimSpace(s.Option + " " + s.Position)
		}
	}
	if len(last) == 0 {
		return ""
	}
	count := map[string]int{}
	for _, lean := range last {
		count[lean]++
	}
	var out []string
	for _, lean := range sortedKeys(count) {
		out = append(out, fmt.Sprintf("%d for %s", count[lean], lean))
	}
	return "; seats lean " + strings.Join(out, ", ")
}

// asideFor is what people said that the seat was not told yet.
func (p *peopleInput) asideFor(seat string) string {
	news := p.asides[p.told[seat]:]
	if len(news) == 0 {
		return ""
	}
	return block("person", page(personPage)+"\n"+strings.Join(news, "\n")) + "\n"
}

// lastPoint is where messages are applied that come after the last question.
const lastPoint = "end"

// adjourn is the end of the protocol: who joined votes, people's last messages count, and where the panel came to no
// decision an attending person is asked.
func (r *Room) adjourn(ctx context.Context) error {
	const end = lastPoint
	if err := r.people.apply(ctx, end, true); err != nil {
		return err
	}
	joined, err := r.Welcome(ctx)
	if err != nil {
		return err
	}
	if err := r.people.askPerson(ctx, end); err != nil {
		return err
	}
	// Nobody said anything and nobody joined.
	if len(r.journal.applied)+len(joined) == 0 {
		return nil // the ledger is as it was recorded
	}
	if err := r.checker.matchQuotes(ctx); err != nil {
		return err
	}
	// What was recorded so far must be known before the last ledger is compared with it.
	if err := r.journal.Flush(); err != nil {
		return err
	}
	if r.journal.Sealed || mustJSON(lastLedger(r.journal.Recorded(), r.Frame)) == mustJSON(r.ledger.Ledger) {
		return nil
	}
	return r.journal.Add(ctx, ruling.LedgerKind.New(r.journal.parent(), "code", r.ledger.Ledger))
}

// Welcome lets the seats that joined vote, blind like all others.
func (r *Room) Welcome(ctx context.Context) (joined []Turn, err error) {
	for _, id := range r.people.joined { // talk gave some of them a vote already
		s := r.seat(id)
		if s == nil || slices.ContainsFunc(r.ledger.Votes, func(v verdict.Vote) bool { return v.Seat == id }) ||
			len(r.ledger.Options) == 0 {
			continue
		}
		turns, err := r.Ask(ctx, exchange.Blind, "joined "+id, r.votePrompt, *s)
		if err != nil {
			return nil, err
		}
		if err := r.ledger.count(ctx, turns); err != nil {
			return nil, err
		}
		joined = append(joined, turns...)
	}
	r.people.joined = nil
	return joined, nil
}
