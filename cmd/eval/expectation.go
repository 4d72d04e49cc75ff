package eval

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// simulatedNotice precedes all output of a simulation.
const simulatedNotice = "Simulated: no model was asked. These figures follow from the assumptions below and say nothing about real models."

// simulation is the result of a simulation, for programs and for people. Its JSON has a schema of its own, so that
// nobody takes it for an evaluation.
type simulation struct {
	Type        string           `json:"type"`
	Schema      string           `json:"schema"`
	Simulated   bool             `json:"simulated"`
	Notice      string           `json:"notice"`
	Panel       []simulatedSeat  `json:"panel"`
	Lineages    int              `json:"lineages"`
	Assumptions []string         `json:"assumptions"`
	Figures     eval.Expectation `json:"figures"`
	Advice      string           `json:"advice"`
}

// simulatedSeat is a seat with its assumptions.
type simulatedSeat struct {
	Name     string  `json:"name"`
	Lineage  string  `json:"lineage"`
	Accuracy float64 `json:"accuracy"` // assumed
}

// Every figure is printed together with its assumptions, in both formats.
func newSimulation(sim eval.Simulation, s *simulateFlags, e eval.Expectation) simulation {
	res := simulation{Type: "simulation", Schema: "socrates.simulate/1", Simulated: true, Notice: simulatedNotice, Figures: e}
	lineages := map[string]bool{}
	for _, whole := range sim.World.Seats {
		res.Panel = append(res.Panel, simulatedSeat{whole.Name, whole.Lineage, whole.Accuracy})
		lineages[whole.Lineage] = true
	}
	res.Lineages = len(lineages)
	res.Assumptions = s.assumptions(sim)
	res.Advice = res.advise()
	return res
}

// assumptions describes the inputs in words.
func (s *simulateFlags) assumptions(sim eval.Simulation) []string {
	w := sim.World
	var seats []string
	for _, res := range w.Seats {
		name := res.Name
		if res.Lineage != strings.TrimRight(name, "0123456789") {
			name += " (" + res.Lineage + ")"
		}
		seats = append(seats, name+" "+plainNumber(res.Accuracy))
	}
	from := "as given"
	switch {
	case s.isGuess:
		from = "an example, because no seat is available (see socrates seats)"
	case len(s.specs) == 0 && !s.panelGiven && !s.seatsGiven && !s.lineagesGiven:
		from = "a debate's default panel"
	}
	accuracies := "Accuracies are as given"
	if s.accuracy == "" {
		accuracies = "Accuracies are assumed, not measured; set yours with --accuracy"
	}
	measured := "weigh 3:1 for and against until 100 control runs of each kind have measured the judges"
	if sim.Controls >= 100 {
		measured = fmt.Sprintf("weigh what %d control runs of each kind measured, at most 5:1", sim.Controls)
	}
	correlated := fmt.Sprintf("Errors correlate: latent correlation %s between any two seats, %s more within a lineage.",
		plainNumber(w.Common), plainNumber(w.Family))
	if s.ease != "" {
		accuracies = "For each question, the chance that an honest seat is right is drawn from Beta(" + s.ease +
			") and replaces the accuracies"
		correlated = "Errors correlate only because seats share that chance."
	}
	where := "where voters differ"
	if s.unanimous {
		where = "also where all voters agree"
	}
	checked := fmt.Sprintf("Claims are checked %s, at most %d per option and %d per lineage, "+
		"as long as the next three checks promise a gain of %s each", where, sim.Rules.ChecksPerOption, sim.Rules.ChecksPerCase,
		plainNumber(sim.Rules.CheckPrice))
	if s.deep {
		checked += ", by two judges"
	}
	asked := "Every seat is asked"
	if s.economy != "" {
		asked = "Seats are asked by economy " + s.economy
	}
	if w.Judge {
		checked += ", first by an honest judge of another family, without a seat"
	}
	if s.outcomes > 0 {
		accuracies += fmt.Sprintf("; votes are weighted by accuracies learned from %d outcomes, at most .80", s.outcomes)
	}
	return []string{
		fmt.Sprintf("Seats (%s): %s.", from, strings.Join(seats, ", ")),
		accuracies + ".",
		correlated,
		fmt.Sprintf("%d options; a wrong vote names the same distractor with chance %s.", w.Options, plainNumber(w.Distractor)),
		fmt.Sprintf("Each seat makes three claims for its vote. "+
			"An honest judge passes one for a right answer with chance %s, one for a wrong answer with %s; %s of the questions can be "+
			"checked. A single seat is not checked.",
			plainNumber(w.Checker.TruePass), plainNumber(w.Checker.FalsePass), percent(w.Checkable)),
		checked + ". They " + measured + ". A rejection needs two lineages, and so does an acceptance that decides the answer.",
		s.lies(),
		asked + ", answers blind, and none fails. Cross-examination is not simulated: it never changes the winner.",
		fmt.Sprintf("%d questions from seed %d, the same for every row. Intervals are 95 %%.", sim.Items, sim.Seed),
	}
}

// lies describes the seats that are not honest.
func (s *simulateFlags) lies() string {
	if s.liars == 0 {
		return "No seat lies."
	}
	what := map[string]string{"lure": "vote for the wrong answer that most mistaken seats name",
		"right": "vote with the right side and cite nonsense for it",
		"third": "vote for a third answer", "none": "abstain"}[s.liarsVote]
	return fmt.Sprintf("The last %d seats lie: they know the truth and the rules, %s, "+
		"cite true but irrelevant quotes, and write bad claims for the others; %d of them judge falsely. This shows these strategies, "+
		"not every one.",
		s.liars, what, s.falseJudges)
}

