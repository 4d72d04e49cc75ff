package debate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// matchQuotes compares every quote with the file it names. It asks nobody, so it is done for all claims, and it
// carries no weight: a quote that is there may still prove nothing, and one that is not discredits the claim, not
// the option (else a seat could sink an option by quoting badly in its favour).
func (r *Room) matchQuotes(ctx context.Context) error {
	var seen []tree.Node
	for i := range r.ledger.Claims {
		c := &r.ledger.Claims[i]
		if c.Evidence.Kind != "quote" || r.checked(c.ID, "quote") {
			continue
		}
		if done, err := r.recall(ctx); err != nil || done {
			if err != nil {
				return err
			}
			continue
		}
		k := r.look(ctx, c, "quote")
		if k.Result == verdict.Pass {
			k.Grade = verdict.Matched
		}
		if ctx.Err() != nil {
			return context.Cause(ctx) // what was cut short shows nothing
		}
		parent := r.book.parent()
		if len(seen) > 0 {
			parent = seen[len(seen)-1].ID
		}
		seen = append(seen, CheckKind.New(parent, "code", r.weighed(k)))
	}
	if len(seen) == 0 {
		return nil
	}
	return r.book.Later(ctx, seen...)
}

// weigh runs the checks that carry weight, where they matter: on the most probable option that still may be
// checked, until one option is probable enough. seats are those that can judge evidence.
func (r *Room) weigh(ctx context.Context, seats []Seat) error {
	if r.Frame.Rules.Cases {
		return weighCases(ctx, r, seats)
	}
	for r.ledger.Disagree() {
		option := verdict.NextCheck(r.ledger, r.Frame.Rules, func(option string) bool { return r.candidate(option, seats) != nil })
		if option == "" {
			break
		}
		if over, err := r.over(ctx, "before check "+r.nextCheck()); over || err != nil {
			return err
		}
		if err := r.weighClaim(ctx, r.candidate(option, seats), seats); err != nil {
			return err
		}
	}
	return r.weighObjections(ctx, seats)
}

// weighObjections checks what would block the leading option whatever the votes: its high-impact security and data
// objections, as many as an option may have checks. They are checked even if all seats agree.
func (r *Room) weighObjections(ctx context.Context, seats []Seat) error {
	for range r.Frame.Rules.ChecksPerOption {
		bs := verdict.Posterior(r.ledger, r.Frame.Rules)
		w := r.ledger.Weights(r.Frame.Rules)
		i := slices.IndexFunc(r.ledger.Claims, func(c verdict.Claim) bool {
			return len(bs) > 0 && c.Option == bs[0].Option && !c.Supports && c.Grave(w) && r.checkable(&c, seats)
		})
		if i < 0 {
			return nil
		}
		if over, err := r.over(ctx, "before check "+r.nextCheck()); over || err != nil {
			return err
		}
		if err := r.weighClaim(ctx, &r.ledger.Claims[i], seats); err != nil {
			return err
		}
	}
	return nil
}

// candidate is the claim for an option that is worth checking next: the weightiest, executed evidence before
// quotes before sources, and of another author than those checked already if there is one.
func (r *Room) candidate(option string, seats []Seat) *verdict.Claim {
	if r.Frame.Rules.OwnCase {
		return ownCandidate(r, option, seats)
	}
	var best *verdict.Claim
	w := r.ledger.Weights(r.Frame.Rules)
	rank := func(c *verdict.Claim) int {
		n := 100 * c.ImpactBy(w)
		n += map[string]int{"command": 30, "quote": 20, "source": 10}[c.Evidence.Kind]
		if r.authorChecked(option, c.Seat) {
			n -= 50
		}
		return n
	}
	for i := range r.ledger.Claims {
		c := &r.ledger.Claims[i]
		if c.Option == option && c.Vetoed == "" && r.checkable(c, seats) && (best == nil || rank(c) > rank(best)) {
			best = c
		}
	}
	return best
}

