// Package document is a debate's decision as people read it: one value, made from a result, and what prints it.
//
// The order is the same everywhere: the answer, how sure it is, the votes, who is asked and why, what carried it,
// what was refuted, the strongest dissent, what would flip it, what to do next. Everything else is a section behind
// that.
//
// [Of] makes a [Document] of a result and is the only place that words are chosen in. Three printers show it:
// [Document.Markdown] (and its first screen, [Document.Short]), [Document.HTML] and [Document.Plain] for terminals.
// Each escapes texts for itself, since the words of models stand in all of them. The first screen has at most 40
// lines of 80 columns: what does not fit is cut by the limits in text.go and said to be, with the command that shows
// it.
//
// Nothing here computes: every number comes from the result or from debate/verdict. A rehearsal never reads like a
// decision, a decision that asks a person never reads like one that is final, and where outcomes have not calibrated
// a probability it says so.
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

// Document is what is printed of a debate. Its texts are as they came: each way to print escapes them for itself.
// Lists are never nil where they are printed as JSON.
type Document struct {
	Question string     `json:"question"`
	Notices  []string   `json:"notices"`         // what a reader must know before believing the rest
	Answer   string     `json:"answer"`          // a sentence
	Word     string     `json:"word"`            // how sure it is, or what stands in place of that: tied, blocked, rehearsal
	Percent  int        `json:"percent"`         // probability of the winner; 0: there is none to show
	Basis    string     `json:"basis,omitempty"` // what the percent follows from, and whether outcomes have calibrated it
	Votes    string     `json:"votes"`
	Call     Call       `json:"call"`
	For      string     `json:"for"` // heading of Why
	Why      []Point    `json:"why"` // what carried it, at most two
	Refuted  []Point    `json:"refuted"`
	Dissent  Dissent    `json:"dissent"`
	Flip     []string   `json:"flip"`
	Next     []Command  `json:"next"`
	Room     string     `json:"-"`
	Status   string     `json:"-"` // the line by which a file is known as a decision
	Foot     string     `json:"-"` // when, by whom, how long, for how much
	Notice   string     `json:"-"` // that no model took part: said at the bottom, too
	Sections []Section  `json:"-"` // everything else
	Accepted []Point    `json:"-"` // every claim for the answer that nothing refuted
	Moves    []Move     `json:"-"` // how votes and checks moved the answer
	Seats    []SeatMark `json:"-"`
	sides    []side     // the seats by what they voted for
}

// Call says who acts: nobody is asked where Reasons are empty.
type Call struct {
	Title   string   `json:"title"`
	Reasons []string `json:"reasons"`
}

// Says is a call as part of a sentence.
func (c Call) Says() string {
	return strings.ToLower(c.Title[:min(1, len(c.Title))]) + c.Title[min(1, len(c.Title)):] + ": " + strings.Join(c.Reasons, "; ")
}

// Point is one claim, with its author and what became of it.
type Point struct {
	Claim    string `json:"claim"`
	Seat     string `json:"seat"`
	Text     string `json:"text"`
	Way      string `json:"way,omitempty"` // for or against which option, where the heading does not say it
	Standing string `json:"standing"`
	Where    string `json:"where,omitempty"` // file and line, command or address
	Quote    string `json:"quote,omitempty"` // the lines it quotes
	mark     mark
	doubted  bool // a judge that stands behind it failed its test
}

// mark is what stands before a claim.
type mark string

const (
	holds   mark = "✓"
	fails   mark = "✗"
	unknown mark = "–"
)

// Dissent is the strongest other answer and what speaks for it.
type Dissent struct {
	Option string   `json:"option,omitempty"` // text; empty: there is none
	Seats  []string `json:"seats"`
	None   string   `json:"none,omitempty"` // why there is none
	Points []Point  `json:"points"`
}

// Command is a next step and what it is good for.
type Command struct {
	Line string `json:"command"`
	Does string `json:"does"`
}

// SeatMark ties a seat to its lineage, by which it is coloured.
type SeatMark struct{ Seat, Lineage string }

// page makes a document of a result.
// It is the base of gate and details, which have the methods of their parts.
type page struct {
	res     debate.Result
	ledger  verdict.Ledger
	notice  string // no model took part
	leading string // key of the winner, or of what led when there is none
}

// Of makes the document of a result. It is pure.
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

// notices stand above the answer.
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

// scripted are the seats whose replies were written beforehand.
func scripted(res debate.Result) (seats []string) {
	for _, s := range res.Seats {
		if scheme.Of(s.Spec).Written {
			seats = append(seats, s.ID)
		}
	}
	return seats
}

// missing says whether a seat has no vote by its own fault, its vendor's or a person's word.
func missing(s debate.SeatResult) bool {
	return slices.Contains([]verdict.Status{verdict.Failed, verdict.NoVote, verdict.Expelled, verdict.Left}, s.Status)
}

// option is the text of an option in one line.
func (p page) option(key string) string {
	for _, o := range p.res.Options {
		if o.Key == key {
			return oneLine(o.Text)
		}
	}
	return ""
}

// named is an option as it is spoken of: its text, and the key by which a person chooses it.
func (p page) named(key string) string { return key + " (" + clip(p.option(key), 120) + ")" }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text to n letters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimRight(string(r[:n-1]), " ") + "…"
	}
	return s
}

// list is "a", "a and b" or "a, b and c".
func list(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// count is a number with its noun: "one seat", "3 seats".
func count(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