// advise returns the sentence a person can use. A difference whose interval contains zero is called none.
func (o simulation) advise() string {
	e, n := o.Figures, len(o.Panel)
	lineages := "one lineage"
	if o.Lineages > 1 {
		lineages = fmt.Sprintf("%d lineages", o.Lineages)
	}
	panel := fmt.Sprintf("a panel of %d seats of %s", n, lineages)
	if n == 1 {
		panel = "a panel of one seat"
	}
	var worth string
	switch {
	case n == 1:
		worth = "is that seat alone"
	// The whole interval is below zero.
	case e.Points.High < 0:
		worth = fmt.Sprintf("is %.1f points worse than %s alone: use the single model", -e.Points.Value, e.Best)
	case e.Points.Low <= 0:
		worth = "is no better than " + e.Best + " alone: a panel is not worth its cost here"
	default:
		worth = fmt.Sprintf("is worth about %s and gains %.1f points over its best seat", votes(e.Effective), e.Points.Value)
	}
	return fmt.Sprintf("Simulated, with these assumptions: %s %s; %s.", panel, worth, compare(e))
}

// votes formats a number of votes in words.
func votes(n float64) string {
	text := strconv.FormatFloat(n, 'f', 1, 64)
	if text = strings.TrimSuffix(text, ".0"); text == "1" {
		return "one vote"
	}
	return text + " votes"
}

// compare advises whether to spend on checks or on one more seat. Intervals that overlap are called equal.
func compare(e eval.Expectation) string {
	checking, another := e.Checking, e.Another
	check, named := fmt.Sprintf("%+.1f", checking.Value), fmt.Sprintf("%+.1f", another.Value)
	switch {
	case e.Checks == 0 && another.Low <= 0:
		return "nothing was checked, and one more seat of another lineage (" + named + ") would not help"
	case e.Checks == 0:
		return "nothing was checked; one more seat of another lineage would add " + named
	case checking.High < 0:
		return "such checks are harmful (" + check + "); measuring them by control runs limits the harm (--controls)"
	case checking.Low <= 0 && another.Low <= 0:
		return "neither checks (" + check + ") nor one more seat of another lineage (" + named + ") would help"
	case checking.Low > another.High:
		return "a checker helps more (" + check + ") than one more seat of another lineage (" + named + ")"
	case another.Low > checking.High:
		return "one more seat of another lineage helps more (" + named + ") than a checker (" + check + ")"
	}
	return "a checker (" + check + ") and one more seat of another lineage (" + named + ") help equally"
}

// percent formats a share in percent, with all its digits.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', -1, 64) + " %" }

// right formats a share and its interval as cells of a table.
func right(i statistics.Interval) string {
	return fmt.Sprintf("%.1f %% | %.1f to %.1f", 100*i.Value, 100*i.Low, 100*i.High)
}

// markdown formats everything for a person. Each heading and table says simulated: a table is copied without its
// surroundings.
func (o simulation) markdown() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	e := o.Figures
	seats := "one seat"
	if len(o.Panel) > 1 {
		seats = fmt.Sprintf("%d seats", len(o.Panel))
	}
	p("# Simulated accuracy and cost: a panel of %s\n\n> %s\n\n", seats, o.Notice)
	p("## Simulated accuracy\n\n| simulated, %d questions | right | 95 %% |\n|---|---|---|\n", e.Items)
	p("| best single seat, %s | %s |\n", e.Best, right(e.Single))
	p("| blind majority | %s |\n", right(e.Majority))
	p("| council, with checks | %s |\n", right(e.Council))
	p("| oracle: at least one seat is right | %s |\n\n", right(e.Oracle))
	p("## Simulated worth\n\n| simulated | |\n|---|---|\n")
	p("| points over the best single seat | %+.1f [%+.1f, %+.1f] |\n", e.Points.Value, e.Points.Low, e.Points.High)
	if e.Oracle.Value > e.Single.Value {
		p("| share of the gap to the oracle closed | %.0f %% |\n", 100*e.Gap)
	}
	p("| effective votes of %d | %.2f |\n", len(o.Panel), e.Effective)
	p("| wrong among the 60 %% most confident | %.1f %% |\n", 100*e.Confident)
	p("| winner supported by one lineage only | %.1f %% |\n", 100*e.OneLineage.Value)
	p("| tied | %.1f %% |\n", 100*e.Level.Value)
	p("| your call: tied, or the answer depends on one lineage | %.1f %% |\n", 100*e.Person.Value)
	p("| right, or your call | %.1f %% |\n", 100*e.Safe.Value)
	p("| wrong, and nobody is asked | %.1f %% |\n", 100*(1-e.Safe.Value))
	p("| seats asked, claims checked, judgements, per question | %.2f, %.2f, %.2f |\n", e.Calls, e.Checks, e.Judged)
	p("| points that checks add | %+.1f [%+.1f, %+.1f] |\n", e.Checking.Value, e.Checking.Low, e.Checking.High)
	p("| points that one more lineage adds | %+.1f [%+.1f, %+.1f] |\n\n", e.Another.Value, e.Another.Low, e.Another.High)
	if len(e.Losses) > 0 {
		p("## Simulated losses\n\n| simulated: seat that does not answer | right | points |\n|---|---|---|\n")
		for _, l := range e.Losses {
			p("| %s | %.1f %% | %+.1f [%+.1f, %+.1f] |\n", l.Which, 100*l.Accuracy.Value, l.Points.Value, l.Points.Low, l.Points.High)
		}
		p("\n")
	}
	p("## Assumptions\n\n")
	for _, line := range o.Assumptions {
		p("- %s\n", line)
	}
	p("\n%s\n", o.Advice)
	return b.String()
}