// ownCandidate is the eligible claim for an option whose author's lineage has had the fewest checks there; among equals the
// seed and the content draw. Impact and kind of evidence are the author's to choose, so they play no part.
func ownCandidate(r *Room, option string, seats []Seat) *verdict.Claim {
	spent := map[string]int{}
	for _, k := range r.ledger.Checks {
		if c := r.ledger.Claim(k.Claim); c != nil && c.Option == option && k.CarriesWeight() && r.ledger.Eligible(*c) {
			spent[r.ledger.Lineage(c.Seat)]++
		}
	}
	before := func(a, b *verdict.Claim) bool {
		x, y := spent[r.ledger.Lineage(a.Seat)], spent[r.ledger.Lineage(b.Seat)]
		return x < y || x == y && draw(r.Frame.Seed, "claim", a) < draw(r.Frame.Seed, "claim", b)
	}
	var best *verdict.Claim
	for i := range r.ledger.Claims {
		c := &r.ledger.Claims[i]
		if c.Option == option && c.Vetoed == "" && r.ledger.Eligible(*c) && r.checkable(c, seats) && (best == nil || before(c, best)) {
			best = c
		}
	}
	return best
}

// draw gives a number for a claim that follows from a room's seed and what the claim says, whatever its id or place.
func draw(seed uint64, what string, c *verdict.Claim, more ...string) uint64 {
	e := c.Evidence
	content := append([]string{what, plain(c.Text), e.Kind, e.File, fmt.Sprint(e.Line), e.Quote, strings.Join(e.Command, "\x00"), e.URL}, more...)
	return shuffler(seed, content...).Uint64()
}

func (r *Room) checkable(c *verdict.Claim, seats []Seat) bool {
	switch c.Evidence.Kind {
	case "command":
		return !r.checked(c.ID, "command")
	case "source":
		return !r.checked(c.ID, "source") && r.verifier(c, seats) != nil
	case "quote":
		return r.ledger.Passed(c.ID, "quote") && !r.checked(c.ID, "entailment") && r.verifier(c, seats) != nil
	}
	return false
}

func (r *Room) checked(claim, kind string) bool {
	return slices.ContainsFunc(r.ledger.Checks, func(k verdict.Check) bool { return k.Claim == claim && k.Kind == kind })
}

func (r *Room) authorChecked(option, seat string) bool {
	return slices.ContainsFunc(r.ledger.Checks, func(k verdict.Check) bool {
		c := r.ledger.Claim(k.Claim)
		return c != nil && c.Option == option && c.Seat == seat && k.CarriesWeight()
	})
}

