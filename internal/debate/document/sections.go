package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// computedTitle is the title of the section with a figure.
const computedTitle = "How the result was computed"

// Section is one of the sections after the first screen.
type Section struct {
	Title  string
	Blocks []Block
}

// Block is one piece of a section. The fields that are set are printed in this order.
type Block struct {
	Lead  string     // who or what it is about
	Text  string     // a paragraph
	Items []string   // a list
	Table [][]string // the first row is its head
	Quote string     // a person's words, with their lines
	Said  string     // a seat's, in Markdown
}

// details makes the sections of a document.
type details struct{ page }

// sections returns everything that does not belong on the first screen, without empty sections.
func (p details) sections(moves []Move) (out []Section) {
	add := func(title string, blocks ...Block) {
		if len(blocks) > 0 {
			out = append(out, Section{title, blocks})
		}
	}
	add(computedTitle, p.computed(moves)...)
	add("Options", p.optionList())
	add("Claims", p.claimTable()...)
	add("Checks", p.checkTable()...)
	add("Notes", p.notes()...)
	add("Changed votes", p.switches()...)
	add("Estimates", p.estimates()...)
	add("Messages from people", p.people()...)
	add("Discussion", p.talk()...)
	add("Seats and cost", p.seatTable())
	add("Context and question", p.context()...)
	return out
}

// notes lists remarks about the course of the debate, and answers that were late.
func (p details) notes() []Block {
	var items []string
	for _, n := range p.res.Notes {
		items = append(items, strings.TrimRight(oneLine(n), ".")+".")
	}
	for _, late := range p.res.Addenda {
		would := "an answer that matches no option"
		if late.Option != "" {
			would = "a vote for " + late.Option
		}
		if late.Read {
			items = append(items, late.Seat+" answered late; other seats read its answer from the next phase on.")
			continue
		}
		items = append(items, late.Seat+" answered too late to count, with "+would+".")
	}
	if len(items) == 0 {
		return nil
	}
	return []Block{{Items: items}}
}

// vote returns what a vote of this debate is called: it is blind only if nobody talked before it, and after an abort nobody was asked
// to vote.
func (p details) vote() string {
	if p.res.Aborted != "" {
		return "last word"
	}
	if p.res.Exploration {
		return "vote"
	}
	return "blind vote"
}

func (p details) optionList() Block {
	if len(p.res.Options) == 0 {
		return Block{Text: "No options were given, and the panel proposed none."}
	}
	b := Block{}
	for _, o := range p.res.Options {
		votes := "no " + p.vote()
		if voters := p.voters(o.Key); len(voters) > 0 {
			votes = p.vote() + "s: " + strings.Join(voters, ", ")
		}
		if percent := p.percent(o.Key); percent > 0 && p.notice == "" && p.res.Panel.Voted > 0 {
			votes += fmt.Sprintf("; %d %%, uncalibrated", percent)
		}
		b.Items = append(b.Items, fmt.Sprintf("%s: %s (%s)", o.Key, oneLine(o.Text), votes))
	}
	return b
}

// disputed returns all claims, those with the most objections first, since readers look for them first.
func disputed(res debate.Result) []debate.ClaimResult {
	all := slices.Clone(res.Claims)
	slices.SortStableFunc(all, func(a, b debate.ClaimResult) int { return objectors(b) - objectors(a) })
	return all
}

// LedgerClaim is a claim in the ledger, with the stance of each seat.
type LedgerClaim struct {
	Point
	Stances map[string]verdict.Verb
}

// Ledger returns every claim with its standing, those with the most objections first.
func Ledger(res debate.Result) (out []LedgerClaim) {
	p := page{res: res, ledger: res.Ledger()}
	for _, c := range disputed(res) {
		e := LedgerClaim{Point: p.point(c, p.way(c)), Stances: map[string]verdict.Verb{}}
		for seat, s := range c.Claim.Stances {
			e.Stances[seat] = s.Verb
		}
		out = append(out, e)
	}
	return out
}

