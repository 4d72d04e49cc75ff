package model

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// asked serves requests in a protocol; in makes its form. Errors before the first byte have a status; later ones are
// part of the stream.
func (d *handler) asked(in func(r *http.Request, id, model string, usage bool) form) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := d.read(r, strings.HasSuffix(r.URL.Path, "/responses"))
		if r.UserAgent() == usual && err == nil { // otherwise a seat that is a panel would ask panels without end
			err = invalid("a panel cannot be a seat, or the model of one of our agents")
		}
		if err != nil {
			p := api.ProblemOf(err)
			d.refuse(w, &p)
			return
		}
		o := d.output(w, in(r, strings.ToLower(rand.Text()), q.model, q.usage), q.stream)
		var a *answer
		if why := q.alone(r); why != "" {
			a, err = d.alone(r.Context(), &q, why, o)
		} else {
			a, err = d.debate(r, &q, o)
		}
		if err != nil {
			p := problemOf(err)
			o.fail(d, &p)
			return
		}
		o.finish(d, a)
	}
}

// problemOf converts an error to the status that makes clients do the right thing: retry what may pass, and nothing
// else.
func problemOf(err error) api.Problem {
	if e, ok := errors.AsType[*trouble.Error](err); ok {
		return api.Problem{Status: http.StatusServiceUnavailable, Detail: e.Error()}
	}
	return api.ProblemOf(err)
}

// debate debates the question, streams what seats say, and returns the decision. It returns when the debate has
// ended, with an error if there is no result. If the client leaves it stops following, and wait decides what happens
// to the debate.
func (d *handler) debate(r *http.Request, q *request, o *output) (*answer, error) {
	ctx := r.Context()
	ask, err := q.ask()
	if err != nil {
		return nil, err
	}
	dir, err := d.Folder(r)
	if err != nil {
		return nil, err
	}
	caller := api.CallerOf(r)
	ask.Client = caller.Name + " (/v1)"
	key := d.again(&ask, dir, caller.Name, r.Header.Get("Idempotency-Key"))
	room, notes, err := d.Debate(ctx, dir, ask)
	if err != nil {
		return nil, err
	}
	o.name(room)
	defer d.wait(ctx, room, key, q.keep)()
	t := &teller{handler: d, Room: scene.NewRoom(), out: o, told: map[*scene.Turn]bool{}}
	info, err := door.Follow(ctx, d.Engine, room, func(b engine.Batch) bool { return t.take(ctx, b) })
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !info.Ended:
		return nil, &api.Problem{Status: http.StatusServiceUnavailable, Detail: "debate " + room + " stopped before reaching a decision",
			Hint: "ask again to resume it"}
	}
	res := t.Result()
	if err := undecided(res); err != nil {
		return nil, err
	}
	a := decided(res)
	a.socrates.Seq, a.socrates.Warnings = t.seq, append(slices.Clone(q.warnings), notes...)
	a.socrates.Record = "http://" + r.Host + "/api/v1/debates/" + room + "/decision"
	if r.TLS != nil {
		a.socrates.Record = "https" + strings.TrimPrefix(a.socrates.Record, "http")
	}
	// A client that asked for a schema cannot read anything else.
	if q.schema != nil {
		if err := d.written(ctx, q, a); err != nil {
			return nil, err
		}
	} else if q.json {
		raw, _ := json.Marshal(a.socrates) // of strings and numbers
		a.text, a.sources = string(raw), nil
	}
	o.say(a.text)
	return a, nil
}

// undecided returns an error if there was no panel: a smaller one would be another panel than was asked for. Other
// outcomes without a decision are answers: the text says what is open.
func undecided(res debate.Result) error {
	var why []string
	for _, s := range res.Seats {
		if s.Status == verdict.Failed {
			why = append(why, s.ID+": "+s.Reason)
		}
	}
	said := fmt.Sprintf("debate %s reached no decision: %s (%s)", res.Room, res.Why, strings.Join(why, "; "))
	switch {
	case res.Outcome.Decision():
		return nil
	case res.ExitCode == failure.ExitLimit:
		return &api.Problem{Status: http.StatusPaymentRequired, Detail: said, Hint: "raise debate.budget_usd, or ask for less"}
	// Seats may return, so trying again is right.
	case res.Outcome == verdict.NoQuorum:
		return &api.Problem{Status: http.StatusServiceUnavailable, Detail: said, Hint: "see: socrates debate show " + res.Room}
	}
	return nil
}

// teller streams news of a debate, a seat's answer as soon as it is complete. It is for the goroutine of one request.
type teller struct {
	*handler
	*scene.Room
	out   *output
	lines int
	told  map[*scene.Turn]bool
	stage string
	seq   int64
}

// take applies news; it reports whether the debate is over. A seat's answer is streamed once it is complete: while it
// grows it is JSON.
func (t *teller) take(ctx context.Context, b engine.Batch) (over bool) {
	for _, n := range b.Nodes {
		t.Node(n)
		t.seq = n.Seq
	}
	texts := map[string]string{}
	for _, hash := range t.Wanted() {
		if text, err := t.Engine.Text(ctx, hash); err == nil { // a damaged text is left out; doctor reports it
			texts[hash] = text
		}
	}
	t.Texts(texts)
	for _, turn := range t.answered() {
		t.told[turn] = true
		t.begin(scene.Stage(turn.Asked))
		t.out.think(fmt.Sprintf("**%s**: %s\n\n", turn.Asked.Seat, strings.TrimSpace(t.Read(turn))))
	}
	if t.End == nil {
		t.begin(t.Stage)
	}
	for _, l := range t.Lines[t.lines:] {
		// What code did, and what failed; seats' own lines were streamed in full.
		if l.Who == "" || l.Bad {
			t.out.think(strings.TrimPrefix(l.Who+": ", ": ") + l.Text + "\n\n")
		}
	}
	t.lines = len(t.Lines)
	return t.End != nil
}

// answered returns the finished turns not yet streamed, in the order of the questions.
func (t *teller) answered() (turns []*scene.Turn) {
	for _, s := range t.Seats {
		for _, turn := range s.Turns {
			if turn.Reply != nil && !t.told[turn] {
				turns = append(turns, turn)
			}
		}
	}
	slices.SortStableFunc(turns, func(a, b *scene.Turn) int { return a.At.Compare(b.At) })
	return turns
}

// begin announces a stage, the first one with the seats.
func (t *teller) begin(stage string) {
	if stage == t.stage || stage == "" {
		return
	}
	if t.stage == "" {
		var who []string
		for _, s := range t.Seats {
			who = append(who, s.Info.Title()+" ("+s.Info.Lineage+")")
		}
		t.out.think("Debate " + t.Frame.Room + ": " + strings.Join(who, ", ") + "\n\n")
	}
	t.stage = stage
	t.out.think("### " + stage + "\n\n")
}
