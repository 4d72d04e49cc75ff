package debate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
)

// hearing is what a judge is shown of a claim: the claim and its control beside lines, in an order the seat cannot know.
type hearing struct {
	items, shown []evidenceItem
	at           []int // where item i is shown
	control      *control
	cases        bool
}

// hear lays out a claim for the judge of a check. It follows from what the room knows alone.
func (b *bench) hear(c *verdict.Claim, check, lines string) hearing {
	h := hearing{cases: b.room.Frame.Rules.Cases}
	h.items, h.control = b.items(c, check, lines)
	h.shown, h.at = make([]evidenceItem, len(h.items)), make([]int, len(h.items))
	// The order is drawn: a judge must not learn which item is the claim.
	for pos, i := range shuffler(b.room.Frame.Seed, "items", check).Perm(len(h.items)) {
		h.shown[pos], h.at[i] = h.items[i], pos+1
		h.shown[pos].Item = pos + 1
	}
	return h
}

func (h hearing) parse(text string) (verifyReply, error) { return parseVerify(text, h.shown, h.cases) }

// enter takes what a judge replied into its check.
func (h hearing) enter(k verdict.Check, reply verifyReply) verdict.Check {
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

// rejudge refuses a recorded judgement, and the runs of its controls, that do not follow from what the judge replied. It is false
// for a judge that was shown the claim in another way than today, by another version: of that nothing can be said.
func (b *bench) rejudge(k verdict.Check, prompt, answer string) (bool, error) {
	c := b.ledger.Claim(k.Claim)
	if c == nil || k.Result == verdict.Skipped {
		return false, nil
	}
	h := b.hear(c, k.ID, b.lines[k.Claim])
	if verifyPrompt(h.shown) != prompt {
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

// redraw refuses a recorded check that the rules and the room's key would not have come to: of another claim, by another judge, or
// for another reason.
func (b *bench) redraw(step verdict.Step, able []verdict.Vote) error {
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

// items are the claim itself and, where one can be made, a control.
func (b *bench) items(c *verdict.Claim, check, lines string) ([]evidenceItem, *control) {
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

// controlFor makes a control for what a claim rests on; false: none can be made.
func controlFor(c *verdict.Claim, lines string, rnd *rand.Rand) (control, bool) {
	if c.Evidence.Kind == "command" {
		return controlOfRun(c.Text, lines, rnd)
	}
	quote := clean.OneLine(c.Evidence.Quote, 400)
	if quote == "" {
		return control{}, false
	}
	return controlOf(c.Text, quote, lines, rnd)
}
