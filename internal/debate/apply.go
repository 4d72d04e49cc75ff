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

// errDropped is the cancellation cause of a seat's turn when a person drops the seat.
var errDropped = errors.New("dropped by a person")

// Told is a person's message with the id of its node.
type Told struct {
	ID      tree.ID
	Message people.Message
}

// peopleInput applies people's messages to a room.
type peopleInput struct {
	room    *Room
	ledger  *tally
	pending []Told // arrived while seats were asked
	asides  []string
	told    map[string]int // by seat: how many asides it has seen
	dropped map[string]bool
	joined  []string // seats that joined and have no vote yet
}

// receive queues a message that arrives while seats are asked. What concerns a running turn takes effect at once; every message is
// applied at the next place.
func (p *peopleInput) receive(t Told) {
	p.room.running.applyNow(t)
	p.pending = append(p.pending, t)
}

// apply applies the messages received so far. fresh is false if everything that follows is already recorded: then it applies only
// what was applied here the first time. The goroutine that runs the strategy calls it between questions. point names the place and is
// the same in every run.
func (p *peopleInput) apply(ctx context.Context, point string, fresh bool) error {
	for _, applied := range p.room.journal.appliedAt(point) {
		// A late statement is recorded like a message that was applied here: it is admitted at the same place as the first time.
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

// admitLate admits the statements that have arrived since, and records that.
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

// next returns the oldest message that was not applied yet. It never waits.
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

// applyOne applies one message and records the result. A message that cannot be applied is recorded as refused, with the reason; that
// is not an error of the room.
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

// outcomeAtEnd returns the result of a message that was applied after the last question. One that took effect at once is not refused.
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

// perform carries out a message. sat is the seat that joined when it was first applied. An error is a refusal, which the person is
// told.
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

// In a replay the seat comes from the record and has no model: its answers are recorded, too.
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

// assert adds a claim of a person to the ledger. Its seat is named person, which has no vote, so it counts for no lineage.
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

// choose records a person's ruling. The verdict says whether it decides: it does where the panel leaves the choice to a person.
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

// howToChoose tells a person who was asked to choose and sent something else what to send.
func howToChoose(options []verdict.Option) string {
	return "choose with /choose " + options[0].Key + " REASON (options: " + lettersOf(options) + "), or leave it undecided with /go"
}

// standing returns a line that says how the ledger would be decided now.
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

// leaningCounts lists the options that seats said they lean toward; empty: none did.
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

// asideFor returns what people said that the seat has not seen yet.
func (p *peopleInput) asideFor(seat string) string {
	news := p.asides[p.told[seat]:]
	if len(news) == 0 {
		return ""
	}
	return block("person", page(personPage)+"\n"+strings.Join(news, "\n")) + "\n"
}

// lastPoint is the place at which messages after the last question are applied.
const lastPoint = "end"

// adjourn ends the protocol: people's last messages are applied, seats that joined vote, and an attending person is asked if the
// panel reached no decision.
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
	// Everything must be recorded before the last recorded ledger is compared with this one.
	if err := r.journal.Flush(); err != nil {
		return err
	}
	if r.journal.Sealed || mustJSON(lastLedger(r.journal.Recorded(), r.Frame)) == mustJSON(r.ledger.Ledger) {
		return nil
	}
	return r.journal.Add(ctx, ruling.LedgerKind.New(r.journal.parent(), "code", r.ledger.Ledger))
}

// Welcome asks the seats that joined for their votes, blind like all others.
func (r *Room) Welcome(ctx context.Context) (joined []Turn, err error) {
	for _, id := range r.people.joined { // a talk has given some of them a vote already
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
