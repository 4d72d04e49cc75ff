package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

// gate says who acts on a decision.
type gate struct{ page }

// call says who acts and why: the gate in words. If the panel's decision goes ahead, nobody is asked.
func (p gate) call() Call {
	res := p.res
	switch {
	case len(res.Blocked) > 0:
		return Call{"Blocked by " + list(p.blockers()), p.blocks()}
	case res.Outcome == verdict.Ruled && p.notice != "":
		return Call{"Not a decision", []string{"no model took part", strings.TrimPrefix(oneLine(res.Why), "person: ")}}
	case res.Outcome == verdict.Ruled:
		return Call{"Decided by a person", ruled(res.Why)}
	case p.notice != "":
		return Call{"Not a decision", noModel}
	case !res.Outcome.Decision():
		return Call{"Your call", p.undecided()}
	case res.Rules.Cases && res.Gate == verdict.GatePerson:
		return Call{"Your call", append(p.doubts(), "not final until you confirm or overrule it")}
	// Records made by rules before version 4 keep their gate.
	case !res.Rules.Cases && res.Gate == "person":
		return Call{"Your call", []string{p.weakness()}}
	case !res.Rules.Cases && res.Gate == "evidence":
		return Call{"Get more evidence, then decide", []string{p.wanting()}}
	}
	return Call{Reasons: []string{}}
}

// undecided says why there is no decision. The answer already says that it is a tie.
func (p gate) undecided() []string {
	why := oneLine(p.res.Why)
	if p.res.Outcome == verdict.Tie {
		why = "no evidence favors either"
	}
	if len(p.res.Lacks) > 0 {
		why += "; the seats lacked information: " + oneLine(strings.Join(p.res.Lacks, "; "))
	}
	return []string{why}
}

// blockers returns the seats whose objections block.
func (p page) blockers() (out []string) {
	for _, id := range p.res.Blocked {
		if c, ok := p.claim(id); ok && !slices.Contains(out, c.Seat) {
			out = append(out, c.Seat)
		}
	}
	return out
}

// blocks describes each blocking objection, its evidence, and who affirmed it.
func (p gate) blocks() (out []string) {
	for _, id := range p.res.Blocked {
		c, ok := p.claim(id)
		if !ok {
			continue
		}
		by := p.standing(c).words
		for _, o := range p.res.Objections {
			if o.Claim == id {
				by = "affirmed by " + list(o.Yes)
			}
		}
		out = append(out, fmt.Sprintf("%s (%s, %s); %s", clip(strings.TrimRight(oneLine(c.Text), "."), 200), c.ID,
			cmp.Or(where(p.res, c), "no evidence"), by))
	}
	return out
}

// doubts lists the gate's reasons since rules version 4, first the families that the answer depends on.
func (p gate) doubts() (out []string) {
	out = append(out, p.hinges(1)...)
	if pairs := p.hinges(2); len(out) == 0 && p.gives("pair") { // if one family decides, pairs add nothing
		out = append(out, pairs...)
	}
	for _, r := range p.res.Reasons {
		switch r.Code {
		case "lineage", "pair":
		case "one-lineage":
			out = append(out, "only one model family voted")
		case "objection":
			out = append(out, p.objection(r.Text))
		case "lacking":
			out = append(out, "the seats lacked information: "+oneLine(strings.Join(p.res.Lacks, "; ")))
		default:
			out = append(out, oneLine(r.Text))
		}
	}
	return out
}

func (p gate) gives(code string) bool {
	return slices.ContainsFunc(p.res.Reasons, func(r verdict.Reason) bool { return r.Code == code })
}