// Class returns good for a claim that holds, bad for one that does not, and dim if that is unknown.
func (p Point) Class() string {
	return map[mark]string{holds: "good", fails: "bad", unknown: "dim"}[p.mark]
}

// Sign returns the mark before a claim's standing.
func (p Point) Sign() string { return string(p.mark) }

// claimTable returns every claim with its author, standing and stances, those with the most objections first.
func (p details) claimTable() []Block {
	all := disputed(p.res)
	rows := [][]string{{"claim", "text", "by", "about", "evidence", "standing", "stances"}}
	for _, c := range all {
		about := "neither"
		if c.Option != "" {
			about = p.way(c)
		}
		text := oneLine(c.Text)
		if c.SameAs != "" {
			text += " (the same as " + c.SameAs + ")"
		}
		rows = append(rows, []string{c.ID, text, c.Seat, about, where(p.res, c), p.standing(c).words, p.stances(c)})
	}
	if len(rows) == 1 {
		return nil
	}
	return []Block{{Table: filled(rows)}}
}

// filled removes the columns that are empty below their head: they only cost width.
func filled(rows [][]string) [][]string {
	for i := len(rows[0]) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[i] != "" }) {
			for j := range rows {
				rows[j] = slices.Delete(rows[j], i, i+1)
			}
		}
	}
	return rows
}

func (p details) stances(c debate.ClaimResult) string {
	says := map[verdict.Verb]string{verdict.Agree: "agrees", verdict.Object: "objects", verdict.Add: "adds",
		verdict.SameAs: "same as another", verdict.Undecided: "undecided"}
	var out []string
	for _, s := range p.res.Seats {
		if st, ok := c.Stances[s.ID]; ok {
			said := s.ID + " " + says[st.Verb]
			if st.Verb == verdict.Object && st.Why != "" {
				said += ": " + oneLine(st.Why)
			}
			out = append(out, said)
		}
	}
	return strings.Join(out, "; ")
}

func (p details) checkTable() []Block {
	if len(p.res.Checks) == 0 {
		return []Block{{Text: "No evidence could be checked; treat this as opinion."}}
	}
	rows := [][]string{{"check", "claim", "kind", "result", "counts", "where", "test of the judge"}}
	for _, k := range p.res.Checks {
		at := ""
		switch {
		case len(k.Command) > 0:
			at = strings.Join(k.Command, " ")
		case k.Proof != nil && k.Proof.File != "":
			at = fmt.Sprintf("%s:%d", k.Proof.File, k.Proof.Line)
		case k.Proof != nil:
			at = k.Proof.URL
		}
		result := k.Result + because(k.Detail)
		if said, ok := strings.CutPrefix(oneLine(k.Detail), "judged: "); ok && k.By != "" {
			result = k.By + ": " + said
		}
		kind, test := k.Kind, k.Control
		if kind == "entailment" {
			kind = "judgement"
		}
		if k.By == "" {
			result, test = strings.TrimSuffix(result+"; control: "+test, "; control: "), ""
		}
		rows = append(rows, []string{k.ID, k.Claim, kind, result, odds(k.Ratio), at, test})
	}
	out := []Block{{Table: filled(rows)}}
	if usual := p.usual(); usual != "" {
		out = append(out, Block{Text: usual})
	}
	return out
}

// usual says why judges that failed a control count as much as others; empty: none failed.
func (p details) usual() string {
	for _, k := range p.res.Checks {
		failed := slices.ContainsFunc(k.Trials, func(t verdict.Trial) bool { return t.Good != t.Passed })
		if failed && k.By != "" && k.Ratio != 1 && !p.measured(k.By) {
			return "A judge's weight is computed from its tests once it has 100 of each kind; until then it is " +
				odds(max(k.Ratio, 1/k.Ratio)) + " (docs/learning.md)."
		}
	}
	return ""
}

