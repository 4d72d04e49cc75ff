package debate

import (
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/motion"
)

// Digest is what is worth finding again about an ended debate: later debates are shown it, and searches find it.
type Digest struct {
	Room      string          `json:"room"`
	Question  string          `json:"question"` // without attached data
	Date      time.Time       `json:"date"`
	Outcome   verdict.Outcome `json:"outcome"`
	Winner    string          `json:"winner"` // text of the option; empty: no decision
	Score     float64         `json:"score"`
	Chance    float64         `json:"chance"`   // probability of the winner; 0: none
	For       []string        `json:"for"`      // claims for the winner that nobody refuted or vetoed, the weightiest first
	Rejected  []string        `json:"rejected"` // the other options
	Dissent   string          `json:"dissent"`  // text of the strongest other option; empty: there is none
	Dissents  int             `json:"dissents"` // seats that voted for it
	Against   []string        `json:"against"`  // claims for the dissent that were not refuted
	Flip      []string        `json:"flip"`     // what would have changed the majority's mind
	Rehearsal bool            `json:"rehearsal"`
	Explored  bool            `json:"explored"` // the seats talked before they voted
	Open      bool            `json:"open"`     // a person was asked and has not decided
}

// Digest summarizes the result. It is computed anew each time; lists are never nil, since it is published as JSON.
func (res Result) Digest() Digest {
	asked, _ := motion.Split(res.Question)
	d := Digest{Room: res.Room, Question: asked, Date: res.Started, Outcome: res.Outcome, Score: res.Score.Value, Chance: res.Chance(),
		For: []string{}, Rejected: []string{},
		Dissent: res.option(res.Dissent.Option), Dissents: len(res.Dissent.Seats), Against: []string{}, Flip: []string{},
		Rehearsal: res.Rehearsal, Explored: res.Exploration,
		Open: res.NeedsPerson && res.Outcome.Decision()}
	if res.Outcome.Decision() {
		d.Winner = res.option(res.Winner)
	}
	for _, o := range res.Options {
		if o.Text != d.Winner {
			d.Rejected = append(d.Rejected, o.Text)
		}
	}
	claims := slices.Clone(res.Claims)
	slices.SortStableFunc(claims, func(a, b ClaimResult) int { return b.Impact - a.Impact })
	for _, c := range claims {
		switch {
		case c.Vetoed != "":
		case slices.Contains(res.Dissent.Claims, c.ID):
			d.Against = append(d.Against, c.Text)
		case c.Supports && c.Option == res.Winner && d.Winner != "" && !res.refuted(c):
			d.For = append(d.For, c.Text)
		}
	}
	for _, f := range res.Dissent.Flip {
		if !slices.Contains(d.Flip, f) {
			d.Flip = append(d.Flip, f)
		}
	}
	return d
}

// Text returns what a search matches: the question with its options, and what was said about them.
func (d Digest) Text() (title, body string) {
	options := d.Rejected
	if d.Winner != "" {
		options = append([]string{d.Winner}, d.Rejected...)
	}
	title = strings.Join(append([]string{d.Question}, options...), "\n")
	return title, strings.Join(slices.Concat([]string{d.Room, string(d.Outcome)}, d.For, d.Against, d.Flip), "\n")
}
