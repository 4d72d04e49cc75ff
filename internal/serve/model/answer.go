package model

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// answer is the answer to a request, in any protocol. It belongs to one request and one goroutine.
type answer struct {
	text     string
	short    bool   // it was cut off at its maximum length
	open     string // why it is no decision; empty: it is one, or was answered without a debate
	tokens   cost.Usage
	priced   bool // every part has a price
	sources  []source
	socrates about
}

// source is a web page that the text cites, and the place: in characters.
type source struct {
	url, title string
	from, to   int
}

// about holds the computed results, and how the answer was made. Its JSON is beside the answer as "socrates", and is
// the answer itself if a client asked for JSON.
type about struct {
	Debate   string        `json:"debate,omitempty"`
	Seq      int64         `json:"seq,omitempty"`
	Outcome  string        `json:"outcome,omitempty"`
	Option   string        `json:"option,omitempty"`
	Answer   string        `json:"answer,omitempty"`
	Chance   float64       `json:"probability,omitempty"`
	Score    verdict.Score `json:"score,omitzero"`
	Dissent  []objection   `json:"dissent,omitempty"`
	Failed   []lost        `json:"failed_seats,omitempty"`
	Person   []string      `json:"needs_person,omitempty"`
	Exit     int           `json:"exit_code"`
	Record   string        `json:"record_url,omitempty"`
	SHA256   string        `json:"record_sha256,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	Alone    string        `json:"without_debate,omitempty"`
}

// objection is a claim for the strongest other answer.
type objection struct {
	Option string `json:"option"`
	Seat   string `json:"seat,omitempty"`
	Claim  string `json:"claim,omitempty"`
}

// lost is a seat that gave no vote.
type lost struct {
	Seat   string `json:"seat"`
	Reason string `json:"reason"`
}

// decided makes the answer from a debate: the first screen of its document. A rehearsal is labelled. An outcome
// without a decision, or of a panel that lost a seat, makes the answer incomplete in protocols that know that.
func decided(res debate.Result) *answer {
	doc := document.Of(res)
	_, text, _ := strings.Cut(doc.Lead(), "\n") // the client has the question
	a := &answer{text: strings.TrimLeft(text, "\n"), tokens: res.Tokens, priced: len(res.Cost.Unknown) == 0}
	a.tokens.USD = res.Cost.USD
	a.socrates = about{Debate: res.Room, Outcome: string(res.Outcome), Option: res.Winner, Answer: doc.Answer, Score: res.Score,
		Exit: res.ExitCode, SHA256: res.Record, Person: doc.Call.Reasons}
	if res.Rehearsal {
		a.socrates.Outcome = "rehearsal" // no model took part: nothing was decided, whatever the result
	}
	if doc.Percent > 0 {
		a.socrates.Chance = math.Round(res.Chance()*1000) / 1000
	}
	for _, p := range doc.Dissent.Points {
		if one := (objection{doc.Dissent.Option, p.Seat, p.Text}); !slices.Contains(a.socrates.Dissent, one) {
			a.socrates.Dissent = append(a.socrates.Dissent, one)
		}
	}
	if len(doc.Dissent.Points) == 0 && doc.Dissent.Option != "" {
		for _, seat := range doc.Dissent.Seats {
			a.socrates.Dissent = append(a.socrates.Dissent, objection{doc.Dissent.Option, seat, ""})
		}
	}
	for _, s := range res.Seats {
		if s.Status != verdict.Voted && s.Status != verdict.Abstained && s.Status != debate.Spared {
			a.socrates.Failed = append(a.socrates.Failed, lost{s.ID, strings.Trim(string(s.Status)+": "+s.Reason, ": ")})
		}
	}
	if res.Outcome == verdict.Degraded || !res.Outcome.Decision() {
		a.open = string(res.Outcome)
	}
	a.cite(slices.Concat(doc.Why, doc.Refuted, doc.Dissent.Points))
	return a
}

// cite finds the pages in the text that claims rest on. Places are counted in characters, as the protocol does. A
// page that the text does not name is not cited.
func (a *answer) cite(points []document.Point) {
	for _, p := range points {
		at := strings.Index(a.text, p.Where)
		if at < 0 || !strings.HasPrefix(p.Where, "https://") && !strings.HasPrefix(p.Where, "http://") {
			continue
		}
		from := utf8.RuneCountInString(a.text[:at])
		url, _, _ := strings.Cut(p.Where, " ")
		a.sources = append(a.sources, source{url, p.Text, from, from + utf8.RuneCountInString(url)})
	}
}

// counts returns tokens as both protocols count them. Everything written except the answer itself counts as thought.
// Four bytes count as a token here: the vendors' own counts cover all seats together.
func (a *answer) counts() (in, cached, out, thought int) {
	u := a.tokens
	in, cached, out = u.Input+u.CacheRead+u.CacheWrite, u.CacheRead, u.Output
	return in, cached, out, max(0, out-len(a.text)/4)
}

// cost returns dollars; nil: a part has no price. Rounded to millionths of a dollar.
func (a *answer) cost() any {
	if !a.priced {
		return nil
	}
	return math.Round(a.tokens.USD*1e6) / 1e6
}