// verifier chooses who judges a claim's evidence: a seat of another lineage than the author's, the one that has
// judged least, then as the seed has it. It is nil if there is none.
func (r *Room) verifier(c *verdict.Claim, seats []Seat) *Seat {
	var author string
	for _, v := range r.ledger.Votes {
		if v.Seat == c.Seat {
			author = v.Lineage
		}
	}
	var able []Seat
	for _, s := range seats {
		i := slices.IndexFunc(r.ledger.Votes, func(v verdict.Vote) bool { return v.Seat == s.Info.ID })
		if i >= 0 && r.ledger.Votes[i].Lineage != author && !r.silent[s.Info.ID] {
			able = append(able, s)
		}
	}
	if len(able) == 0 {
		return nil
	}
	if r.Frame.Rules.OwnCase { // drawn per claim: who has judged how often depends on the order
		best := slices.MinFunc(able, func(a, b Seat) int {
			return cmp.Compare(draw(r.Frame.Seed, "judge", c, a.Info.ID), draw(r.Frame.Seed, "judge", c, b.Info.ID))
		})
		return &best
	}
	shuffler(r.Frame.Seed, "verify", c.ID).Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	load := func(s Seat) int {
		n := 0
		for _, k := range r.ledger.Checks {
			if k.By == s.Info.ID {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(able, func(a, b Seat) int { return cmp.Compare(load(a), load(b)) })
	return &able[0]
}

// weighClaim runs one check that can carry weight and records it.
func (r *Room) weighClaim(ctx context.Context, c *verdict.Claim, seats []Seat) (err error) {
	if done, err := r.recall(ctx); done || err != nil {
		return err
	}
	var k verdict.Check
	switch c.Evidence.Kind {
	case "command":
		k = r.look(ctx, c, "command")
	case "source":
		if k = r.look(ctx, c, "source"); k.Result == verdict.Pass {
			k, err = r.judge(ctx, c, k, verdict.Fetched, k.Lines, r.verifier(c, seats))
		} else {
			k.Grade = verdict.Matched // as with quotes: what is not there discredits the claim alone
		}
	default:
		k = verdict.Check{ID: r.nextCheck(), Claim: c.ID, Kind: "entailment", Grade: verdict.Nothing}
		k, err = r.judge(ctx, c, k, verdict.Entailed, r.lines[c.ID], r.verifier(c, seats))
	}
	if err != nil {
		return err
	}
	return r.keep(ctx, k)
}

func (r *Room) nextCheck() string { return fmt.Sprintf("k%d", len(r.ledger.Checks)+1) }

// recall takes the next check out of the record if it is there, with all that followed from it.
func (r *Room) recall(ctx context.Context) (bool, error) {
	k, ok := journal.Recall(r.book.Book, CheckKind, r.nextCheck())
	if !ok {
		if r.book.Sealed {
			return false, fmt.Errorf("check %s: %w", r.nextCheck(), journal.ErrNotRecorded)
		}
		return false, nil
	}
	r.ledger.Checks = append(r.ledger.Checks, k)
	if k.Lines != "" {
		r.lines[k.Claim] = k.Lines
	}
	reply, asked := journal.Recall(r.book.Book, ReplyKind, key(Verify, k.ID, k.By))
	if k.By == "" || !asked {
		return true, nil
	}
	if reply.State != Answered {
		r.silent[k.By] = true
		return true, nil
	}
	ask, _ := journal.Happened(r.book.Book, AskKind, reply.Key)
	a, _ := AskKind.Of(ask)
	prompt, err := r.book.Open(ctx, a.Prompt)
	if err != nil {
		return true, err
	}
	answer, err := r.book.Open(ctx, reply.Text)
	if err != nil {
		return true, err
	}
	if r.book.Sealed {
		again, err := rejudge(r, k, prompt, answer)
		if err != nil {
			return true, err
		}
		if again {
			r.rejudged++
		}
	}
	r.remember(k.By, Turn{Answer: answer, prompt: prompt})
	return true, nil
}

// look observes a claim's evidence through code.
func (r *Room) look(ctx context.Context, c *verdict.Claim, kind string) verdict.Check {
	round, end := r.round(ctx) // a person who ends the round does not wait for a slow command
	defer end()
	o := r.Look(round, c.Evidence)
	if o.Lines != "" {
		r.lines[c.ID] = o.Lines
	}
	k := verdict.Check{ID: r.nextCheck(), Claim: c.ID, Kind: kind, Result: o.Result, Grade: o.Grade, Control: o.Control, Same: o.Same,
		Detail: oneLine(o.Detail, 300), Trials: o.Trials, MS: o.MS, Command: c.Evidence.Command, Lines: o.Lines}
	if o.Proof != (verdict.Proof{}) {
		k.Proof = &o.Proof
	}
	return k
}

// weighed gives a check its ratio and puts it into the ledger.
func (r *Room) weighed(k verdict.Check) verdict.Check {
	if r.Frame.Rehearsal {
		k.Trials = nil // rules that judge must not calibrate models that judge
	}
	r.ledger.Checks = append(r.ledger.Checks, k)
	last := &r.ledger.Checks[len(r.ledger.Checks)-1]
	last.Ratio = r.Frame.Rules.Worth(r.ledger, r.ledger.Claim(k.Claim), k)
	return *last
}

// keep enters a check and records it.
func (r *Room) keep(ctx context.Context, k verdict.Check) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) // what was cut short shows nothing
	}
	return r.book.Add(ctx, CheckKind.New(r.book.parent(), "code", r.weighed(k)))
}

