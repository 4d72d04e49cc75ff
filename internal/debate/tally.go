package debate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// tally is the growing ledger: it takes ballots, statements and stances and gives claims their ids.
type tally struct {
	verdict.Ledger
	frame     *table.Frame
	journal   *roomJournal
	seat      func(id string) *Seat // returns nil if there is no such seat
	snapshots int                   // taken so far
}

// count turns the blind turns into votes and claims. Every seat that was asked gets a vote, whatever the result. Seats that were not
// asked get none: they are spared, and in no denominator.
func (l *tally) count(ctx context.Context, turns []Turn) error {
	texts := map[string]string{} // from an answer to the lineage that gave it first
	for _, t := range turns {
		info := l.seat(t.Seat).Info
		v := verdict.Vote{Seat: info.ID, Lineage: info.Lineage, Accuracy: info.Accuracy, Reason: t.Reason}
		switch t.State {
		case exchange.Answered:
			if err := l.addBallot(ctx, t, &v); err != nil {
				return err
			}
			first, again := texts[t.Answer] // since rules version 4 lineages are never guessed
			if again && first != v.Lineage && v.Status == verdict.Voted && !l.frame.Rules.Cases {
				v.Lineage = first
				text := v.Seat + " gave exactly the same answer as a seat of lineage " + first + " and counts as part of it"
				if err := l.journal.note(ctx, "clone/"+v.Seat, text); err != nil {
					return err
				}
			}
			texts[t.Answer] = v.Lineage
		case exchange.Unusable:
			v.Status = verdict.NoVote
		case exchange.Wrote:
			v.Status = verdict.Expelled
		case exchange.Dropped:
			v.Status = verdict.Left
		default:
			v.Status = verdict.Failed
		}
		l.Votes = append(l.Votes, v)
	}
	words := make(map[string][]string, len(l.Claims)) // every claim is compared with every other
	for _, c := range l.Claims {
		words[c.Text] = strings.Fields(motion.Plain(c.Text))
	}
	l.merge(func(a, b verdict.Claim) bool {
		return a.Option == b.Option && a.Supports == b.Supports && sameWords(words[a.Text], words[b.Text])
	})
	return nil
}

// addBallot adds one ballot to the ledger.
func (l *tally) addBallot(ctx context.Context, t Turn, v *verdict.Vote) error {
	b, ok := t.parsed.(ballot)
	if !ok {
		v.Status, v.Reason = verdict.NoVote, "the recorded ballot cannot be read; it was made under other rules"
		return nil
	}
	v.Reason, v.Flip = clean.OneLine(b.Summary, table.MaxClaim), clean.OneLine(b.Flip, table.MaxClaim)
	v.Confidence = min(1, max(0, b.Confidence))
	switch b.Option {
	case abstainWord:
		v.Status = verdict.Abstained
	case otherWord:
		if v.Option = l.writeIn(b.Other); v.Option == "" {
			v.Status, v.Reason = verdict.NoVote, "no letter is left for the option it proposed"
			return nil
		}
		v.Status = verdict.Voted
	default:
		v.Status, v.Option = verdict.Voted, t.Labels[b.Option]
	}
	if most := l.frame.Limits.MostClaims(); len(b.Claims) > most {
		text := fmt.Sprintf("%s made %d claims; the first %d count", v.Seat, len(b.Claims), most)
		if err := l.journal.note(ctx, "claims/"+v.Seat, text); err != nil {
			return err
		}
		b.Claims = b.Claims[:most]
	}
	for _, c := range b.Claims {
		l.addClaim(v.Seat, c, t.Labels, v.Option, 0)
	}
	return nil
}

// writeIn finds the option that a seat wrote in, or adds it. Empty: there are too many already.
func (l *tally) writeIn(text string) string {
	for _, o := range l.Options {
		if motion.Plain(o.Text) == motion.Plain(text) {
			return o.Key
		}
	}
	if len(l.Options) == motion.MaxOptions {
		return ""
	}
	key := string(rune('A' + len(l.Options)))
	l.Options = append(slices.Clone(l.Options), verdict.Option{Key: key, Text: text})
	return key
}

// addClaim adds a claim to the ledger under the next id. own is the option that the label OTHER stands for. The pointer is valid
// until the next claim is added.
func (l *tally) addClaim(seat string, c wireClaim, labels map[string]string, own string, round int) *verdict.Claim {
	option := labels[optionKey(c.Option)]
	if optionKey(c.Option) == otherWord {
		option = own
	}
	n := len(l.Claims) + 1
	for _, have := range l.Claims {
		n += len(have.Merged)
	}
	l.Claims = append(l.Claims, verdict.Claim{
		ID: fmt.Sprintf("c%d", n), Seat: seat, Text: c.Text, Kind: claimKind(c.Kind), Impact: impactStep(c.Impact),
		Option: option, Supports: c.Supports && option != "", Evidence: l.evidence(seat, c.Evidence), Round: round, Put: round == 0,
	})
	return &l.Claims[len(l.Claims)-1]
}

