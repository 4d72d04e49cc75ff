package debate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// checker checks evidence: by code, and by the seats that judge it.
type checker struct {
	room         *Room
	ledger       *tally
	lines        map[string]string // by claim: the lines around its evidence
	failedJudges map[string]bool   // seats that failed as judges and are not asked to judge again
	rejudged     int               // judgements that a replay recomputed
}

// matchQuotes compares every quote with the file it names. It asks nobody, so it is done for all claims, and it carries no weight: a
// quote that was found may still prove nothing, and a missing one discredits the claim, not the option (else a seat could sink an
// option by quoting badly in its favour).
func (b *checker) matchQuotes(ctx context.Context) error {
	var seen []tree.Node
	for i := range b.ledger.Claims {
		c := &b.ledger.Claims[i]
		if c.Evidence.Kind != "quote" || b.ledger.checked(c.ID, "quote") {
			continue
		}
		// Checks are recalled in order, by number.
		if done, err := b.recallCheck(ctx); err != nil || done {
			if err != nil {
				return err
			}
			continue
		}
		k := b.observe(ctx, c, "quote")
		if k.Result == verdict.Pass {
			k.Grade = verdict.Matched
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // what was cut short shows nothing
		}
		parent := b.room.journal.parent()
		if len(seen) > 0 {
			parent = seen[len(seen)-1].ID
		}
		seen = append(seen, ruling.CheckKind.New(parent, "code", b.ledger.addCheck(k)))
	}
	if len(seen) == 0 {
		return nil
	}
	return b.room.journal.Later(ctx, seen...)
}

// runChecks runs the checks that carry weight, where they matter: on the most probable option that may still be checked, until one
// option is probable enough. seats can judge evidence.
func (b *checker) runChecks(ctx context.Context, seats []Seat) error {
	if b.room.Frame.Rules.Cases {
		return b.runCaseChecks(ctx, seats)
	}
	for b.ledger.Disagree() {
		option := verdict.NextCheck(b.ledger.Ledger, b.room.Frame.Rules,
			func(option string) bool { return b.nextClaim(option, seats) != nil })
		if option == "" {
			break
		}
		if over, err := b.room.time.over(ctx, "before check "+b.ledger.nextCheck()); over || err != nil {
			return err
		}
		if err := b.checkClaim(ctx, b.nextClaim(option, seats), seats); err != nil {
			return err
		}
	}
	return b.checkObjections(ctx, seats)
}

// checkObjections checks the high-impact security and data objections that would block the leading option whatever the votes, at most
// as many as an option may have checks. They are checked even if all seats agree.
func (b *checker) checkObjections(ctx context.Context, seats []Seat) error {
	for range b.room.Frame.Rules.ChecksPerOption {
		bs := verdict.Posterior(b.ledger.Ledger, b.room.Frame.Rules)
		w := b.ledger.Weights(b.room.Frame.Rules)
		i := slices.IndexFunc(b.ledger.Claims, func(c verdict.Claim) bool {
			return len(bs) > 0 && c.Option == bs[0].Option && !c.Supports && c.Grave(w) && b.checkable(&c, seats)
		})
		if i < 0 {
			return nil
		}
		if over, err := b.room.time.over(ctx, "before check "+b.ledger.nextCheck()); over || err != nil {
			return err
		}
		if err := b.checkClaim(ctx, &b.ledger.Claims[i], seats); err != nil {
			return err
		}
	}
	return nil
}

// nextClaim returns the claim for an option to check next: the weightiest, commands before quotes before sources, preferably of an
// author who has no checked claim yet.
func (b *checker) nextClaim(option string, seats []Seat) *verdict.Claim {
	if b.room.Frame.Rules.OwnCase {
		return b.nextEligible(option, seats)
	}
	var best *verdict.Claim
	w := b.ledger.Weights(b.room.Frame.Rules)
	rank := func(c *verdict.Claim) int {
		n := 100 * c.ImpactBy(w)
		n += map[string]int{"command": 30, "quote": 20, "source": 10}[c.Evidence.Kind]
		if b.ledger.authorChecked(option, c.Seat) {
			n -= 50
		}
		return n
	}
	for i := range b.ledger.Claims {
		c := &b.ledger.Claims[i]
		if c.Option == option && c.Vetoed == "" && b.checkable(c, seats) && (best == nil || rank(c) > rank(best)) {
			best = c
		}
	}
	return best
}

