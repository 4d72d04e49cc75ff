package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

// heading returns the heading of the claims that carried the answer.
func (p page) heading() string {
	switch {
	case p.res.Outcome.Decision():
		return "Why"
	case p.res.Outcome == verdict.Tie:
		return "Best claim on each side"
	case p.leading == "":
		return ""
	}
	return "The panel leaned toward: " + p.named(p.leading)
}

// why returns the two claims that carried the answer, the weightiest first; for a tie the best one of each side.
func (p page) why() []Point {
	if p.leading == "" {
		return []Point{}
	}
	if p.res.Outcome == verdict.Tie {
		out := []Point{}
		for _, b := range p.res.Beliefs[:min(2, len(p.res.Beliefs))] {
			for _, c := range p.claims(b.Option, true)[:min(1, len(p.claims(b.Option, true)))] {
				out = append(out, p.point(c, "for "+b.Option))
			}
		}
		return out
	}
	out := []Point{}
	for _, c := range p.claims(p.leading, true) {
		if len(out) < 2 && (len(out) == 0 || !p.standing(c).spent) { // a claim that counts nothing carried nothing
			out = append(out, p.point(c, ""))
		}
	}
	if len(out) == 0 {
		return p.reasons(p.leading)
	}
	return out
}

// reasons returns the voters' reasons, for an option without claims.
func (p page) reasons(option string) []Point {
	out := []Point{}
	for _, s := range p.res.Seats {
		if s.Status == verdict.Voted && s.Vote.Option == option && s.Vote.Reason != "" && len(out) < 2 {
			out = append(out, Point{Seat: s.ID, Text: oneLine(s.Vote.Reason), Standing: "opinion: nothing to check", mark: unknown})
		}
	}
	return out
}

// claims returns the claims for or against an option that were not refuted: verified ones before those whose quote was only found,
// then by impact.
func (p page) claims(option string, supports bool) []debate.ClaimResult {
	var out []debate.ClaimResult
	for _, c := range p.res.Claims {
		if c.Option == option && c.Supports == supports && c.SameAs == "" && c.Vetoed == "" && p.standing(c).mark != fails {
			out = append(out, c)
		}
	}
	// Confirmed claims come first whatever their impact, which their authors set.
	rank := func(c debate.ClaimResult) float64 {
		ratio, _ := p.res.Weight(c)
		return 100*ratio + 10*float64(p.standing(c).found) + float64(c.Impact)
	}
	slices.SortStableFunc(out, func(a, b debate.ClaimResult) int { return cmp.Compare(rank(b), rank(a)) })
	return out
}

// refuted returns the claims whose failed checks moved the result.
func (p page) refuted() []Point {
	out := []Point{}
	for _, c := range p.res.Claims {
		if ratio, _ := p.res.Weight(c); ratio < 1 && c.Option != "" && c.SameAs == "" {
			out = append(out, p.point(c, p.way(c)))
		}
	}
	return out
}

func (p page) way(c debate.ClaimResult) string {
	if c.Supports {
		return "for " + c.Option
	}
	return "against " + c.Option
}

// dissent returns the strongest other option with its claims, the best one first.
func (p page) dissent() Dissent {
	from := p.res.Dissent
	switch {
	case p.res.Outcome == verdict.Tie && from.Option == "":
		return Dissent{None: "The options are tied.", Points: []Point{}, Seats: []string{}}
	case p.res.Panel.Voted == 0:
		return Dissent{None: "No seat chose an option.", Points: []Point{}, Seats: []string{}}
	case from.Option == "":
		return Dissent{None: "None: no seat voted or argued for another option.", Points: []Point{}, Seats: []string{}}
	}
	d := Dissent{Option: clip(p.option(from.Option), 120) + " (" + from.Option + ")", Seats: from.Seats, Points: []Point{}}
	if d.Seats == nil {
		d.Seats = []string{}
	}
	for _, c := range append(p.claims(from.Option, true), p.claims(p.leading, false)...) {
		if slices.Contains(from.Claims, c.ID) {
			way := p.way(c)
			if c.Supports && c.Option == from.Option {
				way = "" // the heading says it
			}
			d.Points = append(d.Points, p.point(c, way))
		}
	}
	if len(d.Points) == 0 {
		d.Points = p.reasons(from.Option)
	}
	return d
}