// judge asks a seat whether the lines entail the claim and, since rules version 4, whether it bears on its option. A control travels
// with it, in an order the seat cannot know: a statement about the same lines, true or false, of which code knows which. Its
// outcomes are pooled over many rooms to measure how far a model's judgements can be trusted.
func (r *Room) judge(ctx context.Context, c *verdict.Claim, k verdict.Check, g verdict.Grade, lines string,
	s *Seat) (verdict.Check, error) {
	if s == nil {
		k.Result, k.Grade, k.Detail = verdict.Skipped, verdict.Nothing, "no seat of another lineage could judge it"
		return k, nil
	}
	h := hear(r, c, k.ID, lines)
	brief := Brief{Prompt: verifyPrompt(h.shown), Schema: llm.ReplySchema[verifyReply](verifyValues(len(h.items))),
		Parse: func(text string) (any, error) { return h.parse(text) }}
	turns, err := r.Ask(ctx, Verify, k.ID, func(Seat) Brief { return brief }, *s)
	if err != nil {
		return k, err
	}
	k.By = s.Info.ID
	if turns[0].State != Answered {
		r.silent[s.Info.ID] = true
		k.Result, k.Grade, k.Detail = verdict.Skipped, verdict.Nothing, s.Info.ID+" did not judge it: "+turns[0].Reason
		return k, nil
	}
	reply, ok := turns[0].parsed.(verifyReply)
	if !ok {
		return k, fmt.Errorf("the recorded judgement %s cannot be read", turns[0].Key)
	}
	k.Grade = g
	return h.enter(k, reply), nil
}

// passes says whether every question that counts was answered with yes.
func (j judgement) passes(cases, objection bool) bool {
	return j.Entails == entailsYes && (!cases || j.Bears == entailsYes && (!objection || j.Grave == entailsYes))
}

// detail is a judgement in words.
func (j judgement) detail(cases, objection bool) string {
	out := "judged: " + j.Entails
	switch {
	case !cases || j.Entails != entailsYes:
	case j.Bears != entailsYes && objection:
		out = "judged: shown, but not about this option"
	case j.Bears != entailsYes:
		out = "judged: shown, but it does not favour its option"
	case objection && j.Grave != entailsYes:
		out = "judged: shown, but not as grave as said"
	}
	if why := oneLine(j.Why, 200); why != "" {
		out += " (" + why + ")"
	}
	return out
}

func controlText(t verdict.Trial) string {
	what, verb := "false statement", "rejected"
	if t.Good {
		what = "true statement"
	}
	if t.Passed {
		verb = "accepted"
	}
	return what + " about the same lines " + verb
}

// parseVerify reads a reply about the items shown. Rules before version 4 ask only whether the lines entail the claim.
func parseVerify(text string, shown []evidenceItem, cases bool) (verifyReply, error) {
	v, err := llm.Object[verifyReply](text, "judgements")
	if err != nil {
		return v, err
	}
	for i, it := range shown {
		j := v.of(i + 1)
		switch {
		case !slices.Contains(entailments, j.Entails):
			return v, fmt.Errorf("item %d has no judgement of %s", i+1, listed(entailments))
		case cases && !slices.Contains(yesOrNo, j.Bears):
			return v, fmt.Errorf(`item %d does not say "yes" or "no" to "bears"`, i+1)
		case cases && it.Object != "" && !slices.Contains(yesOrNo, j.Grave):
			return v, fmt.Errorf(`item %d is an objection and does not say "yes" or "no" to "grave"`, i+1)
		}
	}
	return v, nil
}

// of is the judgement of an item. Two different ones for the same item are none.
func (v verifyReply) of(item int) judgement {
	var found judgement
	for _, j := range v.Judgements {
		for _, said := range []*string{&j.Entails, &j.Bears, &j.Grave} {
			*said = strings.ToLower(strings.TrimSpace(*said))
		}
		if j.Item != item {
			continue
		}
		if found.Item == item && (found.Entails != j.Entails || found.Bears != j.Bears || found.Grave != j.Grave) {
			return judgement{}
		}
		found = j
	}
	return found
}
