package door

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
)

// The states of a debate for a client. A rehearsal is done, whatever its result: no model took part, so nobody must
// decide.
const (
	running     = "running"
	done        = "done"
	needsPerson = "needs_person"
	failed      = "failed"
)

// Answer tells a client about a debate. Text has all of it in words, since some clients show a model only this
// object. It is written for models: empty fields are left out, and the same facts are in Text and in the fields.
type Answer struct {
	State    string    `json:"state" jsonschema:"done, running, needs_person or failed"`
	Debate   string    `json:"debate" jsonschema:"its name"`
	After    string    `json:"after,omitempty" jsonschema:"your position; pass it to debate_wait unchanged"`
	Text     string    `json:"text" jsonschema:"all of this in words, the decision first"`
	Decision *Decision `json:"decision,omitempty" jsonschema:"option, outcome, probability, score and exit code, once it has ended"`
	Dissent  []Dissent `json:"dissent,omitempty" jsonschema:"claims for the strongest other option: seat, option, claim"`
	Missing  []string  `json:"missing_seats,omitempty" jsonschema:"seats that gave no vote: this is not the whole panel"`
	Spent    Spent     `json:"spent" jsonschema:"usd, whether that is all (usd_known), and tokens"`
	Next     *Next     `json:"next,omitempty" jsonschema:"the tool to call next, with its arguments"`
	Record   string    `json:"record,omitempty" jsonschema:"the resource that holds the whole decision"`
	SHA256   string    `json:"record_sha256,omitempty" jsonschema:"hash of the record; verify it with: socrates verify NAME --sha256 HASH"`
}

// Decision is the result of the panel.
type Decision struct {
	Key         string  `json:"key,omitempty"`
	Option      string  `json:"option,omitempty"`
	Outcome     string  `json:"outcome"`
	Probability float64 `json:"probability,omitempty" jsonschema:"of the option, from votes and checked claims; absent in a rehearsal"`
	Score       float64 `json:"score"`
	Evidence    float64 `json:"evidence"`
	Stability   float64 `json:"stability"`
	Coverage    float64 `json:"coverage"`
	ExitCode    int     `json:"exit_code"`
}

// Dissent is a claim for another option that nobody refuted.
type Dissent struct {
	Seat   string `json:"seat"`
	Option string `json:"option"`
	Claim  string `json:"claim"`
}

// Spent is what the debate has taken so far.
type Spent struct {
	USD    float64 `json:"usd"`
	Known  bool    `json:"usd_known" jsonschema:"false: usd is a lower bound"`
	Tokens int     `json:"tokens"`
}

// Next is the call to make next.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// maxText is the maximum length of an answer's text. Some clients cut longer text in the middle.
const maxText = 6000

// answer waits for a debate and returns its state. The call ends at until at the latest, also if the client
// disconnects before. If a person can be asked to decide, the reply is the form and the Answer empty.
func (d *door) answer(ctx context.Context, req request, at position, until time.Time, p *progress) (reply, Answer, error) {
	e, err := d.open(ctx)
	if err != nil {
		return nil, Answer{}, err
	}
	v, err := d.follow(ctx, e, at, until, p)
	if err != nil {
		return nil, Answer{}, err
	}
	res, err := rooms.In(e).Result(ctx, v.Root)
	if err != nil {
		return nil, Answer{}, err
	}
	if v.info.Ended && asksPerson(res) && len(res.Blocked) == 0 && len(res.Options) > 1 && d.canAsk(req, res.Room) {
		return d.elicit(ctx, res), Answer{}, nil
	}
	out := d.told(res, v, at)
	return result(out.Text), out, nil
}

// told returns the answer for the current state of a debate. A debate that has not ended, but that no process runs,
// counts as failed, with the command that resumes it.
func (d *door) told(res debate.Result, v *view, at position) Answer {
	at.waits++
	here := cursor{v.last, at.waits}.String()
	out := Answer{Debate: res.Room, After: here, Spent: spent(res)}
	switch {
	case v.info.Ended:
		out.of(res)
		out.Text = d.Clean(clip(decisionText(res, at.notes), maxText))
	case v.info.Running:
		out.State = running
		out.Next = &Next{"debate_wait", map[string]any{"debate": res.Room, "after": here}}
		out.Text = d.Clean(runningText(v, at, here))
	default:
		out.State = failed
		out.Text = fmt.Sprintf("Debate %[1]s stopped before reaching a decision. The answers so far are saved. "+
			"Resume it with: socrates debate resume %[1]s, or call debate again with the same arguments.", res.Room)
	}
	return out
}

// spent returns the cost so far; a seat without a known price makes it a lower bound.
func spent(res debate.Result) Spent {
	return Spent{USD: res.Cost.USD, Known: len(res.Cost.Unknown) == 0, Tokens: res.Tokens.Total()}
}

// of fills in the result of the debate.
func (out *Answer) of(res debate.Result) {
	out.State = done
	if asksPerson(res) {
		out.State = needsPerson
	} else if !res.Outcome.Decision() && !res.Rehearsal {
		out.State = failed
	}
	s := res.Score
	out.Decision = &Decision{Key: res.Winner, Option: clip(option(res, res.Winner), 300), Outcome: string(res.Outcome),
		Probability: res.Chance(), Score: s.Value, Evidence: s.Evidence, Stability: s.Stability, Coverage: s.Coverage,
		ExitCode: res.ExitCode}
	for _, c := range first(distinct(dissenting(res)), 5) {
		out.Dissent = append(out.Dissent, Dissent{c.Seat, clip(option(res, res.Dissent.Option), 200), clip(c.Text, 300)})
	}
	for _, s := range missing(res) {
		out.Missing = append(out.Missing, s.ID)
	}
	out.Record, out.SHA256 = decisionURI+res.Room, res.Record
}

// dissenting returns the claims behind the strongest other option.
func dissenting(res debate.Result) (out []debate.ClaimResult) {
	for _, id := range res.Dissent.Claims {
		if i := slices.IndexFunc(res.Claims, func(c debate.ClaimResult) bool { return c.ID == id }); i >= 0 {
			out = append(out, res.Claims[i])
		}
	}
	return out
}

// option returns an option's text in one line; empty: the key is unknown.
func option(res debate.Result, key string) string {
	for _, o := range res.Options {
		if o.Key == key {
			return strings.Join(strings.Fields(o.Text), " ")
		}
	}
	return ""
}

// runningText is short: what is new, and what to do.
func runningText(v *view, at position, here string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Debate %s is running: %s.\n", v.info.Room, v.line())
	for _, n := range at.notes {
		fmt.Fprintf(&b, "Note: %s\n", clip(n, maxNote))
	}
	for _, l := range v.news(at.node, 8) {
		fmt.Fprintf(&b, "- %s\n", l)
	}
	fmt.Fprintf(&b, "Next: call debate_wait with debate %q and after %q. It continues whether or not you wait.", v.info.Room, here)
	return b.String()
}