// flip lists what the majority's seats said would change their minds; for a tie, what all seats said.
func (p page) flip() []string {
	out := []string{}
	if p.res.Outcome == verdict.Tie {
		for _, s := range p.res.Seats {
			if s.Status == verdict.Voted && s.Vote.Flip != "" {
				out = append(out, "for "+s.Vote.Option+", "+s.ID+": "+oneLine(s.Vote.Flip))
			}
		}
	}
	if len(p.res.Blocked) > 0 {
		out = append(out, fmt.Sprintf("if %s is wrong: without it, the panel leans toward %s", list(p.res.Blocked), p.named(p.leading)))
	}
	for _, f := range p.res.Dissent.Flip {
		if f = oneLine(f) + p.whoSaid(f); f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	// No majority said anything: then what the others said, once each with all who said it.
	said := map[string][]string{}
	for _, s := range p.res.Seats {
		if f := strings.TrimRight(oneLine(s.Vote.Flip), "."); f != "" {
			if said[f] = append(said[f], s.ID); len(said[f]) == 1 {
				out = append(out, f)
			}
		}
	}
	for i, f := range out {
		out[i] = f + " (" + list(said[f]) + ")"
	}
	return out
}

// whoSaid names the seats of the majority that said this would change their minds.
func (p page) whoSaid(flip string) string {
	var seats []string
	for _, s := range p.res.Seats {
		if s.Status == verdict.Voted && s.Vote.Option == p.leading && s.Vote.Flip == flip {
			seats = append(seats, s.ID)
		}
	}
	if len(seats) == 0 {
		return ""
	}
	return " (" + list(seats) + ")"
}

func (p page) claim(id string) (debate.ClaimResult, bool) {
	for _, c := range p.res.Claims {
		if c.ID == id || slices.Contains(c.Merged, id) {
			return c, true
		}
	}
	return debate.ClaimResult{}, false
}

// point returns a claim with its standing.
func (p page) point(c debate.ClaimResult, way string) Point {
	s := p.standing(c)
	return Point{Claim: c.ID, Seat: c.Seat, Text: oneLine(c.Text), Way: way, Standing: s.words, Where: where(p.res, c),
		Quote: strings.TrimSpace(c.Evidence.Quote), mark: s.mark, doubted: s.mark == holds && p.fooled(c)+unmoved(p, c) != ""}
}

// standing is what code and judges found about a claim.
type standing struct {
	mark  mark
	words string
	found int  // 1: its quote is where it was stated to be
	spent bool // judged, and it counts nothing
}

func (p page) standing(c debate.ClaimResult) standing {
	if c.Vetoed != "" {
		return standing{mark: fails, words: "vetoed by a person: " + oneLine(c.Vetoed)}
	}
	if s, ok := p.objected(c); ok {
		return s
	}
	ratio, by := p.res.Weight(c)
	switch {
	case p.res.Rules.Cases && ratio > 1:
		words := "confirmed by " + p.judges(c, verdict.Pass) + "check " + by + p.fooled(c) + unmoved(p, c)
		return standing{mark: holds, words: words, found: 1}
	case p.res.Rules.Cases && ratio < 1:
		return standing{mark: fails, words: "refuted by check " + by + refuters(p, c), found: 0}
	}
	best := standing{mark: unknown, words: "not checked"}
	for _, k := range p.checks(c) {
		switch {
		case p.res.Rules.Cases && k.By != "":
			best.words, best.spent = split(p, c), true
		case k.Result == verdict.Fail:
			return standing{mark: fails, words: "refuted by check " + k.ID + because(k.Detail)}
		case p.res.Rules.Cases && k.Result == verdict.Pass && k.CarriesWeight(): // judges would have given it weight
			best = standing{mark: unknown, words: shownNothing(k), found: 1, spent: true}
		case k.Result == verdict.Pass && k.CarriesWeight():
			best = standing{mark: holds, words: "confirmed by check " + k.ID, found: 1}
		case k.Result == verdict.Pass && best.words == "not checked":
			best = standing{mark: unknown, words: "quote found (check " + k.ID + ")" + p.unjudged(), found: 1}
		}
	}
	return best
}

// shownNothing describes a command that ran as claimed and counts nothing.
func shownNothing(k verdict.Check) string {
	if k.Same {
		return "proves nothing: check " + k.ID + " has the same result in an empty folder"
	}
	return "ran as claimed (check " + k.ID + ")" + notJudged
}

// unjudged says that nobody judged a found quote, under rules that would have a seat judge it.
func (p page) unjudged() string {
	if !p.res.Rules.Cases {
		return ""
	}
	return notJudged
}

const (
	notJudged     = ", not judged"
	judgedMeans   = "Confirmed: a model of another family judged that the evidence supports it and that it favors this answer."
	rehearsedSo   = "Confirmed: another rule-based seat said so; no model judged it."
	unjudgedMeans = "Not judged: under the rules it could not count, or would change too little."
)

// judged explains that a judge confirmed a claim that carried the answer, which a reader may take for a check by code; empty: none
// did.
func (d Document) judged() string {
	switch {
	case !slices.ContainsFunc(d.Why, func(p Point) bool {
		return strings.HasPrefix(p.Standing, "confirmed by ") && !strings.HasPrefix(p.Standing, "confirmed by check")
	}):
		return ""
	case d.Notice != "":
		return rehearsedSo
	}
	return judgedMeans
}

// leftOut reports whether a claim of the dissent was not judged, which looks unfair without an explanation.
func (d Document) leftOut() bool {
	return slices.ContainsFunc(d.Dissent.Points, func(p Point) bool { return strings.HasSuffix(p.Standing, notJudged) })
}

func because(detail string) string {
	if detail = oneLine(detail); detail == "" {
		return ""
	}
	return ": " + detail
}

// fooled names the judges that confirmed a claim and failed its control: they accepted a false statement about the same evidence.
func (p page) fooled(c debate.ClaimResult) string {
	var who []string
	for _, k := range p.checks(c) {
		took := slices.ContainsFunc(k.Trials, func(t verdict.Trial) bool { return !t.Good && t.Passed })
		if k.By != "" && k.Result == verdict.Pass && took && !slices.Contains(who, k.By) {
			who = append(who, k.By)
		}
	}
	if len(who) == 0 {
		return ""
	}
	return "; but " + list(who) + " failed a control: it also accepted a false statement about this evidence"
}

// unmoved says that a claim's command has the same result in a copy in which the fact that the claim names is false.
func unmoved(p page, c debate.ClaimResult) string {
	for _, k := range p.checks(c) {
		if i := len(k.Trials) - 1; k.Kind == "command" && k.By == "" && i >= 2 && !k.Trials[i].Good && k.Trials[i].Passed {
			return "; but it has the same result where that fact is false"
		}
	}
	return ""
}

// judges names the judges with this result, followed by "in" for the check. It is empty if code alone checked.
func (p page) judges(c debate.ClaimResult, result string) string {
	if who := p.said(c, result); len(who) > 0 {
		return list(who) + " in "
	}
	return ""
}

func (p page) said(c debate.ClaimResult, result string) (who []string) {
	for _, k := range p.checks(c) {
		if k.By != "" && k.Result == result {
			who = append(who, k.By)
		}
	}
	return who
}

// split says why a claim that was judged counts nothing.
func split(p page, c debate.ClaimResult) string {
	yes, no := p.said(c, verdict.Pass), p.said(c, verdict.Fail)
	switch {
	case len(yes)+len(no) == 0:
		return "not counted: no judge answered"
	case len(no) == 0:
		return "not counted: only " + list(yes) + " confirmed it, and the answer depended on that"
	case len(yes) == 0:
		return "not counted: " + list(no) + " did not find it in the evidence, and no other judge was left"
	}
	return "not counted: the judges disagreed (" + list(yes) + " yes, " + list(no) + " no)"
}

// refuters names the judges who said no, and to which question.
func refuters(p page, c debate.ClaimResult) string {
	var no []string
	for _, k := range p.checks(c) {
		if k.By == "" || k.Result != verdict.Fail || k.Answers == nil {
			continue
		}
		said := "it does not bear on the choice"
		if k.Answers.Shows != "yes" {
			said = "the lines do not show it"
		}
		if c.Evidence.Kind == "command" {
			said = strings.Replace(said, "the lines do", "the output does", 1)
		}
		if !slices.Contains(no, said) {
			no = append(no, said)
		}
	}
	switch who := p.said(c, verdict.Fail); {
	case len(who) == 0:
		return ""
	case len(no) > 0:
		return ", " + list(who) + ": " + strings.Join(no, "; ")
	default:
		return ", " + list(who)
	}
}

func (p page) checks(c debate.ClaimResult) (out []verdict.Check) {
	for _, k := range p.res.Checks {
		if slices.Contains(c.Checks, k.ID) {
			out = append(out, k)
		}
	}
	return out
}

// objected returns the judges' result for an objection; false: the claim is none, or nobody judged it.
func (p page) objected(c debate.ClaimResult) (standing, bool) {
	if !p.res.Rules.Cases {
		return standing{}, false
	}
	for _, o := range p.ledger.Objections(c.Option) {
		switch {
		case o.Claim != c.ID:
		case o.State == verdict.Blocks:
			return standing{mark: holds, words: "affirmed by " + list(o.Yes), found: 1}, true
		case o.State == verdict.Contested:
			return standing{mark: unknown, words: "contested: affirmed by " + o.Yes[0] + " alone", found: 1}, true
		case len(o.No) > 0:
			return standing{mark: fails, words: "denied by " + list(o.No), found: 0}, true
		}
	}
	return standing{}, false
}

// where returns the place of a claim's evidence: file and line as found, command or URL.
func where(res debate.Result, c debate.ClaimResult) string {
	for _, k := range res.Checks {
		if slices.Contains(c.Checks, k.ID) && k.Proof != nil && k.Proof.File != "" && k.Proof.Line > 0 {
			return fmt.Sprintf("%s:%d", oneLine(k.Proof.File), k.Proof.Line)
		}
	}
	e := c.Evidence
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d", oneLine(e.File), e.Line)
	case e.File != "":
		return oneLine(e.File)
	case len(e.Command) > 0:
		return oneLine(strings.Join(e.Command, " "))
	}
	return oneLine(e.URL)
}