// measured reports whether it is measured what a seat's judgements count.
func (p details) measured(seat string) bool {
	known := p.res.Rules.Learned
	return known != nil && slices.ContainsFunc(known.Judges, func(j verdict.Juror) bool { return j.Seat == seat })
}

// odds writes a ratio for people, such as 3:1; empty: it counts nothing.
func odds(ratio float64) string {
	switch {
	case ratio > 1:
		return fmt.Sprintf("%.3g:1", ratio)
	case ratio < 1 && ratio > 0:
		return fmt.Sprintf("1:%.3g", 1/ratio)
	}
	return ""
}

// computed shows how the percent and the score are computed. A rehearsal has neither.
func (p details) computed(moves []Move) (out []Block) {
	if p.res.Panel.Voted == 0 || p.notice != "" {
		return nil
	}
	rows := [][]string{{"step", "what", "then"}}
	for i, m := range moves {
		what := m.Label + "'s vote" + p.cast(m.Label)
		if m.Lineage == "" {
			what = m.Label + " refuted"
			if m.Passed {
				what = m.Label + " confirmed"
			}
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), what, fmt.Sprintf("%d %%", m.Percent)})
	}
	if len(rows) > 1 {
		out = append(out, Block{Text: fmt.Sprintf("How each vote and check moves the chance of %s against %s. Not calibrated against "+
			"outcomes.",
			p.named(p.leading), p.named(p.rival())), Table: rows})
	}
	if s := p.score(); s != "" {
		out = append(out, Block{Text: s})
	}
	return out
}

// cast names the option a seat voted for.
func (p details) cast(seat string) string {
	for _, s := range p.res.Seats {
		if s.ID == seat && s.Vote.Option != "" {
			return " for " + s.Vote.Option
		}
	}
	return ""
}

// score explains the score, the share of the panel behind the winner in percent. Tied options have none.
func (p details) score() string {
	s := p.res.Score
	if p.res.Rules.Cases && len(s.Caps) == 0 && s.Value+s.Support == 0 {
		return ""
	}
	less := "half a seat of doubt on each claim"
	if p.disputed() {
		less = "claims that are contested"
	} else if slices.ContainsFunc(p.res.Claims, func(c debate.ClaimResult) bool {
		return c.Put && c.Option != "" && (c.Option == p.res.Winner) != c.Supports
	}) {
		less = "claims that are for others"
	}
	text := fmt.Sprintf("Score %.0f %% (agreement, not probability): %.0f %% of the panel chose the winner, "+
		"less %.0f %% of that for %s.", 100*s.Value, 100*s.Support, 100*s.Contested, less)
	if raw := s.Support * (1 - s.Contested); raw > s.Value+.005 && p.res.Outcome.Decision() {
		for _, c := range s.Caps {
			text += fmt.Sprintf(" At most %.0f %%: %s.", 100*c.At, oneLine(c.Why))
		}
	}
	return text + fmt.Sprintf(" Evidence %+.0f %%: the winner's main claims, confirmed minus refuted. "+
		"Stability %.0f %%: how often it wins with one seat or family left out. Coverage %.0f %%: seats that voted.",
		100*s.Evidence, 100*s.Stability, 100*s.Coverage)
}

func (p details) switches() []Block {
	var items []string
	for _, s := range p.res.Switches {
		kind := "not counted, because it names no new evidence"
		if s.Supported {
			kind = "with new evidence"
		}
		cites := "nothing"
		if len(s.Cites) > 0 {
			cites = strings.Join(s.Cites, ", ")
		}
		items = append(items, fmt.Sprintf("%s moved from %s to %s, citing %s: %s", s.Seat, s.From, s.To, cites, kind))
	}
	if len(items) == 0 {
		return nil
	}
	return []Block{{Items: items}}
}

