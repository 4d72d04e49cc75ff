package debate

import (
	"cmp"
	"context"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// runCaseChecks runs checks under the rules since version 4: code checks what is worth its price, then a drawn lineage other than the
// author's judges it; a no takes two, and so does a yes that the answer depends on. Then come the objections that could block. It
// ends when the rules say that nothing is worth its price, or when the room's time is over, which is recorded.
func (b *checker) runCaseChecks(ctx context.Context, seats []Seat) error {
	for {
		able := b.judges(seats)
		left := func(c *verdict.Claim) int { return b.ledger.JudgesLeft(c, able) }
		step, ok := verdict.Next(b.ledger.Ledger, b.room.Frame.Rules, b.canBegin, left)
		if !ok {
			step, ok = verdict.NextObjection(b.ledger.Ledger, b.room.Frame.Rules, b.canBegin, left)
		}
		if !ok {
			return nil
		}
		if over, err := b.room.time.over(ctx, "before check "+b.ledger.nextCheck()); over || err != nil {
			return err
		}
		if err := b.runStep(ctx, step, able); err != nil {
			return err
		}
	}
}

// revealDrawKey puts the draw key into the ledger. The ballots are in, so nobody can write one to suit it.
func (b *checker) revealDrawKey() {
	recorded := lastLedger(b.room.journal.Recorded(), b.room.Frame).DrawKey
	switch {
	case !b.room.Frame.Rules.Cases || b.ledger.DrawKey != "":
	case recorded != "" || b.room.journal.Sealed:
		b.ledger.DrawKey = recorded
	case b.room.DrawKey == "" && (b.room.Frame.DrawHash == "" || b.room.Frame.SeedDraws()):
		b.ledger.DrawKey = b.room.Frame.SeedKey()
	default:
		b.ledger.DrawKey = cmp.Or(b.room.DrawKey, b.room.Frame.DrawHash) // the hash: it began on another machine, which has the key
	}
}

// judges returns who may be asked about evidence: the judge without a seat, and the seats, with their lineages from the votes.
func (b *checker) judges(seats []Seat) []verdict.Vote {
	var able []verdict.Vote
	if j := b.ledger.Judge; j != nil && !b.ledger.Silent(j.Seat, b.room.Frame.Rules) {
		able = append(able, verdict.Vote{Seat: j.Seat, Lineage: j.Lineage})
	}
	for _, v := range b.ledger.Votes {
		if !b.ledger.Silent(v.Seat, b.room.Frame.Rules) && slices.ContainsFunc(seats, func(s Seat) bool { return s.Info.ID == v.Seat }) {
			able = append(able, v)
		}
	}
	return able
}

// juror finds a judge by id.
func (b *checker) juror(id string) *Seat {
	if b.room.Judge != nil && b.room.Judge.Info.ID == id {
		return b.room.Judge
	}
	return b.room.seat(id)
}

// canBegin reports whether a check of a claim can begin: its quote was found where it was stated to be, or its command or source was
// not checked yet.
func (b *checker) canBegin(c *verdict.Claim) bool {
	switch c.Evidence.Kind {
	case "command", "source":
		return !b.ledger.checked(c.ID, c.Evidence.Kind)
	case "quote":
		return b.ledger.Passed(c.ID, "quote")
	}
	return false
}

// runStep takes one step: code checks evidence that was not checked yet, else the drawn seat judges it. A replay takes the step from
// its record and compares it with what the rules and the key draw.
func (b *checker) runStep(ctx context.Context, step verdict.Step, able []verdict.Vote) (err error) {
	if done, err := b.recallCheck(ctx); done || err != nil {
		if err == nil && b.room.journal.Sealed {
			err = b.redraw(step, able)
		}
		return err
	}
	c := b.ledger.Claim(step.Claim)
	if kind := c.Evidence.Kind; kind != "quote" && b.canBegin(c) {
		k := b.observe(ctx, c, kind)
		if kind == "source" {
			k.Grade = verdict.Matched // a page that says so may prove nothing, and one that does not discredits only the claim
		}
		return b.record(ctx, k)
	}
	k := verdict.Check{ID: b.ledger.nextCheck(), Claim: c.ID, Kind: "entailment", Grade: verdict.Nothing, Result: verdict.Skipped,
		Asked: step.Why, Stop: step.Stop, Worth: step.Worth, Others: step.Others}
	by, ok := b.ledger.DrawJudge(c, able)
	if !ok {
		k.Detail = "the answer hangs on one lineage's judgement, and no other is left to confirm it"
		return b.record(ctx, k)
	}
	k.Lineage = by.Lineage
	if k, err = b.judge(ctx, c, k, c.Evidence.Grade(), b.lines[c.ID], b.juror(by.Seat)); err != nil {
		return err
	}
	return b.record(ctx, k)
}
