// Package document turns a debate's result into the decision that people read: one value, and its printers.
//
// The order is the same everywhere: the answer, how sure it is, the votes, who is asked and why, what carried it, what was refuted,
// the strongest dissent, what would flip it, what to do next. Sections with everything else follow.
//
// [Of] makes a [Document] from a result and is the only place where words are chosen. Three printers show it: [Document.Markdown]
// (and its first screen, [Document.Short]), [Document.HTML] and [Document.Plain] for terminals. Each escapes texts for itself, since
// all of them contain words of models. The first screen has at most 40 lines of 80 columns: what does not fit is cut by the limits in
// text.go, and the command that shows it is named.
//
// Nothing here computes: every number comes from the result or from debate/verdict. A rehearsal never reads like a decision, a
// decision that asks a person never reads like a final one, and a probability that is not calibrated by outcomes is labelled so.
package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Document is what is printed about a debate. Its texts are not escaped: each printer does that. Lists that are printed as JSON are
// never nil.
type Document struct {
	Question string     `json:"question"`
	Notices  []string   `json:"notices"`         // what a reader must know before believing the rest
	Answer   string     `json:"answer"`          // a sentence
	Word     string     `json:"word"`            // how sure it is, or instead: tied, blocked, rehearsal
	Percent  int        `json:"percent"`         // probability of the winner; 0: none to show
	Basis    string     `json:"basis,omitempty"` // what the percent is computed from, and whether it is calibrated
	Votes    string     `json:"votes"`
	Call     Call       `json:"call"`
	For      string     `json:"for"` // heading of Why
	Why      []Point    `json:"why"` // what carried it, at most two
	Refuted  []Point    `json:"refuted"`
	Dissent  Dissent    `json:"dissent"`
	Flip     []string   `json:"flip"`
	Next     []Command  `json:"next"`
	Room     string     `json:"-"`
	Status   string     `json:"-"` // the line that identifies a file as a decision
	Foot     string     `json:"-"` // when, which panel, duration and cost
	Notice   string     `json:"-"` // that no model took part: repeated at the bottom
	Sections []Section  `json:"-"` // everything else
	Accepted []Point    `json:"-"` // every claim for the answer that nothing refuted
	Moves    []Move     `json:"-"` // how votes and checks moved the answer
	Seats    []SeatMark `json:"-"`
	sides    []side     // the seats by what they voted for
}

// Call says who acts. If Reasons is empty, nobody is asked.
type Call struct {
	Title   string   `json:"title"`
	Reasons []string `json:"reasons"`
}

// Says returns the call as part of a sentence.
func (c Call) Says() string {
	return strings.ToLower(c.Title[:min(1, len(c.Title))]) + c.Title[min(1, len(c.Title)):] + ": " + strings.Join(c.Reasons, "; ")
}

// Point is one claim, with its author and its standing.
type Point struct {
	Claim    string `json:"claim"`
	Seat     string `json:"seat"`
	Text     string `json:"text"`
	Way      string `json:"way,omitempty"` // for or against which option, if the heading does not say so
	Standing string `json:"standing"`
	Where    string `json:"where,omitempty"` // file and line, command or address
	Quote    string `json:"quote,omitempty"` // the lines it quotes
	mark     mark
	doubted  bool // a judge that confirmed it failed its control
}

// mark is the sign before a claim.
type mark string

const (
	holds   mark = "✓"
	fails   mark = "✗"
	unknown mark = "–"
)

// Dissent is the strongest other answer and the claims for it.
type Dissent struct {
	Option string   `json:"option,omitempty"` // text; empty: there is none
	Seats  []string `json:"seats"`
	None   string   `json:"none,omitempty"` // why there is none
	Points []Point  `json:"points"`
}

// Command is a next step and what it does.
type Command struct {
	Line string `json:"command"`
	Does string `json:"does"`
}

// SeatMark is a seat and its lineage, which sets its colour.
type SeatMark struct{ Seat, Lineage string }

