package document

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

// answer returns the decision as a sentence, or why there is none.
func (p page) answer() string {
	res := p.res
	switch {
	case res.Outcome.Decision():
		return sentence(p.option(res.Winner))
	case res.Outcome == verdict.Tie && len(res.Beliefs) > 1:
		return fmt.Sprintf("No decision: %s and %s are tied.", p.named(res.Beliefs[0].Option), p.named(res.Beliefs[1].Option))
	case len(res.Blocked) > 0:
		return fmt.Sprintf("No decision: %s is blocked.", p.named(p.leading))
	}
	return "No decision: " + strings.TrimRight(oneLine(res.Why), ".") + "."
}

// capital begins a text with a capital letter, unless its first word is a name.
func capital(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if strings.IndexFunc(strings.TrimRight(word, ",:;."), func(r rune) bool { return !unicode.IsLower(r) }) >= 0 {
		return text
	}
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// sentence makes an option's text a sentence.
func sentence(text string) string {
	if text = capital(text); text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// sure returns one word for how sure the answer is and, if the panel decided, the winner's probability in percent.
func (p page) sure() (word string, percent int) {
	res := p.res
	switch {
	case p.notice != "": // even if a person chose
		word, _, _ := strings.Cut(strings.ToLower(p.notice), ":")
		return word, 0
	case res.Outcome == verdict.Ruled:
		return "decided by a person", 0
	case len(res.Blocked) > 0:
		return "blocked", 0
	case res.Outcome == verdict.Tie:
		return "tied", 0
	case res.Outcome == verdict.NoQuorum:
		return "no quorum", 0
	case res.Outcome == verdict.Aborted:
		return "aborted", 0
	case !res.Outcome.Decision():
		return "not enough evidence", 0
	}
	percent = whole(res.Chance()) // calibrated if outcomes were measured
	return degree(percent), percent
}

// basisOf says what the percent is computed from, and how checks changed it.
func basisOf(res debate.Result, moves []Move) string {
	votes, checks := 0, 0
	for _, m := range moves {
		if m.Lineage == "" {
			checks++
		} else {
			votes = m.Percent
		}
	}
	way := "changed"
	if checks > 0 && votes > 0 {
		switch now := moves[len(moves)-1].Percent; {
		case now > votes:
			way = "raised"
		case now < votes:
			way = "lowered"
		}
	}
	switch {
	case res.Calibrated > 0:
		return "by votes, checks and known outcomes"
	case checks == 0:
		return "by votes alone (not calibrated)"
	}
	return "by votes, " + way + " by " + count(checks, "check") + " (not calibrated)"
}

// percent returns the probability of an option. Nothing is certain: 1 to 99; 0: unknown option.
func (p page) percent(option string) int {
	for _, b := range p.res.Beliefs {
		if b.Option == option {
			return whole(b.P)
		}
	}
	return 0
}

// whole returns a share as a whole percent, from 1 to 99.
func whole(share float64) int { return min(99, max(1, int(math.Round(100*share)))) }

// Odds writes a probability as a word and a percent, such as "likely, 84 %"; empty: p is 0.
func Odds(p float64) string {
	if p <= 0 {
		return ""
	}
	return fmt.Sprintf("%s, %d %%", degree(whole(p)), whole(p))
}

// degree returns the word for a percent.
func degree(percent int) string {
	switch {
	case percent >= 90:
		return "very likely"
	case percent >= 75:
		return "likely"
	case percent >= 55:
		return "leaning"
	}
	return "toss-up"
}

// Sure returns the word and, if there is one, the percent, joined by between.
func (d Document) Sure(between string) string {
	if d.Percent == 0 {
		return d.Word
	}
	return fmt.Sprintf("%s%s%d %%", d.Word, between, d.Percent)
}

// status returns the outcome as a word. Without models it is never the word for a decision.
func (p page) status() string {
	if p.notice != "" {
		word, _, _ := strings.Cut(strings.ToLower(p.notice), ":")
		return word
	}
	switch {
	case !p.res.Ended, p.res.NeedsPerson && p.res.Outcome.Decision():
		return "open"
	case len(p.res.Blocked) > 0:
		return "blocked"
	}
	return string(p.res.Outcome)
}

// votes says who voted for the answer, and which votes count less than one.
func (p page) votes() string {
	res := p.res
	if res.Panel.Voted == 0 {
		return cmp.Or(strings.Join(abstained(res.Seats), "; "), "No seat voted")
	}
	var said []string
	if res.Outcome == verdict.Tie && len(res.Beliefs) > 1 {
		for _, b := range res.Beliefs {
			if voters := p.voters(b.Option); len(voters) > 0 {
				said = append(said, fmt.Sprintf("%s: %s", p.named(b.Option), strings.Join(voters, ", ")))
			}
		}
	} else {
		said = append(said, p.majority())
	}
	said = append(said, p.families()...)
	if n := res.Panel.Abstained; n > 0 {
		said = append(said, count(n, "seat")+" abstained")
	}
	return strings.Join(said, "; ")
}

// abstained lists the reasons for abstaining, each once.
func abstained(seats []debate.SeatResult) (why []string) {
	var reasons []string
	who := map[string][]string{}
	for _, s := range seats {
		if s.Status == verdict.Abstained && s.Reason != "" {
			reason := strings.TrimRight(oneLine(s.Reason), ".")
			if who[reason] == nil {
				reasons = append(reasons, reason)
			}
			who[reason] = append(who[reason], s.ID)
		}
	}
	for _, reason := range reasons {
		ids := strings.Join(who[reason], ", ")
		if len(seats) > 1 && len(who[reason]) == len(seats) {
			ids = all(len(seats))
		}
		why = append(why, ids+" abstained: "+reason)
	}
	return why
}

// all is every seat of a panel of n.
func all(n int) string {
	if n == 2 {
		return "Both seats"
	}
	return fmt.Sprintf("All %d seats", n)
}

// majority says who voted for the leader, and whether another option had more votes.
func (p page) majority() string {
	voters := p.voters(p.leading)
	of := fmt.Sprintf("%d of %d seats", len(voters), p.res.Panel.Seats)
	switch {
	case len(voters) == 0:
		return "No seat voted for it"
	case p.res.Panel.Seats == 1:
		return "The only seat: " + voters[0]
	case len(voters) == p.res.Panel.Seats:
		of = all(len(voters))
	}
	if n := spared(p); n > 0 {
		of += fmt.Sprintf(" that were asked (%d were not)", n)
	}
	if !p.res.Outcome.Decision() {
		of += " for " + p.named(p.leading)
	}
	if p.res.Outcome.Decision() {
		of += " chose it (option " + p.leading + ")"
	}
	of += ": " + strings.Join(voters, ", ")
	for _, o := range p.res.Options {
		if o.Key != p.leading && p.weight(o.Key) > p.weight(p.leading)+1e-9 && p.res.Outcome.Decision() && p.res.Outcome != verdict.Ruled {
			of += "; checks outweighed the votes for " + p.named(o.Key)
		}
	}
	return of
}

// spared counts the seats that were not asked because the others settled the question.
func spared(p page) (n int) {
	for _, s := range p.res.Seats {
		if s.Status == debate.Spared {
			n++
		}
	}
	return n
}

// voters returns the seats whose blind vote is the option.
func (p page) voters(option string) (out []string) {
	for _, s := range p.res.Seats {
		if s.Status == verdict.Voted && s.Vote.Option == option {
			out = append(out, s.ID)
		}
	}
	return out
}

// weight returns the total weight of the votes for an option.
func (p page) weight(option string) (sum float64) {
	w := p.ledger.Weights(p.res.Rules)
	for _, id := range p.voters(option) {
		sum += w[id]
	}
	return sum
}

// families says what the votes of each family with several votes count together.
func (p page) families() (out []string) {
	w, by := p.ledger.Weights(p.res.Rules), map[string][]string{}
	for _, s := range p.res.Seats {
		if s.Status == verdict.Voted {
			by[s.Lineage] = append(by[s.Lineage], s.ID)
		}
	}
	for _, lineage := range slices.Sorted(maps.Keys(by)) {
		sum := 0.
		for _, id := range by[lineage] {
			sum += w[id]
		}
		if n := len(by[lineage]); n > 1 && sum < float64(n)-1e-9 {
			out = append(out, fmt.Sprintf("%s votes of one family (%s) count as %s", numeral(n), lineage, plainNumber(sum)))
		}
	}
	return out
}

// numeral writes a small number as a word.
func numeral(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// plainNumber writes a weight with at most two decimals: 1.5, 1.33.
func plainNumber(x float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// foot says when and by which panel it was decided, and the time and cost.
func (p page) foot() string {
	families := fmt.Sprintf("%d model families", p.res.Panel.Lineages)
	if p.res.Panel.Lineages == 1 {
		families = "one model family"
	}
	seats := fmt.Sprintf("%d seats", p.res.Panel.Seats)
	if p.res.Panel.Seats == 1 {
		seats = "1 seat"
	}
	of := seats + " of " + families
	if p.res.Rehearsal {
		of = "rehearsal with " + seats
	}
	money := debate.Money(p.res.Tokens, 1)
	if why := p.res.Unpriced(); why != "" && (p.res.Cost.USD > 0 || p.res.Tokens.Least) {
		money += " (" + why + ")"
	}
	if n := len(p.res.Notes) + len(p.res.Addenda); n > 0 {
		money += " · " + count(n, "note")
	}
	return fmt.Sprintf("%s · %s · %s · %s · %s", p.res.Started.Format("2006-01-02"), p.res.Strategy, of,
		took(time.Duration(p.res.DurationMS)*time.Millisecond), money)
}

// took writes a duration for people.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
}
