package debate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/form"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// CrossExamine has the seats answer each other's claims once, and checks what they said as Verify does. It reports whether code
// verified or refuted a new high-impact claim, which would justify another round.
func (r *Room) CrossExamine(ctx context.Context, round int, seats []Seat) (moved bool, err error) {
	if moved, err = r.crossExamine(ctx, round, seats); err != nil {
		return false, err
	}
	if err := r.checker.runChecks(ctx, seats); err != nil || !moved {
		return false, err
	}
	r.ledger.putAll()
	return true, nil
}

// A seat that fails here keeps its blind vote and its claims.
func (r *Room) crossExamine(ctx context.Context, round int, seats []Seat) (moved bool, err error) {
	replies := map[string]crossReply{}
	prompt := func(s Seat) Prompt {
		options, labels := r.ledger.shown(s.Info.ID)
		peers := r.ledger.peersOf(s.Info.ID)
		return Prompt{Prompt: r.ledger.crossPrompt(s.Info.ID, options, labels, peers), Labels: labels, Peers: peers, Reads: true,
			Schema: form.Schema[crossReply](crossValues(sortedKeys(labels))),
			Parse:  func(text string) (any, error) { return parseCross(text, sortedKeys(labels)) }}
	}
	turns, err := r.Ask(ctx, exchange.Cross, fmt.Sprint(round), prompt, seats...)
	if err != nil {
		return false, err
	}
	for _, t := range turns {
		if t.State != exchange.Answered {
			text := t.Seat + " did not answer the cross-examination (" + string(t.State) + ": " + t.Reason +
				"); its blind vote still counts"
			if err := r.journal.note(ctx, "carried/"+t.Key, text); err != nil {
				return false, err
			}
			continue
		}
		reply, ok := t.parsed.(crossReply)
		if !ok {
			continue // recorded by a version with other rules; its vote still counts
		}
		replies[t.Seat] = reply
		r.ledger.addReply(t, reply, round, append(t.Peers, t.Seat, person))
	}
	r.ledger.mergeSame()
	if err := r.checker.matchQuotes(ctx); err != nil {
		return false, err
	}
	for _, t := range turns {
		if reply, ok := replies[t.Seat]; ok {
			r.ledger.moveVote(t, reply)
		}
	}
	for _, c := range r.ledger.Claims {
		if c.Round == round && c.Impact == 5 {
			moved = moved || r.ledger.checkedEither(c.ID)
		}
	}
	return moved, nil
}

func (l *tally) checkedEither(claim string) bool {
	return slices.ContainsFunc(l.Checks, func(k verdict.Check) bool { return k.Claim == claim && k.Result != verdict.Skipped })
}

// addReply adds a seat's stances and new claims.
func (l *tally) addReply(t Turn, reply crossReply, round int, authors []string) {
	l.addStances(t.Seat, reply.Stances, authors)
	for i, w := range reply.Claims {
		if i == l.frame.Limits.MostClaims() {
			break
		}
		l.addClaim(t.Seat, w, t.Labels, "", round)
	}
}

// addStances adds a seat's stances on the claims of authors. Stances on claims it was not shown, objections that name no flaw or cite
// nothing, and two contradicting stances on one claim do not count.
func (l *tally) addStances(seat string, said []wireStance, authors []string) {
	stances := map[string]wireStance{}
	double := map[string]bool{}
	for _, s := range said {
		c := l.Claim(strings.TrimSpace(s.Claim))
		if c == nil || !slices.Contains(authors, c.Seat) {
			continue
		}
		if have, ok := stances[c.ID]; ok && have.Stance != s.Stance {
			double[c.ID] = true
		}
		stances[c.ID] = s
	}
	for i := range l.Claims {
		c := &l.Claims[i]
		s, ok := stances[c.ID]
		if !ok {
			continue
		}
		if double[c.ID] {
			s = wireStance{Stance: string(verdict.Undecided), Why: "took two stances that contradict each other"}
		}
		// addStance keeps a seat's first stance; here the last one counts.
		delete(c.Stances, seat) // a later round replaces what it said before
		addStance(c, seat, l.stance(s))
	}
}

// place matches a citation of a line in a file.
var place = pattern.Of(`^[^\s:]+:\d+`)

// stance converts a stance as it counts: an objection that names no flaw, or cites nothing that can be checked, becomes Undecided.
func (l *tally) stance(s wireStance) verdict.Stance {
	out := verdict.Stance{Verb: verdict.Verb(strings.ToUpper(strings.TrimSpace(s.Stance))), Same: s.Same,
		Why: clean.OneLine(s.Why, table.MaxClaim)}
	if s.Impact > 0 {
		out.Impact = impactStep(s.Impact)
	}
	for _, cite := range s.Cites {
		if cite = strings.TrimSpace(cite); l.Claim(cite) != nil || place().MatchString(cite) {
			out.Cites = append(out.Cites, clean.Short(cite, 200))
		}
	}
	switch {
	case !slices.Contains(verbs, out.Verb):
		out.Verb = verdict.Undecided
	case out.Verb == verdict.Object:
		if out.Why == "" || len(out.Cites) == 0 {
			out.Verb, out.Why = verdict.Undecided, "objected without naming a flaw and citing evidence"
		}
	case out.Verb == verdict.SameAs && l.Claim(out.Same) == nil:
		out.Verb = verdict.Undecided
	}
	return out
}

// mergeSame merges two claims that seats of two lineages other than the authors' called the same. Claims of opposite polarity are
// never merged.
func (l *tally) mergeSame() {
	lineage := map[string]string{}
	for _, v := range l.Votes {
		lineage[v.Seat] = v.Lineage
	}
	said := func(a, b verdict.Claim) []string {
		var out []string
		for seat, s := range a.Stances {
			l := lineage[seat]
			if s.Verb == verdict.SameAs && s.Same == b.ID && l != lineage[a.Seat] && l != lineage[b.Seat] && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
		return out
	}
	l.merge(func(a, b verdict.Claim) bool {
		if a.Option != b.Option || a.Supports != b.Supports {
			return false
		}
		voices := said(a, b)
		for _, l := range said(b, a) {
			if !slices.Contains(voices, l) {
				voices = append(voices, l)
			}
		}
		return len(voices) >= 2
	})
}

// moveVote records a change of option. It is supported if it names a claim for the old option (or against the new one) that was
// refuted, or a verified claim of another seat for the new option or against the old.
func (l *tally) moveVote(t Turn, reply crossReply) {
	i := slices.IndexFunc(l.Votes, func(v verdict.Vote) bool { return v.Seat == t.Seat })
	if i < 0 || l.Votes[i].Status != verdict.Voted || reply.Option == abstainWord {
		return
	}
	from, to := l.Votes[i].Option, t.Labels[reply.Option]
	for _, s := range l.Switches {
		if s.Seat == t.Seat {
			from = s.To
		}
	}
	if to == from {
		return
	}
	sw := verdict.Switch{Seat: t.Seat, From: from, To: to}
	for _, id := range reply.Because {
		c := l.Claim(strings.TrimSpace(id))
		if c == nil {
			continue
		}
		sw.Cites = append(sw.Cites, c.ID)
		forNew := c.Option == to && c.Supports || c.Option == from && !c.Supports
		forOld := c.Option == from && c.Supports || c.Option == to && !c.Supports
		for _, k := range l.Checks {
			if k.Claim == c.ID && (k.Result == verdict.Fail && forOld ||
				k.Result == verdict.Pass && k.CarriesWeight() && forNew && c.Seat != t.Seat) {
				sw.Supported = true
			}
		}
	}
	l.Switches = append(l.Switches, sw)
}
