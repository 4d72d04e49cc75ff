package debate

import (
	"context"
	"errors"
	"fmt"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm"
	"slices"
	"strings"
)

// advocate has one seat propose and the others challenge it, in six phases.
var advocate = Strategy{
	Name:  "advocate",
	Doc:   "one seat proposes and the others challenge it; then votes",
	When:  "To test a plan before building it: the first seat, or the one with the persona advocate, defends it and all others try to break it, working from the same text. If most seats lack information, you are asked for it; if nobody can answer, the debate continues, but its gate never says proceed.",
	Least: 2, Rounds: 1, Explores: true,
	Turns: func(rounds int) (int, int) { return 4, 4 + rounds },
	Run: func(ctx context.Context, r *Room) error {
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		if err := r.ready(ctx); err != nil {
			return err
		}
		seats := r.present(r.Seats...)
		if len(seats) == 0 {
			return r.conclude(ctx)
		}
		at := max(0, slices.IndexFunc(seats, func(s Seat) bool { return s.Info.Persona.Name == "advocate" }))
		proposer, challengers := seats[at], slices.Delete(slices.Clone(seats), at, at+1)
		if _, err := r.talk(ctx, phase{name: "proposal", task: "advocate", blind: true}, proposer); err != nil {
			return err
		}
		if len(r.present(proposer)) == 0 && len(challengers) > 0 { // another stands in, once
			if err := r.book.note(ctx, "stand-in", proposer.Info.ID+" made no proposal; "+challengers[0].Info.ID+" proposed instead"); err != nil {
				return err
			}
			proposer, challengers = challengers[0], challengers[1:]
			if _, err := r.talk(ctx, phase{name: "proposal", task: "advocate", blind: true}, proposer); err != nil {
				return err
			}
		}
		if len(r.present(proposer)) == 0 {
			return r.conclude(ctx) // there is nothing to challenge
		}
		if _, err := r.talk(ctx, phase{name: "challenge", task: "challenge"}, challengers...); err != nil {
			return err
		}
		for round := 1; round <= max(1, r.Frame.Limits.Rounds); round++ {
			before := len(r.ledger.Claims)
			if _, err := r.talk(ctx, phase{name: fmt.Sprintf("response %d", round), task: "rebuttal", words: 200}, proposer); err != nil {
				return err
			}
			refreshed := phase{name: fmt.Sprintf("rebuttal %d", round), task: "refresh", words: 200, detail: func(string) string { return r.facts() }}
			if _, err := r.talk(ctx, refreshed, challengers...); err != nil {
				return err
			}
			if r.talks.voteNow || !r.evident(before) {
				break // another round is worth its price only for new evidence
			}
		}
		return r.conclude(ctx)
	},
}

// readyReply is how a seat says that it understood.
type readyReply struct {
	Ready bool   `json:"ready"`
	Lacks string `json:"lacks"`
}

// ready asks every seat for a word before anything long is sent, so that a seat that cannot answer costs little.
func (r *Room) ready(ctx context.Context) error {
	brief := Brief{Prompt: block("question", r.Frame.Question) + "\n" + block("task", page("ready")), Schema: llm.ReplySchema[readyReply](nil), Parse: func(text string) (any, error) {
		v, err := llm.Object[readyReply](text, "ready")
		if err == nil && !v.Ready && strings.TrimSpace(v.Lacks) == "" {
			err = errors.New(`"ready" is false but "lacks" does not say what is missing`)
		}
		return v, err
	}}
	turns, err := r.Ask(ctx, Ready, "0", func(Seat) Brief { return brief }, r.Seats...)
	if err != nil {
		return err
	}
	var lacks []string
	answered := 0
	for _, t := range turns {
		reply, ok := t.parsed.(readyReply)
		if t.State != Answered || !ok {
			r.talks.absent[t.Seat] = t
			continue
		}
		if answered++; !reply.Ready {
			lacks = append(lacks, t.Seat+": "+oneLine(reply.Lacks, 200))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return r.unready(ctx, lacks, answered)
}

const unreadyPlace = "readiness"

// unready is what follows where seats lack something. If most do, whoever attends is asked for it; where nobody tells
// them anything the debate goes on without it, says so, and its gate stays shut.
func (r *Room) unready(ctx context.Context, lacks []string, answered int) error {
	text := fmt.Sprintf("%d of %d seats lacked information: %s", len(lacks), answered, strings.Join(lacks, "; "))
	if 2*len(lacks) <= answered {
		return r.book.note(ctx, unreadyPlace, text)
	}
	over := r.book.noted(unreadyPlace)
	if err := r.heed(ctx, "before "+unreadyPlace, !over); err != nil { // what was said earlier is no answer
		return err
	}
	if err := r.heed(ctx, unreadyPlace, false); err != nil {
		return err
	}
	if r.Attended && !over && !r.book.Sealed && r.closed() == nil {
		need := Need{Key: unreadyPlace, Text: text + ". Send it to them, then continue with /go"}
		if err := r.call(ctx, need, r.left()/2, func(w Word) bool { return w.Verb == Go || w.Verb == Answer }); err != nil {
			return err
		}
	}
	told := slices.ContainsFunc(r.book.heeds(unreadyPlace), func(h Heed) bool { return !h.Refused && (h.Verb == Say || h.Verb == Assert) })
	if told {
		return r.book.note(ctx, unreadyPlace, text+". A person supplied more")
	}
	r.ledger.Lacks = lacks
	return r.book.note(ctx, unreadyPlace, text+". Nobody supplied it, and the debate continued")
}

// facts lists what code has found out about the claims so far.
func (r *Room) facts() string {
	var b strings.Builder
	b.WriteString("Since the challenge code has looked at the claims. What it found is fact; the rest is still opinion:")
	n := 0
	for _, k := range slices.Backward(r.ledger.Checks) {
		if k.Result == verdict.Skipped || n == 20 {
			continue
		}
		n++
		where := ""
		if k.Proof != nil && k.Proof.File != "" {
			where = fmt.Sprintf(" at %s:%d", k.Proof.File, k.Proof.Line)
		}
		fmt.Fprintf(&b, "\n- %s: %s %s%s", k.Claim, k.Kind, k.Result, where)
	}
	if n == 0 {
		return "Code found nothing to check in the claims so far: name a file and a literal line."
	}
	return b.String()
}

// evident says whether a claim made since there were known of them came with a quote that is there.
func (r *Room) evident(known int) bool {
	return slices.ContainsFunc(r.ledger.Claims[min(known, len(r.ledger.Claims)):], func(c verdict.Claim) bool { return r.passed(c.ID, "quote") })
}