// page makes a document from a result. gate and details embed it and have the methods of their parts.
type page struct {
	res     debate.Result
	ledger  verdict.Ledger
	notice  string // no model took part
	leading string // key of the winner, or of the leader if there is none
}

// Of makes a document from a result. It is pure.
func Of(res debate.Result) Document {
	p := page{res: res, ledger: res.Ledger(), notice: res.Notice(), leading: res.Winner}
	if p.leading == "" && len(res.Beliefs) > 0 && res.Panel.Voted > 0 {
		p.leading = res.Beliefs[0].Option
	}
	asked, _ := motion.Split(res.Question)
	d := Document{Question: oneLine(asked), Notices: p.notices(), Answer: p.answer(), Call: gate{p}.call(), Votes: p.votes(),
		For: p.heading(), Why: p.why(), Refuted: p.refuted(), Dissent: p.dissent(), Flip: p.flip(), Next: p.next(),
		Room: res.Room, Notice: p.notice, Moves: p.moves()}
	for _, c := range p.claims(p.leading, true) {
		d.Accepted = append(d.Accepted, p.point(c, ""))
	}
	if p.notice != "" {
		d.Moves = nil // rules move nothing that could be measured
	}
	d.Word, d.Percent = p.sure()
	if d.Percent > 0 {
		d.Basis = basisOf(res, d.Moves)
	}
	d.Status = fmt.Sprintf(statusLine, p.status(), res.Room)
	d.Foot = p.foot()
	for _, s := range res.Seats {
		d.Seats = append(d.Seats, SeatMark{s.ID, s.Lineage})
	}
	d.sides = sidesOf(p)
	d.Sections = details{p}.sections(d.Moves)
	return d
}

// notices returns the lines above the answer.
func (p page) notices() []string {
	lines := []string{}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if !p.res.Ended {
		say("This debate has not ended; this is how it would be decided now.")
	}
	if p.notice != "" {
		say("%s", p.notice)
	}
	for _, s := range p.res.Seats {
		if missing(s) {
			say("Degraded panel: %s is missing (%s: %s).", s.ID, s.Status, strings.TrimRight(oneLine(s.Reason), "."))
		}
	}
	switch scripted := scripted(p.res); {
	case len(scripted) == 0:
	case len(scripted) == len(p.res.Seats):
		say("Scripted: the replies of all seats were written in advance, not by a model. Do not rely on this answer.")
	default:
		say("Scripted: the replies of %s were written in advance, not by a model.", list(scripted))
	}
	if p.res.Exploration {
		say("Exploration: the seats talked before they voted, so their votes are not independent. " +
			"For a decision that must hold, use --strategy council.")
	}
	if p.res.Panel.Seats > 1 && p.res.Panel.Lineages == 1 {
		say("All seats are of one model family: their votes are not independent.")
	}
	return lines
}

// scripted returns the seats whose replies were written in advance.
func scripted(res debate.Result) (seats []string) {
	for _, s := range res.Seats {
		if scheme.Of(s.Spec).Written {
			seats = append(seats, s.ID)
		}
	}
	return seats
}

// missing reports whether a seat has no vote because it or its vendor failed or a person dropped it.
func missing(s debate.SeatResult) bool {
	return slices.Contains([]verdict.Status{verdict.Failed, verdict.NoVote, verdict.Expelled, verdict.Left}, s.Status)
}

// option returns the text of an option in one line.
func (p page) option(key string) string {
	for _, o := range p.res.Options {
		if o.Key == key {
			return oneLine(o.Text)
		}
	}
	return ""
}

// named returns an option with the key by which a person chooses it.
func (p page) named(key string) string { return key + " (" + clip(p.option(key), 120) + ")" }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimRight(string(r[:n-1]), " ") + "…"
	}
	return s
}

// list joins texts: "a", "a and b" or "a, b and c".
func list(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// count returns a number with its noun: "one seat", "3 seats".
func count(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
