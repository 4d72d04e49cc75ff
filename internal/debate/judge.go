package debate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// judge asks a seat whether the lines entail the claim and, since rules version 4, whether it bears on its option. A control goes
// with it, in an order the seat cannot know: a statement about the same lines that code knows to be true or false. The results of
// controls are pooled over many rooms to measure how far a model's judgements can be trusted.
func (b *checker) judge(ctx context.Context, c *verdict.Claim, k verdict.Check, g verdict.Grade, lines string,
	s *Seat) (verdict.Check, error) {
	if s == nil {
		k.Result, k.Grade, k.Detail = verdict.Skipped, verdict.Nothing, "no seat of another lineage could judge it"
		return k, nil
	}
	h := b.layOut(c, k.ID, lines)
	prompt := Prompt{Prompt: verifyPrompt(h.shown), Schema: form.Schema[verifyReply](verifyValues(len(h.items))),
		Parse: func(text string) (any, error) { return h.parse(text) }}
	turns, err := b.room.Ask(ctx, exchange.Verify, k.ID, func(Seat) Prompt { return prompt }, *s)
	if err != nil {
		return k, err
	}
	k.By = s.Info.ID
	if turns[0].State != exchange.Answered {
		b.failedJudges[s.Info.ID] = true
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

// judgeSheet is what a judge is shown about a claim: the claim, its control and the lines, in an order the seat cannot know.
type judgeSheet struct {
	items, shown []evidenceItem
	at           []int // where item i is shown
	control      *control
	cases        bool
}

// layOut prepares what the judge of a check is shown. It depends only on what the room knows, so it can be repeated.
func (b *checker) layOut(c *verdict.Claim, check, lines string) judgeSheet {
	h := judgeSheet{cases: b.room.Frame.Rules.Cases}
	h.items, h.control = b.items(c, check, lines)
	h.shown, h.at = make([]evidenceItem, len(h.items)), make([]int, len(h.items))
	// The order is random: a judge must not learn which item is the claim.
	for pos, i := range shuffler(b.room.Frame.Seed, "items", check).Perm(len(h.items)) {
		h.shown[pos], h.at[i] = h.items[i], pos+1
		h.shown[pos].Item = pos + 1
	}
	return h
}

func (h judgeSheet) parse(text string) (verifyReply, error) {
	return parseVerify(text, h.shown, h.cases)
}

// enter fills a check from the judge's reply.
func (h judgeSheet) enter(k verdict.Check, reply verifyReply) verdict.Check {
	said, objection := reply.of(h.at[0]), h.items[0].Object != ""
	k.Result, k.Detail = verdict.Fail, said.detail(h.cases, objection)
	if said.passes(h.cases, objection) {
		k.Result = verdict.Pass
	}
	if h.cases {
		k.Answers = &verdict.Answers{Shows: said.Entails, Bears: said.Bears, Grave: said.Grave}
	}
	if h.control != nil {
		t := verdict.Trial{Grade: k.Grade, Good: h.control.good, Passed: reply.of(h.at[1]).Entails == entailsYes}
		k.Trials, k.Control = append(k.Trials, t), h.control.outcome(t.Passed)
	}
	return k
}

// recheckJudgement returns an error if a recorded judgement, or the result of its control, does not follow from the judge's reply. It
// is false if another version showed the judge the claim in another way: that cannot be rechecked.
func (b *checker) recheckJudgement(k verdict.Check, promptText, answer string) (bool, error) {
	c := b.ledger.Claim(k.Claim)
	if c == nil || k.Result == verdict.Skipped {
		return false, nil
	}
	h := b.layOut(c, k.ID, b.lines[k.Claim])
	if verifyPrompt(h.shown) != promptText {
		return false, nil
	}
	reply, err := h.parse(answer)
	if err != nil {
		return true, fmt.Errorf("%w: the reply of %s to check %s is not a judgement: %w", ErrDiffers, k.By, k.ID, err)
	}
	again := h.enter(verdict.Check{Grade: k.Grade}, reply)
	if b.room.Frame.Rehearsal {
		// As weighed does when the check is made.
		again.Trials = nil
	}
	had, _ := json.Marshal([]any{k.Result, k.Answers, k.Trials})
	if got, _ := json.Marshal([]any{again.Result, again.Answers, again.Trials}); string(had) != string(got) {
		return true, fmt.Errorf("%w: check %s does not say what %s replied", ErrDiffers, k.ID, k.By)
	}
	return true, nil
}

// redraw returns an error if the rules and the room's key draw another claim, another judge or another reason than a recorded check
// has.
func (b *checker) redraw(step verdict.Step, able []verdict.Vote) error {
	n := len(b.ledger.Checks) - 1
	k, before := b.ledger.Checks[n], b.ledger.Ledger
	before.Checks = before.Checks[:n]
	if k.Claim != step.Claim {
		return fmt.Errorf("%w: check %s is of %s, but its rules draw %s", ErrDiffers, k.ID, k.Claim, step.Claim)
	}
	if k.By == "" {
		return nil
	}
	by, _ := before.DrawJudge(before.Claim(k.Claim), able)
	if k.By != by.Seat || k.Asked != step.Why {
		return fmt.Errorf("%w: check %s was judged by %s (%s), but its key draws %s (%s)", ErrDiffers, k.ID, k.By, k.Asked, by.Seat,
			step.Why)
	}
	return nil
}

// items returns the claim itself and, if one can be made, a control.
func (b *checker) items(c *verdict.Claim, check, lines string) ([]evidenceItem, *control) {
	claim := evidenceItem{Claim: c.Text, Lines: lines}
	if b.room.Frame.Rules.Cases && c.Supports {
		claim.For = b.ledger.Text(c.Option)
	} else if b.room.Frame.Rules.Cases {
		claim.Object = b.ledger.Text(c.Option)
	}
	k, ok := controlFor(c, lines, shuffler(b.room.Frame.Seed, "control", check, c.Text))
	if !ok {
		return []evidenceItem{claim}, nil
	}
	return []evidenceItem{claim, {Claim: k.text, For: claim.For, Object: claim.Object, Lines: cmp.Or(k.lines, lines)}}, &k
}

// controlFor makes a control for a claim's evidence; false: none can be made.
func controlFor(c *verdict.Claim, lines string, rnd *rand.Rand) (control, bool) {
	if c.Evidence.Kind == "command" {
		return makeRunControl(c.Text, lines, rnd)
	}
	quote := clean.OneLine(c.Evidence.Quote, 400)
	if quote == "" {
		return control{}, false
	}
	return makeControl(c.Text, quote, lines, rnd)
}

// passes reports whether every question that counts was answered with yes.
func (j judgement) passes(cases, objection bool) bool {
	return j.Entails == entailsYes && (!cases || j.Bears == entailsYes && (!objection || j.Grave == entailsYes))
}

// detail describes a judgement in words.
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
	if why := clean.OneLine(j.Why, 200); why != "" {
		out += " (" + why + ")"
	}
	return out
}

// outcome describes a judge's answer to a control in words.
func (k control) outcome(accepted bool) string {
	what, verb := "false statement about the same lines", "rejected"
	switch {
	case k.good:
		what = "true statement about the same lines"
	case k.lines != "":
		what = "statement about a copy of the lines in which it is false"
	}
	if accepted {
		verb = "accepted"
	}
	return what + " " + verb
}

// parseVerify reads a reply about the items shown. Rules before version 4 ask only whether the lines entail the claim.
func parseVerify(text string, shown []evidenceItem, cases bool) (verifyReply, error) {
	v, err := form.Object[verifyReply](text, "judgements")
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

// of returns the judgement of an item. Two that differ for the same item count as none.
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
