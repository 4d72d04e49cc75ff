package debate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// What stands at the top and the bottom of everything a panel says in which no model took part.
const (
	rehearsalNotice = "Rehearsal: no model took part. Three rule-based seats searched this folder and quoted what they found."
	simulatedNotice = "Simulated: no model took part. Simulated seats know the right answer and err at their assumed rate."
)

// Notice is what must be said wherever a seat of this spec takes part; empty: a model answers for it.
func Notice(spec string) string {
	switch {
	case strings.HasPrefix(spec, "rehearsal"):
		return rehearsalNotice
	case strings.HasPrefix(spec, "sim:"):
		return simulatedNotice
	}
	return ""
}

// notice is that of the panel. A room that calls itself a rehearsal is one, whatever its seats are called.
func (res Result) notice() string {
	for _, s := range res.Seats {
		if n := Notice(s.Spec); n != "" {
			return n
		}
	}
	if res.Rehearsal {
		return rehearsalNotice
	}
	return ""
}

// document writes the decision in the form of a Markdown architectural decision record (MADR). Every sentence in it
// comes from the ledger and cites the claim it rests on.
func (res Result) document() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	asked, data := SplitData(res.Question)
	p("# %s\n\n", md(oneLine(asked, 160)))
	res.banners(p)
	p(statusLine, res.Outcome, res.Room, res.Started.Format("2006-01-02"), res.Strategy)
	p("## Context and question\n\n%s\n\n", quoted(asked))
	if data != "" {
		p("Attached: %d bytes of data from stdin.\n\n", len(data))
	}
	if res.Revisits != "" {
		p("Debated before in %s.\n\n", res.Revisits)
	}
	p("Every seat got the same context block (sha256 %.12s)", orNone(res.Context))
	if len(res.History) > 0 {
		p(", with earlier decisions as history: %s", strings.Join(res.History, ", "))
	}
	p(".\n\n")
	res.optionList(p)
	res.decision(p)
	res.estimates(p)
	res.consequences(p)
	res.dissent(p)
	res.checkList(p)
	res.flips(p)
	res.people(p)
	res.participants(p)
	res.receipt(p)
	res.talk(p)
	if n := res.notice(); n != "" {
		p("\n> %s\n", n)
	}
	return b.String()
}

// statusLine stands below the title and the banners of every decision document, and is what it is known by.
const statusLine = "Status: %s · Room: %s · Date: %s · Strategy: %s\n\n"

var documentHead = pattern.Of(`^\x{FEFF}?(?:---\r?\n(?:[^\n]*\n)*?---\r?\n)?\s*# [^\n]*\n(?:[ \r]*\n|>[^\n]*\n)*` +
	`Status: [a-z-]+ · Room: ([a-z0-9-]+) · Date: [0-9-]+ · Strategy: [a-z-]+[ \r]*(?:\n|$)`)