// impactStep maps an impact to the rubric's 5, 2 and 1.
func impactStep(n int) int {
	switch {
	case n >= 4:
		return 5
	case n >= 2:
		return 2
	}
	return 1
}

// claimKind returns a kind of the rubric; an unknown one becomes the most general.
func claimKind(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if slices.Contains(claimKinds, s) {
		return s
	}
	return "approach"
}

// evidence cleans the evidence of a seat's claim. Paths become relative to the project.
func (l *tally) evidence(seat string, e wireEvidence) verdict.Evidence {
	file := strings.TrimSpace(e.File)
	dirs := []string{l.frame.Dir}
	if s := l.seat(seat); s != nil { // a person has no copy of the project
		dirs = append(dirs, s.Dir)
	}
	for _, dir := range dirs {
		if dir != "" {
			file = strings.TrimPrefix(file, strings.TrimRight(dir, "/")+"/")
		}
	}
	out := verdict.Evidence{Kind: "none"}
	switch {
	case e.Kind == "command" && len(e.Command) > 0 && len(e.Command) <= 64:
		out = verdict.Evidence{Kind: "command", Command: e.Command, Expect: e.Expect}
		if out.Expect != verdict.Fail {
			out.Expect = verdict.Pass
		}
	case e.Kind == "source" && e.URL != "":
		out = verdict.Evidence{Kind: "source", URL: clean.Short(e.URL, 2000), Quote: e.Quote}
	case file != "" && strings.TrimSpace(e.Quote) != "":
		out = verdict.Evidence{Kind: "quote", File: clean.Short(strings.TrimPrefix(file, "./"), 1000), Quote: e.Quote}
		if e.Line != nil {
			out.Line, out.NoLine = max(0, *e.Line), *e.Line < 1
		}
	}
	return out
}

// alike reports whether two texts say the same in nearly the same words.
func alike(a, b string) bool {
	return sameWords(strings.Fields(motion.Plain(a)), strings.Fields(motion.Plain(b)))
}

// Two texts are the same claim if they share nine tenths of their words and neither negates the other. Short ones must be equal.
func sameWords(x, y []string) bool {
	if slices.Equal(x, y) {
		return true
	}
	if len(x) < 6 || len(y) < 6 {
		return false
	}
	both := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			both++
		}
	}
	// A negation keeps two sentences apart, however many words they share.
	for _, w := range []string{"not", "no", "never", "without", "cannot"} {
		if slices.Contains(x, w) != slices.Contains(y, w) {
			return false
		}
	}
	return float64(both)/float64(len(x)+len(y)-both) >= .9
}

// merge merges claims that same reports as one into the earlier. The other's author then agrees with it.
func (l *tally) merge(same func(a, b verdict.Claim) bool) {
	if l.frame.Rules.Cases { // a claim stays its author's
		l.Group(same)
		for _, c := range l.Claims {
			if shown := l.Claim(c.SameAs); shown != nil && shown.Seat != c.Seat {
				addStance(shown, c.Seat, verdict.Stance{Verb: verdict.Agree, Impact: c.Impact, Why: "made the same claim"})
			}
		}
		return
	}
	var out []verdict.Claim
	for _, c := range l.Claims {
		i := slices.IndexFunc(out, func(have verdict.Claim) bool {
			return (!l.frame.Rules.OwnCase || l.Eligible(have) == l.Eligible(c)) && same(have, c)
		})
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].Merged = append(append(slices.Clone(out[i].Merged), c.ID), c.Merged...)
		for seat, s := range c.Stances {
			addStance(&out[i], seat, s)
		}
		if c.Seat != out[i].Seat {
			addStance(&out[i], c.Seat, verdict.Stance{Verb: verdict.Agree, Impact: c.Impact, Why: "made the same claim"})
		}
		if out[i].Evidence.Kind == "none" {
			out[i].Evidence = c.Evidence
		}
	}
	if out != nil {
		l.Claims = out
	}
}

// addStance records a seat's stance unless it has one already.
func addStance(c *verdict.Claim, seat string, s verdict.Stance) {
	if c.Stances == nil {
		c.Stances = map[string]verdict.Stance{}
	}
	if _, said := c.Stances[seat]; !said {
		c.Stances[seat] = s
	}
}

// Snapshot records the current ledger, once per place in the protocol. In a run over a record it counts the recorded ones and does
// not write them again.
func (r *Room) Snapshot(ctx context.Context) error {
	if r.ledger.snapshots++; r.ledger.snapshots <= r.journal.ledgers || r.journal.Sealed {
		return nil
	}
	return r.journal.Later(ctx, ruling.LedgerKind.New(r.journal.parent(), "code", r.ledger.Ledger))
}