// nextEligible returns the eligible claim for an option whose author's lineage has had the fewest checks there; among equals one
// drawn by seed and content. Authors choose impact and kind of evidence, so these play no part.
func (b *checker) nextEligible(option string, seats []Seat) *verdict.Claim {
	spent := map[string]int{}
	for _, k := range b.ledger.Checks {
		if c := b.ledger.Claim(k.Claim); c != nil && c.Option == option && k.CarriesWeight() && b.ledger.Eligible(*c) {
			spent[b.ledger.Lineage(c.Seat)]++
		}
	}
	before := func(c, other *verdict.Claim) bool {
		x, y := spent[b.ledger.Lineage(c.Seat)], spent[b.ledger.Lineage(other.Seat)]
		return x < y || x == y && draw(b.room.Frame.Seed, "claim", c) < draw(b.room.Frame.Seed, "claim", other)
	}
	var best *verdict.Claim
	for i := range b.ledger.Claims {
		c := &b.ledger.Claims[i]
		if c.Option == option && c.Vetoed == "" && b.ledger.Eligible(*c) && b.checkable(c, seats) && (best == nil || before(c, best)) {
			best = c
		}
	}
	return best
}

// checkable reports whether a check of a claim can begin under the rules before version 4.
func (b *checker) checkable(c *verdict.Claim, seats []Seat) bool {
	switch c.Evidence.Kind {
	case "command":
		return !b.ledger.checked(c.ID, "command")
	case "source":
		return !b.ledger.checked(c.ID, "source") && b.pickJudge(c, seats) != nil
	case "quote":
		return b.ledger.Passed(c.ID, "quote") && !b.ledger.checked(c.ID, "entailment") && b.pickJudge(c, seats) != nil
	}
	return false
}

func (l *tally) checked(claim, kind string) bool {
	return slices.ContainsFunc(l.Checks, func(k verdict.Check) bool { return k.Claim == claim && k.Kind == kind })
}

func (l *tally) authorChecked(option, seat string) bool {
	return slices.ContainsFunc(l.Checks, func(k verdict.Check) bool {
		c := l.Claim(k.Claim)
		return c != nil && c.Option == option && c.Seat == seat && k.CarriesWeight()
	})
}