// estimates shows how the estimates of each round lie.
func (p details) estimates() []Block {
	if len(p.res.Estimates) == 0 {
		return nil
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	rows := [][]string{{"round", "lower quartile", "median", "upper quartile", "estimates"}}
	for _, q := range p.res.Estimates {
		rows = append(rows, []string{strconv.Itoa(q.Round + 1), number(q.Low), number(q.Median), number(q.High),
			fmt.Sprintf("%d, in %s", len(q.Values), oneLine(q.Unit))})
	}
	return []Block{{Table: rows}}
}

// people lists the messages from people and their effects.
func (p details) people() []Block {
	var items []string
	for _, h := range p.res.Applied {
		if h.Late() {
			continue
		}
		word, said := "", ""
		if h.Refused {
			word = "refused: "
		}
		if h.Text != "" {
			said = " “" + oneLine(h.Text) + "”"
		}
		items = append(items, fmt.Sprintf("%s%s, applied at %s: %s%s", h.Verb, said, h.Point, word, oneLine(h.Done)))
	}
	if len(items) == 0 {
		return nil
	}
	return []Block{{Items: items}}
}

var version = pattern.Of(`^v[0-9]+$`)

// talk shows what seats said to each other; of answers in several versions only the last.
func (p details) talk() (out []Block) {
	for i, s := range p.res.Talk {
		newer := func(later verdict.Spoken) bool { return later.Seat == s.Seat && version().MatchString(later.Phase) }
		if version().MatchString(s.Phase) && slices.ContainsFunc(p.res.Talk[i+1:], newer) {
			continue
		}
		phase := s.Phase
		if s.Side != "" {
			phase += " " + s.Side
		}
		out = append(out, Block{Lead: s.Seat + ", " + phase + ":", Said: s.Text})
	}
	return out
}

func (p details) seatTable() Block {
	rows := [][]string{{"seat", "model", "family", "status", "tokens in / out", "cost", "time"}}
	seats := slices.Clone(p.res.Seats)
	if p.res.Judge != nil {
		seats = append(seats, *p.res.Judge)
	}
	for _, s := range seats {
		name := s.ID
		if s.Persona != "" {
			name += " as " + s.Persona
		}
		status := string(s.Status)
		if s.Vote.Option != "" && s.Status == verdict.Voted {
			status += " " + s.Vote.Option
		}
		u := s.Usage
		tokens := fmt.Sprintf("%d / %d", u.Input+u.CacheRead+u.CacheWrite, u.Output)
		if p.notice != "" {
			tokens = "" // rules count nothing that a model would be paid for
		}
		rows = append(rows, []string{name, s.Model, s.Lineage, status, tokens,
			debate.Money(u, s.Calls), took(time.Duration(s.MS) * time.Millisecond)})
	}
	return Block{Table: filled(rows)}
}

// context describes what every seat was shown, and the record.
func (p details) context() []Block {
	asked, data := motion.Split(p.res.Question)
	out := []Block{{Quote: asked}}
	if data != "" {
		out = append(out, Block{Text: fmt.Sprintf("Attached: %d bytes of data from stdin.", len(data))})
	}
	if p.res.Revisits != "" {
		out = append(out, Block{Text: "Debated before in " + p.res.Revisits + "."})
	}
	hash := p.res.Context
	if hash == "" {
		hash = "nothing"
	}
	text := fmt.Sprintf("Every seat got the same context block (sha256 %.12s)", hash)
	if len(p.res.History) > 0 {
		text += ", with earlier decisions as history: " + strings.Join(p.res.History, ", ")
	}
	text += fmt.Sprintf(". Rules version %s.", p.res.Rules.Version)
	out = append(out, Block{Text: text})
	if p.res.Record != "" {
		out = append(out, Block{Text: fmt.Sprintf("Record: sha256 %s (compare a copy with: socrates verify FILE).", p.res.Record)})
	}
	return out
}
