package debate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// weighCases spends checks by the rules since version 4: what is worth its price is looked at by code, then judged by a drawn
// lineage other than the author's; a no takes two, and so does a yes the answer hangs on. Then the objections that could block.
func weighCases(ctx context.Context, r *Room, seats []Seat) error {
	for {
		able := judges(r, seats)
		ready := func(c *verdict.Claim) bool { return begins(r, c) }
		left := func(c *verdict.Claim) int { return r.ledger.JudgesLeft(c, able) }
		step, ok := verdict.Next(r.ledger, r.Frame.Rules, ready, left)
		if !ok {
			step, ok = verdict.NextObjection(r.ledger, r.Frame.Rules, ready, left)
		}
		if !ok {
			return nil
		}
		if over, err := r.over(ctx, "before check "+r.nextCheck()); over || err != nil {
			return err
		}
		if err := weighStep(ctx, r, step, able); err != nil {
			return err
		}
	}
}

// unseal puts the key that draws into the ledger: the ballots are in, so nobody can write to suit it.
func unseal(r *Room) {
	recorded := lastLedger(r.book.Recorded(), r.Frame).DrawKey
	switch {
	case !r.Frame.Rules.Cases || r.ledger.DrawKey != "":
	case recorded != "" || r.book.Sealed:
		r.ledger.DrawKey = recorded
	case r.DrawKey == "" && (r.Frame.DrawHash == "" || r.Frame.SeedDraws()):
		r.ledger.DrawKey = r.Frame.seedKey()
	default:
		r.ledger.DrawKey = cmp.Or(r.DrawKey, r.Frame.DrawHash) // the hash: it began on another machine, which has the key
	}
}

// Seal enters the hash of the key that draws, which nobody may know yet.
func (f *Frame) Seal(key string) {
	sum := sha256.Sum256([]byte(key))
	f.DrawHash = hex.EncodeToString(sum[:])
}

// SealBySeed has the seed draw, so that a debate can be repeated: whoever knows the seed can foresee the draws.
func (f *Frame) SealBySeed() { f.Seal(f.seedKey()) }

// SeedDraws says whether the seed draws.
func (f Frame) SeedDraws() bool { return f.Sealed(f.seedKey()) }

func (f Frame) seedKey() string { return "seed " + strconv.FormatUint(f.Seed, 16) }

// Sealed says whether this is the key that the frame promised.
func (f Frame) Sealed(key string) bool {
	again := Frame{}
	again.Seal(key)
	return f.DrawHash == again.DrawHash
}

// judges are those that may be asked about evidence: the judge without a seat, and seats as the votes name their lineages.
func judges(r *Room, seats []Seat) []verdict.Vote {
	var able []verdict.Vote
	if j := r.ledger.Judge; j != nil && !r.silent[j.Seat] {
		able = append(able, verdict.Vote{Seat: j.Seat, Lineage: j.Lineage})
	}
	for _, v := range r.ledger.Votes {
		if !r.silent[v.Seat] && slices.ContainsFunc(seats, func(s Seat) bool { return s.Info.ID == v.Seat }) {
			able = append(able, v)
		}
	}
	return able
}

// juror finds who judges by id.
func juror(r *Room, id string) *Seat {
	if r.Judge != nil && r.Judge.Info.ID == id {
		return r.Judge
	}
	return r.seat(id)
}

// begins says whether a check of a claim can begin: its quote is where it was said to be, or it was not looked at yet.
func begins(r *Room, c *verdict.Claim) bool {
	switch c.Evidence.Kind {
	case "command", "source":
		return !r.checked(c.ID, c.Evidence.Kind)
	case "quote":
		return r.ledger.Passed(c.ID, "quote")
	}
	return false
}

// weighStep takes one step: code looks at evidence nobody looked at yet, else the seat that is drawn judges it.
func weighStep(ctx context.Context, r *Room, step verdict.Step, able []verdict.Vote) (err error) {
	if done, err := r.recall(ctx); done || err != nil {
		if err == nil && r.book.Sealed {
			err = redraw(r, step, able)
		}
		return err
	}
	c := r.ledger.Claim(step.Claim)
	if kind := c.Evidence.Kind; kind != "quote" && begins(r, c) {
		k := r.look(ctx, c, kind)
		if kind == "source" {
			k.Grade = verdict.Matched // what is there may prove nothing, and what is not discredits the claim alone
		}
		return r.keep(ctx, k)
	}
	k := verdict.Check{ID: r.nextCheck(), Claim: c.ID, Kind: "entailment", Grade: verdict.Nothing, Result: verdict.Skipped, Asked: step.Why,
		Stop: step.Stop, Worth: step.Worth}
	by, ok := r.ledger.DrawJudge(c, able)
	if !ok {
		k.Detail = "the answer hangs on one lineage's judgement, and no other is left to confirm it"
		return r.keep(ctx, k)
	}
	k.Lineage = by.Lineage
	if k, err = r.judge(ctx, c, k, verdict.GradeOf(c.Evidence), r.lines[c.ID], juror(r, by.Seat)); err != nil {
		return err
	}
	return r.keep(ctx, k)
}