// DocumentRoom says of which room a text is the decision document, if it is one, with or without front matter.
func DocumentRoom(text string) (room string, ok bool) {
	m := documentHead().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

type printer func(format string, args ...any)

// banners say above everything else what a reader must know before believing the rest.
func (res Result) banners(p printer) {
	var lines []string
	if !res.Ended {
		lines = append(lines, "This debate has not ended; this is how it would be decided now.")
	}
	if n := res.notice(); n != "" {
		lines = append(lines, n)
	}
	for _, s := range res.Seats {
		if s.Status == verdict.Failed || s.Status == verdict.NoVote || s.Status == verdict.Expelled || s.Status == verdict.Left {
			lines = append(lines, fmt.Sprintf("Degraded panel: %s is missing (%s: %s).", s.ID, s.Status, strings.TrimRight(md(s.Reason), ".")))
		}
	}
	var scripted []string
	for _, s := range res.Seats {
		if strings.HasPrefix(s.Spec, "script:") {
			scripted = append(scripted, s.ID)
		}
	}
	if len(scripted) == 1 {
		lines = append(lines, scripted[0]+" is scripted: no model answered for it.")
	} else if len(scripted) > 1 {
		lines = append(lines, strings.Join(scripted, ", ")+" are scripted: no model answered for them.")
	}
	if res.Exploration {
		lines = append(lines, ExplorationNotice)
	}
	if res.Panel.Seats > 1 && res.Panel.Lineages == 1 {
		lines = append(lines, "All seats belong to one lineage (model family): their votes are not independent.")
	}
	for _, n := range res.Notes {
		lines = append(lines, strings.TrimRight(md(n), ".")+".")
	}
	for _, late := range res.Addenda {
		would := "an answer that matches no option"
		if late.Option != "" {
			would = "a vote for " + late.Option
		}
		if late.Read {
			lines = append(lines, "Addendum: "+late.Seat+" answered late and was read from the next phase on.")
			continue
		}
		lines = append(lines, "Addendum: "+late.Seat+" answered too late, with "+would+". It does not count.")
	}
	for _, l := range lines {
		p("> %s\n>\n", l)
	}
	if len(lines) > 0 {
		p("\n")
	}
}

func (res Result) optionList(p printer) {
	p("## Options\n\n")
	if len(res.Options) == 0 {
		p("None: no options were given, and the panel proposed none.\n\n")
		return
	}
	for _, o := range res.Options {
		var seats []string
		for _, s := range res.Seats {
			if s.Status == verdict.Voted && s.Vote.Option == o.Key {
				seats = append(seats, s.ID)
			}
		}
		votes := "no " + res.vote()
		if len(seats) > 0 {
			votes = res.vote() + "s: " + strings.Join(seats, ", ")
		}
		posterior := ""
		for _, belief := range res.Beliefs {
			if belief.Option == o.Key {
				posterior = fmt.Sprintf("; posterior %.2f, uncalibrated", belief.P)
			}
		}
		p("- **%s** %s (%s%s)\n", o.Key, md(o.Text), votes, posterior)
	}
	p("\n")
}

// vote is what a vote of this debate is called: only where nobody talked before it is it blind, and where the panel was
// aborted nobody was asked for one.
func (res Result) vote() string {
	if res.Aborted != "" {
		return "last word"
	}
	if res.Exploration {
		return "vote"
	}
	return "blind vote"
}

// estimates shows how the numbers of an estimate came together.
func (res Result) estimates(p printer) {
	if len(res.Estimates) == 0 {
		return
	}
	p("## Estimates\n\n| round | lower quartile | median | upper quartile | estimates |\n|---|---|---|---|---|\n")
	for _, q := range res.Estimates {
		p("| %d | %s | %s | %s | %d, in %s |\n", q.Round+1, number(q.Low), number(q.Median), number(q.High), len(q.Values), cell(orNone(q.Unit)))
	}
	p("\n")
}

func (res Result) decision(p printer) {
	p("## Decision\n\n")
	if !res.Outcome.Decision() {
		p("**No decision** (%s): %s.\n\n", res.Outcome, md(res.Why))
		for _, s := range res.Seats {
			if res.Panel.Voted == 0 && s.Status == verdict.Abstained && s.Reason != "" {
				p("%s abstained: %s\n\n", s.ID, md(s.Reason))
			}
		}
	} else {
		p("**%s: %s** (%s, %s).\n\n", res.Winner, md(res.option(res.Winner)), res.Outcome, md(res.Why))
	}
	if res.Panel.Voted > 0 {
		res.score(p)
		p("%s.\n", res.gate())
		if len(res.Lacks) > 0 {
			p("Missing information: %s.\n", md(strings.Join(res.Lacks, "; ")))
		}
		p("\n")
	}
}

// score shows how the score came about. Level options have none.
func (res Result) score(p printer) {
	s := res.Score
	if res.Rules.Cases && len(s.Caps) == 0 && s.Value+s.Support == 0 {
		return
	}
	value := fmt.Sprintf("Score %.2f", s.Value)
	if raw := s.Support * (1 - s.Contested); raw > s.Value+.005 {
		value += fmt.Sprintf(", capped from %.2f", raw)
	}
	p("%s = support %.2f × (1 − contested %.2f); evidence %+.2f, stability %.2f, coverage %.2f.\n", value, s.Support, s.Contested,
		s.Evidence, s.Stability, s.Coverage)
	for _, c := range s.Caps {
		if !res.Outcome.Decision() {
			break
		}
		p("Capped at %.2f (%s): %s.\n", c.At, c.Name, md(c.Why))
	}
}

// consequences lists what the panel claims of the chosen option.
func (res Result) consequences(p printer) {
	if !res.Outcome.Decision() && res.Panel.Voted == 0 {
		return
	}
	p("## Consequences\n\n")
	n := 0
	for _, c := range res.Claims {
		word := ""
		switch {
		case res.Outcome == verdict.Tie && c.Option != "" && c.Supports:
			word = "For " + c.Option
		case c.Option == res.leading() && c.Option != "":
			word = map[bool]string{true: "For", false: "Against"}[c.Supports]
		case c.Option != "" && !c.Supports:
			word = "Against " + c.Option
		default:
			continue
		}
		if c.SameAs != "" {
			continue
		}
		n++
		p("- %s: %s [%s of %s, %s]\n", word, md(c.Text), c.ID, c.Seat, res.standing(c))
	}
	if n == 0 {
		p("No claims about option %s.\n", res.leading())
	}
	p("\n")
}

// leading is the winner, or what led when there is none.
func (res Result) leading() string {
	if res.Winner != "" || len(res.Beliefs) == 0 {
		return res.Winner
	}
	return res.Beliefs[0].Option
}

func (res Result) dissent(p printer) {
	p("## Dissent\n\n")
	d := res.Dissent
	if res.Outcome == verdict.Tie && d.Option == "" {
		p("The options are level: each is the other's dissent.\n\n")
		return
	}
	if d.Option == "" && len(d.Unsupported) == 0 {
		p("None: no seat voted or argued for another option.\n\n")
		return
	}
	if d.Option != "" {
		who := "no seat voted for it"
		if len(d.Seats) > 0 {
			who = strings.Join(d.Seats, ", ")
		}
		p("Strongest other option: **%s** %s (%s).\n\n", d.Option, md(res.option(d.Option)), who)
		for _, id := range d.Claims {
			if i := slices.IndexFunc(res.Claims, func(c ClaimResult) bool { return c.ID == id }); i >= 0 {
				c := res.Claims[i]
				word := "for"
				if !c.Supports {
					word = "against"
				}
				p("- %s %s: %s [%s of %s, %s]\n", word, c.Option, md(c.Text), c.ID, c.Seat, res.standing(c))
			}
		}
	}
	for _, s := range res.Switches {
		kind := "unsupported switch: the blind vote counts"
		if s.Supported {
			kind = "supported switch"
		}
		p("- %s moved from %s to %s, citing %s: %s\n", s.Seat, s.From, s.To, orNone(strings.Join(s.Cites, ", ")), kind)
	}
	p("\n")
}

func (res Result) checkList(p printer) {
	p("## Checks\n\n")
	if len(res.Checks) == 0 {
		p("No evidence could be checked; treat this as opinion.\n\n")
		return
	}
	p("| check | claim | kind | result | ratio | where | control |\n|---|---|---|---|---|---|---|\n")
	for _, k := range res.Checks {
		where := ""
		if k.Proof != nil {
			switch {
			case k.Proof.File != "":
				where = fmt.Sprintf("%s:%d", k.Proof.File, k.Proof.Line)
			case k.Proof.URL != "":
				where = k.Proof.URL
			}
		}
		if len(k.Command) > 0 {
			where = strings.Join(k.Command, " ")
		}
		detail := k.Result
		if k.Detail != "" {
			detail += ": " + k.Detail
		}
		p("| %s | %s | %s | %s | %.2g | %s | %s |\n", k.ID, k.Claim, k.Kind, cell(detail), k.Ratio, cell(where), cell(k.Control))
	}
	p("\n")
}

func (res Result) flips(p printer) {
	p("## What would flip it\n\n")
	if len(res.Dissent.Flip) == 0 {
		p("No seat of the majority said what would change its mind.\n\n")
		return
	}
	for i, f := range res.Dissent.Flip {
		if !slices.Contains(res.Dissent.Flip[:i], f) {
			p("- %s\n", md(f))
		}
	}
	p("\n")
}

// talk shows what seats said to each other; of answers that were written version by version the last ones.
func (res Result) talk(p printer) {
	if len(res.Talk) == 0 {
		return
	}
	version := regexp.MustCompile(`^v[0-9]+$`)
	p("\n## What was said\n\n")
	for i, s := range res.Talk {
		newer := func(later verdict.Spoken) bool { return later.Seat == s.Seat && version.MatchString(later.Phase) }
		if version.MatchString(s.Phase) && slices.ContainsFunc(res.Talk[i+1:], newer) {
			continue
		}
		phase := s.Phase
		if s.Side != "" {
			phase += " " + s.Side
		}
		p("**%s, %s:**\n\n%s\n\n", md(s.Seat), md(phase), quoted(s.Text))
	}
}

// people lists what persons said to the debate and what became of it.
func (res Result) people(p printer) {
	if !slices.ContainsFunc(res.Words, func(h Heed) bool { return h.Verb != lateVerb }) {
		return
	}
	p("## Said by a person\n\n")
	for _, h := range res.Words {
		if h.Verb == lateVerb {
			continue
		}
		word := ""
		if h.Refused {
			word = "refused: "
		}
		said := ""
		if h.Text != "" {
			said = " “" + md(h.Text) + "”"
		}
		p("- %s%s, applied at %s: %s%s\n", h.Verb, said, h.Place, word, md(h.Done))
	}
	p("\n")
}

func (res Result) participants(p printer) {
	p("## Participants and cost\n\n| seat | model | lineage | status | tokens in / out | cost | time |\n|---|---|---|---|---|---|---|\n")
	for _, s := range res.Seats {
		u := s.Usage
		p("| %s | %s | %s | %s | %d / %d | %s | %.1f s |\n", cell(title(s.ID, s.Persona)), cell(s.Model), cell(s.Lineage), s.Status,
			u.Input+u.CacheRead+u.CacheWrite, u.Output, Money(u, s.Calls), float64(s.MS)/1000)
	}
	lineages := fmt.Sprintf("%d lineages", res.Panel.Lineages)
	if res.Panel.Lineages == 1 {
		lineages = "one lineage"
	}
	seats := fmt.Sprintf("%d seats", res.Panel.Seats)
	if res.Panel.Seats == 1 {
		seats = "One seat"
	}
	p("\n%s of %s. Total: %s", seats, lineages, Money(res.Tokens, 1))
	if why := res.Unpriced(); why != "" && (res.Cost.USD > 0 || res.Tokens.Least) {
		p(" (%s)", why)
	}
	p(", %.1f s.\n", float64(res.DurationMS)/1000)
}

// md keeps a model's words from being read as our Markdown: no tags, no headings, no table cells.
func md(s string) string {
	s = mdEscapes.Replace(s)
	return strings.TrimLeft(s, "#> ")
}

var mdEscapes = strings.NewReplacer("<", "&lt;", "\n", " ", "\r", " ", "|", "\\|")

func cell(s string) string { return md(oneLine(s, 160)) }

func quoted(s string) string {
	return "> " + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(s), "<", "&lt;"), "\n", "\n> ")
}

func orNone(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
