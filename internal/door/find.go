package door

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
)

// Found are decisions that contain the words.
type Found struct {
	Text      string   `json:"text"`
	Decisions []Listed `json:"decisions,omitempty"`
	More      bool     `json:"more,omitempty"`
}

// Listed is a decision in a list.
type Listed struct {
	Debate     string `json:"debate"`
	Question   string `json:"question"`
	Decision   string `json:"decision"`
	Outcome    string `json:"outcome"`
	Date       string `json:"date"`
	Open       bool   `json:"open,omitempty" jsonschema:"a person was asked and has not decided"`
	Superseded string `json:"superseded_by,omitempty"`
	Rehearsal  bool   `json:"rehearsal,omitempty" jsonschema:"no model took part"`
}

// usualMost and allMost are the default and the maximum number of listed decisions.
const usualMost, allMost = 10, 30

// search lists the decisions of this project that contain all words, the newest first.
func (d *door) search(ctx context.Context, _ request, in query) (reply, Found, error) {
	e, err := d.open(ctx)
	if err != nil {
		return nil, Found{}, err
	}
	most := in.Most
	if most <= 0 {
		most = usualMost
	}
	list, more, err := rooms.In(e).Decisions(ctx, d.Project, in.Words, min(most, allMost))
	if err != nil {
		return nil, Found{}, err
	}
	out := Found{More: more}
	var b strings.Builder
	for _, one := range list {
		row := d.listed(one)
		out.Decisions = append(out.Decisions, row)
		fmt.Fprintf(&b, "- %s (%s, %s): %s → %s%s\n", row.Debate, row.Date, row.Outcome, row.Question, row.Decision,
			remarks(row))
	}
	if len(list) == 0 {
		b.WriteString("No decision of this project contains all of these words.\n")
	}
	out.Text = b.String()
	return result(out.Text), out, nil
}

// listed returns a short form of a decision, cleaned.
func (d *door) listed(one rooms.Decision) Listed {
	e := Listed{Debate: one.Room, Question: d.Clean(flat(one.Question, 160)), Decision: d.Clean(flat(one.End.Winner, 160)),
		Outcome: string(one.End.Outcome), Date: one.Started.Format("2006-01-02"), Open: one.End.ExitCode == failure.ExitPerson,
		Rehearsal: one.Rehearsal}
	if one.Superseded != nil {
		e.Superseded = one.Superseded.By
	}
	return e
}

// remarks returns what one must know before relying on a decision.
func remarks(e Listed) (out string) {
	if e.Open {
		out += "; a person still has to decide"
	}
	if e.Superseded != "" {
		out += "; superseded by " + e.Superseded
	}
	if e.Rehearsal {
		out += "; a rehearsal: no model took part"
	}
	return out
}

// Shown is a whole decision.
type Shown struct {
	Debate string `json:"debate"`
	State  string `json:"state"`
	Text   string `json:"text" jsonschema:"Markdown"`
}

// show returns a decision as a document; for a debate that has not ended, the preliminary one.
func (d *door) show(ctx context.Context, _ request, in named) (reply, Shown, error) {
	res, err := d.result(ctx, strings.TrimSpace(in.Debate))
	if err != nil {
		return nil, Shown{}, err
	}
	out := Shown{Debate: res.Room, State: running, Text: d.Clean(document.Of(res).Markdown())}
	if res.Ended {
		var a Answer
		a.of(res)
		out.State = a.State
	}
	if len(out.Text) > maxText {
		out.Text = clip(out.Text, maxText) + "\n\nTruncated; the full text is the resource " + decisionURI + res.Room
	}
	return result(out.Text), out, nil
}

// result returns the result of a debate, or the preliminary one. "last" is the newest debate of the project.
func (d *door) result(ctx context.Context, room string) (debate.Result, error) {
	e, err := d.open(ctx)
	if err != nil {
		return debate.Result{}, err
	}
	if room == "last" {
		if room, err = rooms.In(e).Last(ctx, d.Project); err != nil {
			return debate.Result{}, err
		}
	}
	return rooms.Named(ctx, rooms.In(e), room)
}
