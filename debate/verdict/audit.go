package verdict

import (
	"fmt"
	"slices"
)

// Misdrawn returns an error that names the first check that the rules since version 4 and the room's key do not draw: it is of
// another claim, or by another judge. It is nil if there is none. It is meant for a room nobody interfered with: a person's messages
// change the seats and what counts, and only the whole record says when.
func (l Ledger) Misdrawn(r Rules) error {
	checks, rounds := l.Checks, 0
	for i, k := range checks {
		// Each check is compared with the ledger as it was then: only the checks before it count.
		before := l
		before.Checks = checks[:i]
		c := l.Claim(k.Claim)
		// Quotes are matched for all claims, so they are not drawn; nor is a judge drawn if nobody could judge.
		if c == nil || k.By == "" && k.Kind != "command" && k.Kind != "source" {
			continue
		}
		able := before.jury(r)
		if c.Supports && l.balloted() {
			var want string
			if want, rounds = before.nextChecked(r, able, k, max(rounds, c.Round)); want != k.Claim {
				return fmt.Errorf("check %s is of %s, but its rules draw %s", k.ID, k.Claim, want)
			}
		}
		if k.By == "" {
			continue
		}
		if by, _ := before.DrawJudge(c, append(able, Vote{Seat: k.By, Lineage: k.Lineage})); by.Seat != k.By {
			return fmt.Errorf("check %s of %s was judged by %s, but its key draws %s", k.ID, k.Claim, k.By, by.Seat)
		}
	}
	return nil
}

// Unfinished returns the claim that the rules since version 4 would judge next, if any: a room whose time ran out leaves one, and so
// does a ledger from which checks were removed. Like [Ledger.Misdrawn] it relies on the ledger for who could judge.
func (l Ledger) Unfinished(r Rules) (claim string, left bool) {
	able := l.jury(r)
	judges := func(c *Claim) int { return l.JudgesLeft(c, able) }
	step, ok := Next(l, r, l.ready, judges)
	if !ok {
		step, ok = NextObjection(l, r, l.ready, judges)
	}
	return step.Claim, ok
}

// ready reports whether a check of a claim can begin.
func (l Ledger) ready(c *Claim) bool {
	if c.Evidence.Kind == "quote" {
		return l.Passed(c.ID, "quote")
	}
	return (c.Evidence.Kind == "command" || c.Evidence.Kind == "source") && !slices.ContainsFunc(l.Checks, func(o Check) bool {
		return o.Claim == c.ID && o.Kind == c.Evidence.Kind
	})
}

// jury returns who can be asked to judge: the seats with a ballot and the judge without a seat, except those that fell silent.
func (l Ledger) jury(r Rules) []Vote {
	var able []Vote
	if l.Judge != nil {
		able = append(able, Vote{Seat: l.Judge.Seat, Lineage: l.Judge.Lineage})
	}
	for _, v := range l.Votes {
		if v.Status == Voted || v.Status == Abstained {
			able = append(able, v)
		}
	}
	return slices.DeleteFunc(able, func(v Vote) bool {
		return l.Silent(v.Seat, r)
	})
}

// Silent reports whether a seat failed to judge so often that it is not asked again. Since version 5, failing on the claims of one
// author alone silences no seat: they may be written for that.
func (l Ledger) Silent(seat string, r Rules) bool {
	var authors []string
	for _, k := range l.Checks {
		if c := l.Claim(k.Claim); c != nil && k.By == seat && k.Result == Skipped && !slices.Contains(authors, c.Seat) {
			authors = append(authors, c.Seat)
		}
	}
	return len(authors) >= max(1, r.JudgeFailures)
}

// balloted reports whether the ledger tells for every seat if it could judge.
func (l Ledger) balloted() bool {
	return !slices.ContainsFunc(l.Votes, func(v Vote) bool { return v.Status == NoVote })
}

// nextChecked returns the claim to check next, and the round of the claims known by then. The record does not say when a round began,
// so a check may follow from any round since the last one.
func (l Ledger) nextChecked(r Rules, able []Vote, k Check, round int) (string, int) {
	left := func(c *Claim) int { return l.JudgesLeft(c, able) }
	last := 0
	for _, c := range l.Claims {
		last = max(last, c.Round)
	}
	want, all := "nothing", l.Claims
	for at := round; at <= last; at++ {
		l.Claims = slices.DeleteFunc(slices.Clone(all), func(c Claim) bool { return c.Round > at })
		step, ok := Next(l, r, l.ready, left)
		if ok && step.Claim == k.Claim && (k.By == "" || step.Why == k.Asked) {
			return k.Claim, at
		}
		if ok && want == "nothing" {
			want = step.Claim
		}
	}
	return want, round
}