// hinges names the families, or pairs of them, that the answer depends on; those with the same consequence share a sentence.
func (p gate) hinges(size int) (out []string) {
	if size == 1 && !p.gives("lineage") {
		return nil
	}
	without, order := map[string][]string{}, []string{}
	for _, h := range p.res.Hinges {
		if len(h.Without) != size {
			continue
		}
		if _, seen := without[h.Winner]; !seen {
			order = append(order, h.Winner)
		}
		var families []string
		for _, f := range h.Without {
			if size == 1 {
				f = p.family(f)
			}
			families = append(families, f)
		}
		without[h.Winner] = append(without[h.Winner], strings.Join(families, " and "))
	}
	for _, winner := range order {
		then := "the answer would be \"" + clip(p.option(winner), 80) + "\""
		if winner == "" {
			then = "it would be a tie"
		}
		who := without[winner]
		more := ""
		// Three are named: nobody reads a sentence with ten families.
		if len(who) > 3 {
			more, who = fmt.Sprintf(" (and %d more)", len(who)-3), who[:3]
		}
		comma := ""
		if len(who) > 1 {
			comma = ","
		}
		hangs := "the answer depends on the votes and checks of one model family: "
		if size > 1 {
			hangs = "the answer depends on the votes and checks of two model families: "
		}
		if len(out) > 0 {
			hangs = ""
		}
		out = append(out, hangs+"without "+strings.Join(who, ", or without ")+more+comma+" "+then)
	}
	return out
}

// family returns a model family with its seats, if there are at most three and they are not just one of the same name.
func (p page) family(name string) string {
	var seats []string
	for _, s := range p.res.Seats {
		if s.Lineage == name && s.Status != debate.Spared {
			seats = append(seats, s.ID)
		}
	}
	if len(seats) == 0 || len(seats) > 3 || len(seats) == 1 && seats[0] == name {
		return name
	}
	return name + " (" + strings.Join(seats, ", ") + ")"
}

// objection says in full what a gate's reason says about an objection.
func (p gate) objection(reason string) string {
	for _, o := range p.res.Objections {
		c, ok := p.claim(o.Claim)
		if !ok || !strings.HasPrefix(reason, "objection "+o.Claim+" of ") {
			continue
		}
		by := "nobody could judge it"
		if o.State == verdict.Contested {
			by = strings.Join(o.Yes, "") + " alone affirms it"
		}
		return fmt.Sprintf("%s objects: %s (%s, %s); %s", c.Seat, clip(strings.TrimRight(oneLine(c.Text), "."), 200), c.ID,
			cmp.Or(where(p.res, c), "no evidence"), by)
	}
	return oneLine(reason)
}

// weakness says briefly what lowers the score of a decision, under rules before version 4.
func (p gate) weakness() string {
	if len(p.res.Score.Caps) > 0 {
		low := slices.MinFunc(p.res.Score.Caps, func(a, b verdict.Cap) int { return cmp.Compare(a.At, b.At) })
		return oneLine(low.Why)
	}
	against := p.res.Panel.Voted - len(p.voters(p.res.Winner))
	switch {
	case against == 1:
		return fmt.Sprintf("1 of %d seats disagrees", p.res.Panel.Seats)
	case against > 1:
		return fmt.Sprintf("%d of %d seats disagree", against, p.res.Panel.Seats)
	case p.res.Score.Contested > 0 && p.disputed():
		return "claims are contested"
	case p.res.Score.Coverage < 1:
		return "not all seats voted"
	}
	return "the evidence is weak"
}

// wanting says what is missing, under rules before version 4.
func (p gate) wanting() string {
	switch {
	case len(p.res.Lacks) > 0:
		return "the seats lacked information: " + oneLine(strings.Join(p.res.Lacks, "; "))
	case p.res.Score.Value >= p.res.Rules.Proceed && p.res.Score.Evidence < 0:
		return "more of the winner's evidence was refuted than verified"
	}
	return p.weakness()
}

// disputed reports whether any seat objects to any claim.
func (p page) disputed() bool {
	return slices.ContainsFunc(p.res.Claims, func(c debate.ClaimResult) bool { return objectors(c) > 0 })
}

func objectors(c debate.ClaimResult) (n int) {
	for _, s := range c.Stances {
		if s.Verb == verdict.Object {
			n++
		}
	}
	return n
}

// ruled separates the panel's result from the person's reason.
func ruled(why string) []string {
	panel, person, found := strings.Cut(strings.TrimPrefix(oneLine(why), "person: "), "; a person chose")
	if !found {
		return []string{panel}
	}
	if _, said, found := strings.Cut(panel, ": "); found { // without the outcome's own word
		panel = said
	}
	reasons := []string{"the panel reached no decision: " + panel}
	if person = strings.TrimPrefix(person, ": "); person != "" {
		reasons = append(reasons, "the person's reason: "+person)
	}
	return reasons
}

// noModel is why a debate without models is no decision.
var noModel = []string{"no model took part, so there is no confidence"}
