package debate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// Settle has the panel name the options of an open question. It reports whether there are still none.
func (r *Room) Settle(ctx context.Context) (open bool, err error) {
	if len(r.ledger.Options) == 0 {
		err = r.propose(ctx)
	}
	return len(r.ledger.Options) == 0, err
}

// Verify matches the quotes of all claims, then runs the checks that carry weight, with the seats as judges.
func (r *Room) Verify(ctx context.Context, seats []Seat) error {
	r.checker.revealDrawKey()
	if err := r.checker.matchQuotes(ctx); err != nil {
		return err
	}
	return r.checker.runChecks(ctx, seats)
}

// Vote asks every seat for a ballot that no other seat sees, and counts the ballots. With an economy it asks only as many seats as
// needed.
func (r *Room) Vote(ctx context.Context) ([]Turn, error) {
	turns, err := r.askBlind(ctx)
	if err != nil {
		return nil, err
	}
	return turns, r.ledger.count(ctx, turns)
}

// Disagree reports whether the votes name more than one option.
func (r *Room) Disagree() bool { return r.ledger.Disagree() }

// putAll marks every claim as shown to the seats, except those shown through another: the next round shows them all.
func (l *tally) putAll() {
	for i := range l.Claims {
		l.Claims[i].Put = l.Claims[i].SameAs == ""
	}
}

// votePrompt asks one seat for a ballot that no other seat sees.
func (r *Room) votePrompt(s Seat) Prompt {
	options, labels := r.ledger.shown(s.Info.ID)
	task := block("options", options) + "\n" + block("task", ballotForm(r.Frame.Limits, "; at least one unless you abstain"))
	return ballotPrompt(r.opening(s.Info)+task, labels, 1)
}

// ballotPrompt asks for a ballot over the options with these labels, with at least that many claims.
func ballotPrompt(text string, labels map[string]string, least int) Prompt {
	keys := sortedKeys(labels)
	return Prompt{Prompt: text, Labels: labels, Schema: form.Schema[ballot](ballotValues(keys)), Reads: true,
		Parse: func(text string) (any, error) { return parseBallot(text, keys, least) }}
}

// With an economy, seats are asked in pairs or one by one until the rest could change nothing; a note says how many were not asked.
func (r *Room) askBlind(ctx context.Context) ([]Turn, error) {
	if r.Frame.Limits.Economy == "" {
		return r.Ask(ctx, exchange.Blind, "0", r.votePrompt, r.Seats...)
	}
	first, rest := r.firstPair()
	var turns []Turn
	for len(first) > 0 {
		more, err := r.Ask(ctx, exchange.Blind, "0", r.votePrompt, first...)
		if err != nil {
			return nil, err
		}
		turns = append(turns, more...)
		if len(rest) > 0 && r.enough(turns, rest) {
			return turns, r.journal.note(ctx, "economy", fmt.Sprintf("%d of %d seats were not asked: the others agree (economy %s)",
				len(rest), len(r.Seats), r.Frame.Limits.Economy))
		}
		first, rest = rest[:min(1, len(rest))], rest[min(1, len(rest)):]
		if r.Frame.Limits.Economy == "pair" {
			first, rest = append(first, rest...), nil
		}
	}
	return turns, nil
}

// firstPair returns two seats of different lineage and the rest. The seed draws the pair and the order of the others, so the order of
// the list does not matter. Before rules version 4 it did.
func (r *Room) firstPair() (first, rest []Seat) {
	seats := slices.Clone(r.Seats)
	if r.Frame.Rules.Cases {
		slices.SortFunc(seats, func(a, b Seat) int { return cmp.Compare(lotOf(r.Frame.Seed, a), lotOf(r.Frame.Seed, b)) })
	}
	second := slices.IndexFunc(seats, func(s Seat) bool { return s.Info.Lineage != seats[0].Info.Lineage })
	second = max(second, 1)
	for i, s := range seats {
		if i == 0 || i == second {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	return first, rest
}

// lotOf returns the number that a seat draws in a room with this seed.
func lotOf(seed uint64, s Seat) uint64 {
	return shuffler(seed, "first", s.Info.Lineage, s.Info.ID).Uint64()
}

// enough reports whether the seats in rest can be spared: the ballots so far agree and contain no high-impact claim against their
// option, or, with economy lead, the rest cannot overtake the leader. It counts the ballots in a separate ledger, so nothing is added
// twice.
func (r *Room) enough(turns []Turn, rest []Seat) bool {
	trial := tally{frame: &r.Frame, journal: newRoomJournal(journal.Journal{Sealed: true}), seat: r.seat,
		Ledger: verdict.Ledger{Options: r.ledger.Options}}
	if trial.count(context.Background(), turns) != nil {
		return false
	}
	if slices.ContainsFunc(trial.Votes, func(v verdict.Vote) bool { return v.Status != verdict.Voted }) {
		return false
	}
	if r.Frame.Limits.Economy == "lead" {
		var waiting []verdict.Vote
		for _, s := range rest {
			waiting = append(waiting, verdict.Vote{Seat: s.Info.ID, Lineage: s.Info.Lineage})
		}
		return verdict.Settled(trial.Ledger, r.Frame.Rules, waiting...)
	}
	return !trial.Disagree() && !slices.ContainsFunc(trial.Claims, func(c verdict.Claim) bool {
		return c.Impact == 5 && !c.Supports && c.Option == trial.Votes[0].Option
	})
}

// propose has two seats of different lineage name the options of an open question, blind to each other.
func (r *Room) propose(ctx context.Context) error {
	seats, _ := r.firstPair()
	prompt := func(s Seat) Prompt {
		return Prompt{Prompt: r.opening(s.Info) + block("task", page(proposePage)), Schema: form.Schema[proposeReply](nil), Reads: true,
			Parse: func(text string) (any, error) { return parsePropose(text) }}
	}
	turns, err := r.Ask(ctx, exchange.Propose, "0", prompt, seats...)
	if err != nil {
		return err
	}
	var texts []string
	for _, t := range turns {
		if t.State != exchange.Answered {
			if err := r.journal.note(ctx, "propose/"+t.Seat, t.Seat+" proposed no options: "+t.Reason); err != nil {
				return err
			}
			continue
		}
		if p, ok := t.parsed.(proposeReply); ok {
			texts = append(texts, p.Options[:min(4, len(p.Options))]...)
		}
	}
	r.ledger.Options = motion.Letters(texts)
	if r.journal.Sealed || r.journal.options {
		return nil
	}
	return r.journal.Add(ctx, table.OptionsKind.New(r.journal.parent(), "code", table.Options{Options: r.ledger.Options, Origin: "panel"}))
}

func parsePropose(text string) (proposeReply, error) {
	p, err := form.Object[proposeReply](text, "options")
	if err == nil && len(motion.Letters(p.Options)) < 2 {
		err = fmt.Errorf(`"options" needs at least two different options`)
	}
	return p, err
}