// pickJudge chooses who judges a claim's evidence: a seat of another lineage than the author's that has judged least, among equals by
// the seed. It is nil if there is none.
func (b *checker) pickJudge(c *verdict.Claim, seats []Seat) *Seat {
	var author string
	for _, v := range b.ledger.Votes {
		if v.Seat == c.Seat {
			author = v.Lineage
		}
	}
	var able []Seat
	for _, s := range seats {
		i := slices.IndexFunc(b.ledger.Votes, func(v verdict.Vote) bool { return v.Seat == s.Info.ID })
		if i >= 0 && b.ledger.Votes[i].Lineage != author && !b.failedJudges[s.Info.ID] {
			able = append(able, s)
		}
	}
	if len(able) == 0 {
		return nil
	}
	if b.room.Frame.Rules.OwnCase { // drawn per claim, since counts of judgements depend on the order
		best := slices.MinFunc(able, func(x, y Seat) int {
			return cmp.Compare(draw(b.room.Frame.Seed, "judge", c, x.Info.ID), draw(b.room.Frame.Seed, "judge", c, y.Info.ID))
		})
		return &best
	}
	shuffler(b.room.Frame.Seed, "verify", c.ID).Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	load := func(s Seat) int {
		n := 0
		for _, k := range b.ledger.Checks {
			if k.By == s.Info.ID {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(able, func(a, b Seat) int { return cmp.Compare(load(a), load(b)) })
	return &able[0]
}

// checkClaim runs one check that can carry weight and records it.
func (b *checker) checkClaim(ctx context.Context, c *verdict.Claim, seats []Seat) (err error) {
	if done, err := b.recallCheck(ctx); done || err != nil {
		return err
	}
	var k verdict.Check
	switch c.Evidence.Kind {
	case "command":
		k = b.observe(ctx, c, "command")
	case "source":
		if k = b.observe(ctx, c, "source"); k.Result == verdict.Pass {
			k, err = b.judge(ctx, c, k, verdict.Fetched, k.Lines, b.pickJudge(c, seats))
		} else {
			k.Grade = verdict.Matched // as with quotes: a page that does not say so discredits only the claim
		}
	default:
		k = verdict.Check{ID: b.ledger.nextCheck(), Claim: c.ID, Kind: "entailment", Grade: verdict.Nothing}
		k, err = b.judge(ctx, c, k, verdict.Entailed, b.lines[c.ID], b.pickJudge(c, seats))
	}
	if err != nil {
		return err
	}
	return b.record(ctx, k)
}

func (l *tally) nextCheck() string { return fmt.Sprintf("k%d", len(l.Checks)+1) }

// recallCheck takes the next check from the record, if it is recorded, with its consequences. It also adds the judge's reply to the
// seat's memory, as when the check was made.
func (b *checker) recallCheck(ctx context.Context) (bool, error) {
	k, ok := journal.Recall(b.room.journal.Book, ruling.CheckKind, b.ledger.nextCheck())
	if !ok {
		if b.room.journal.Sealed {
			return false, fmt.Errorf("check %s: %w", b.ledger.nextCheck(), journal.ErrNotRecorded)
		}
		return false, nil
	}
	b.ledger.Checks = append(b.ledger.Checks, k)
	if k.Lines != "" {
		b.lines[k.Claim] = k.Lines
	}
	reply, asked := journal.Recall(b.room.journal.Book, exchange.ReplyKind, key(exchange.Verify, k.ID, k.By))
	if k.By == "" || !asked {
		return true, nil
	}
	if reply.State != exchange.Answered {
		b.failedJudges[k.By] = true
		return true, nil
	}
	ask, _ := journal.Happened(b.room.journal.Book, exchange.AskKind, reply.Key)
	a, _ := exchange.AskKind.Of(ask)
	promptText, err := b.room.journal.Open(ctx, a.Prompt)
	if err != nil {
		return true, err
	}
	answer, err := b.room.journal.Open(ctx, reply.Text)
	if err != nil {
		return true, err
	}
	if b.room.journal.Sealed {
		again, err := b.recheckJudgement(k, promptText, answer)
		if err != nil {
			return true, err
		}
		if again {
			b.rejudged++
		}
	}
	b.room.asks.remember(k.By, Turn{Answer: answer, prompt: promptText})
	return true, nil
}

// observe checks a claim's evidence with code.
func (b *checker) observe(ctx context.Context, c *verdict.Claim, kind string) verdict.Check {
	round, end := b.room.time.round(ctx) // a person who ends the round does not wait for a slow command
	defer end()
	o := b.room.Look(round, *c)
	if o.Lines != "" {
		b.lines[c.ID] = o.Lines
	}
	k := verdict.Check{ID: b.ledger.nextCheck(), Claim: c.ID, Kind: kind, Result: o.Result, Grade: o.Grade, Control: o.Control,
		Same:   o.Same,
		Detail: clean.OneLine(o.Detail, 300), Trials: o.Trials, MS: o.MS, Command: c.Evidence.Command, Lines: o.Lines}
	if o.Proof != (verdict.Proof{}) {
		k.Proof = &o.Proof
	}
	return k
}

// addCheck adds a check to the ledger and gives it its ratio.
func (l *tally) addCheck(k verdict.Check) verdict.Check {
	if l.frame.Rehearsal {
		// The record says that the room was a rehearsal, so this hides nothing.
		k.Trials = nil // rule-based judges must not calibrate models as judges
	}
	l.Checks = append(l.Checks, k)
	last := &l.Checks[len(l.Checks)-1]
	last.Ratio = l.frame.Rules.Worth(l.Ledger, l.Claim(k.Claim), k)
	return *last
}

// record adds a check to the ledger and records it.
func (b *checker) record(ctx context.Context, k verdict.Check) error {
	// A command that was killed with the room has not failed.
	if ctx.Err() != nil {
		return context.Cause(ctx) // what was cut short shows nothing
	}
	return b.room.journal.Add(ctx, ruling.CheckKind.New(b.room.journal.parent(), "code", b.ledger.addCheck(k)))
}
