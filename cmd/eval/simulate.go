package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// simulateFlags are the options of `socrates debate simulate`. Those parsed later are texts, so that mistakes in them
// are reported in a sentence.
type simulateFlags struct {
	specs                                          []string
	panel, accuracy, checker, economy              string
	seats, lineages, options, items, perOption     int
	controls, outcomes                             int
	common, within, distractor, checkable, price   float64
	ease, liarsVote                                string
	liars, falseJudges                             int
	deep, unanimous, judge                         bool
	seed                                           uint64
	seatsGiven, lineagesGiven, panelGiven, isGuess bool
}

// The limits of a simulation: a larger panel than anybody seats, and questions that take about a minute.
const (
	maxSimulatedSeats = 32
	maxSimulatedItems = 2_000_000
)

// Simulate returns the command debate simulate. It is below debate because that is where a person asks whether a
// panel is worth it; its code is that of evaluations.
func (v *Evals) Simulate() *cobra.Command {
	a := &v.commands
	s := &simulateFlags{}
	rules := verdict.DefaultRules()
	c := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate a panel's accuracy and cost",
		Long: `Run a panel on simulated questions, decided by the rules of a real debate. No model is called:
every figure follows from the assumptions, which are printed with the result.

The seats and lineages are those a debate would use now, or the ones you give. Accuracies are
assumed. Published: two models that are both wrong name the same wrong option about 60 % of the
time (arXiv 2506.07962; --distractor .755 reproduces it), and nine judges of seven families were
worth about two votes (arXiv 2605.29800; --common .62 reproduces it). How strongly errors
correlate is not published; the defaults are those of this program's acceptance tests.`,
		Example: `  socrates debate simulate
  socrates debate simulate --seats 5 --lineages 2 --accuracy 0.8
  socrates debate simulate --panel A,A,A,B,C --accuracy 0.9,0.7,0.7,0.7,0.7 --checkable 0.5
  socrates debate simulate --seats 5 --lineages 5 --ease 2.1/.9 --liars 1 --false-judges 1
  socrates debate simulate --seat claude --seat codex --seat gemini:mid --economy pair`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return failure.Usage("simulate takes no question: its questions are simulated",
					"describe the panel with flags: socrates debate simulate --help")
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			f := c.Flags()
			s.seatsGiven, s.lineagesGiven, s.panelGiven = f.Changed("seats"), f.Changed("lineages"), f.Changed("panel")
			// A flag without effect would make its figures look real.
			if s.liars == 0 && f.Changed("liars-vote") {
				return failure.Usage("--liars-vote needs --liars", "otherwise no seat lies: --liars 1 --liars-vote "+s.liarsVote)
			}
			if s.liars == 0 && s.falseJudges > 0 {
				return failure.Usage("--false-judges needs --liars", "only a seat that lies judges falsely: --liars 1 --false-judges 1")
			}
			return a.simulate(c.Context(), s)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&s.specs, "seat", nil, "a panel `seat` (repeatable); only its lineage matters")
	f.IntVar(&s.seats, "seats", 5, "number of seats, instead of a debate's")
	f.IntVar(&s.lineages, "lineages", 3, "number of lineages, assigned to seats in turn")
	f.StringVar(&s.panel, "panel", "", "lineage of each seat, as in A,A,B,C")
	f.StringVar(&s.accuracy, "accuracy", "", "accuracy of a single seat, or one per seat: .9,.7,.7 (default "+
		plainNumber(rules.Accuracy)+")")
	f.Float64Var(&s.common, "common", .25, "error correlation between any two seats")
	f.Float64Var(&s.within, "within", .45, "additional error correlation within a lineage")
	f.IntVar(&s.options, "options", 4, "number of options")
	f.Float64Var(&s.distractor, "distractor", .755, "chance that a wrong vote picks the common distractor")
	f.StringVar(&s.ease, "ease", "", "Beta distribution of a question's ease, as in 2.1/.9; replaces accuracies and correlations")
	f.StringVar(&s.checker, "checker", ".9/.3", "chance an honest judge passes a claim for a right / wrong answer")
	f.Float64Var(&s.checkable, "checkable", 1, "share of questions that can be checked")
	f.IntVar(&s.controls, "controls", 0, "control runs per kind (below 100: unmeasured, checks weigh 3:1)")
	f.Float64Var(&s.price, "price", rules.CheckPrice, "minimum expected gain of a check")
	f.BoolVar(&s.deep, "deep", false, "where voters differ, check like the preset deep: price "+
		plainNumber(rules.Deep().CheckPrice)+", two judges each")
	f.BoolVar(&s.unanimous, "unanimous", false, "also check when all voters agree, as the preset deep does")
	f.IntVar(&s.liars, "liars", 0, "how many of the last seats know the truth and lie")
	f.StringVar(&s.liarsVote, "liars-vote", "lure", "what they vote for: lure, right, third or none")
	f.IntVar(&s.falseJudges, "false-judges", 0, "how many liars also judge falsely")
	f.BoolVar(&s.judge, "judge", false, "ask an honest judge of another family, without a seat, first")
	f.IntVar(&s.outcomes, "outcomes", 0, "earlier outcomes to learn the seats' accuracies from (below 10: none learned)")
	f.IntVar(&s.perOption, "checks-per-option", rules.ChecksPerOption, "check limit per option")
	f.StringVar(&s.economy, "economy", "", "ask fewer seats: pair or lead")
	f.IntVar(&s.items, "items", 5_000, "number of questions")
	f.Uint64Var(&s.seed, "seed", 1, "random seed; the same seed gives the same figures")
	return c
}

func (a *commands) simulate(ctx context.Context, s *simulateFlags) error {
	if err := s.valid(); err != nil {
		return err
	}
	sim, err := s.simulation(ctx, a)
	if err != nil {
		return err
	}
	told := newSimulation(sim, s, sim.Run())
	if a.Out.Format != "text" {
		return a.Out.JSON(told)
	}
	return a.Out.Raw(a.Out.Page(a.Out.Clean(told.markdown())))
}

// valid checks every flag that depends on no other. Ranges are inclusive, and NaN is outside each.
func (s *simulateFlags) valid() error {
	for _, share := range []struct {
		flag  string
		value float64
	}{{"common", s.common}, {"within", s.within}, {"distractor", s.distractor}, {"checkable", s.checkable}} {
		if !(share.value >= 0 && share.value <= 1) {
			return failure.Usage(fmt.Sprintf("--%s is %v; it must be between 0 and 1", share.flag, share.value), "")
		}
	}
	if s.common+s.within > 1 {
		return failure.Usage(fmt.Sprintf("--common %v and --within %v add up to more than 1", s.common, s.within),
			"lower one of them")
	}
	for _, n := range []struct {
		flag               string
		value, least, most int
	}{{"seats", s.seats, 1, maxSimulatedSeats}, {"lineages", s.lineages, 1, maxSimulatedSeats},
		{"options", s.options, 2, motion.MaxOptions},
		{"items", s.items, 100, maxSimulatedItems}, {"controls", s.controls, 0, 100_000}, {"outcomes", s.outcomes, 0, 1000},
		{"checks-per-option", s.perOption, 0, 10},
		{"liars", s.liars, 0, maxSimulatedSeats}, {"false-judges", s.falseJudges, 0, s.liars}} {
		if n.value < n.least || n.value > n.most {
			return failure.Usage(fmt.Sprintf("--%s is %d; it must be %d to %d", n.flag, n.value, n.least, n.most), "")
		}
	}
	if !(s.price >= 0 && s.price <= 1) {
		return failure.Usage(fmt.Sprintf("--price is %v; it must be between 0 and 1", s.price), "0 runs every check that could help")
	}
	if _, known := liarVotes[s.liarsVote]; !known {
		return failure.Usage("--liars-vote "+s.liarsVote+" is not valid", "use lure, right, third or none")
	}
	if !slices.Contains([]string{"", "pair", "lead"}, s.economy) {
		return failure.Usage("--economy "+s.economy+" is not valid", "use pair or lead")
	}
	if s.panelGiven && (s.seatsGiven || s.lineagesGiven) {
		return failure.Usage("--panel already sets the number of seats and lineages", "leave out --seats and --lineages")
	}
	if len(s.specs) > 0 && (s.panelGiven || s.seatsGiven || s.lineagesGiven) {
		return failure.Usage("--seat already names the panel", "leave out --panel, --seats and --lineages")
	}
	if s.lineages > s.seats && s.lineagesGiven {
		return failure.Usage(fmt.Sprintf("%d seats cannot have %d lineages", s.seats, s.lineages),
			"each lineage needs a seat: lower --lineages or raise --seats")
	}
	return nil
}

// simulation assembles the simulation. Liars are the last seats; how many also judge falsely is a flag of its own. An
// ease replaces accuracies and correlations, since both describe the same thing.
func (s *simulateFlags) simulation(ctx context.Context, a *commands) (eval.Simulation, error) {
	sim := eval.Simulation{Controls: s.controls, Items: s.items, Seed: s.seed}
	checker, err := s.readChecker()
	if err != nil {
		return sim, err
	}
	seats, err := s.panelists(ctx, a)
	if err != nil {
		return sim, err
	}
	if err := s.accuracies(seats); err != nil {
		return sim, err
	}
	sim.Rules = verdict.DefaultRules()
	sim.Rules.CheckPrice, sim.Rules.ChecksPerOption = s.price, s.perOption
	if s.deep {
		sim.Rules = sim.Rules.Deep()
	}
	sim.Rules.Unanimous = s.unanimous
	if s.liars > len(seats) {
		return sim, failure.Usage(fmt.Sprintf("--liars is %d, but there are %d seats", s.liars, len(seats)), "")
	}
	if s.economy != "" {
		sim.Stop = map[string]eval.Stop{"pair": eval.Pair, "lead": eval.Settled}[s.economy]
		if i := slices.IndexFunc(seats, func(x eval.Voter) bool { return x.Lineage != seats[0].Lineage }); i > 1 { // as debates do
			second := seats[i]
			seats = slices.Insert(slices.Delete(seats, i, i+1), 1, second)
		}
	}
	sim.World = eval.World{Options: s.options, Distractor: s.distractor, Seats: seats, Common: s.common, Family: s.within,
		Checker: checker, Checkable: s.checkable, Judge: s.judge}
	if s.outcomes > 0 {
		sim.Learn = s.learn
	}
	for i := range s.liars {
		sim.World.Seats[len(seats)-1-i].Plays = eval.Adversary{Votes: liarVotes[s.liarsVote], Quotes: sim.Rules.ClaimsPerSeat,
			Strawmen: true, Judges: i < s.falseJudges}
	}
	if s.ease != "" {
		a, b, ok := pair(s.ease)
		if !ok || !(a > 0 && b > 0) {
			return sim, failure.Usage(fmt.Sprintf("--ease %q is not two numbers above 0", s.ease), "write 2.1/.9 for the reference world")
		}
		sim.World.Ease, sim.World.Common, sim.World.Family = simulated.Beta{A: a, B: b}, 0, 0
	}
	return sim, nil
}

// liarVotes are what adversaries can vote for.
var liarVotes = map[string]eval.Vote{"lure": eval.ForLure, "right": eval.ForTruth, "third": eval.ForThird, "none": eval.Abstaining}

// pair parses two numbers with a slash between them.
func pair(text string) (a, b float64, ok bool) {
	first, second, ok := strings.Cut(text, "/")
	a, err1 := strconv.ParseFloat(strings.TrimSpace(first), 64)
	b, err2 := strconv.ParseFloat(strings.TrimSpace(second), 64)
	return a, b, ok && err1 == nil && err2 == nil
}

// panelists returns the seats: named, described, or a debate's default panel. A guess (three lineages, five seats) is
// marked as one in the assumptions.
func (s *simulateFlags) panelists(ctx context.Context, a *commands) ([]eval.Voter, error) {
	lineages := strings.Split(s.panel, ",")
	if !s.panelGiven {
		if !s.seatsGiven && !s.lineagesGiven {
			seats, err := s.realSeats(ctx, a)
			if err != nil || len(seats) > 0 {
				return seats, err
			}
			s.isGuess = true
		}
		lineages = make([]string, s.seats)
		for i := range lineages {
			lineages[i] = letters(i % min(s.lineages, s.seats))
		}
	}
	if len(lineages) > maxSimulatedSeats {
		return nil, failure.Usage(fmt.Sprintf("--panel has %d seats; the limit is %d", len(lineages), maxSimulatedSeats), "")
	}
	var seats []eval.Voter
	used := map[string]int{}
	for i, l := range lineages {
		if l = strings.TrimSpace(l); l == "" {
			return nil, failure.Usage(fmt.Sprintf("--panel %s names no lineage for seat %d", s.panel, i+1),
				"name one for each seat, for example A,A,B,C")
		}
		used[l]++
		seats = append(seats, eval.Voter{Name: l + strconv.Itoa(used[l]), Lineage: l})
	}
	return seats, nil
}

// letters names a lineage by its number: A to Z, then AA.
func letters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letters(i/26-1) + letters(i%26)
}

// realSeats returns the seats of --seat, or a debate's default panel; nil: none is available.
func (s *simulateFlags) realSeats(ctx context.Context, a *commands) ([]eval.Voter, error) {
	specs := s.specs
	if len(specs) == 0 {
		all, err := a.Home.Seats.Discover(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if f.Used && f.IsModel() {
				specs = append(specs, f.Spec)
			}
		}
	}
	var seats []eval.Voter
	used := map[string]int{}
	for _, spec := range specs {
		spec, _, err := a.Home.Seats.Persona(spec) // a persona changes no lineage
		if err != nil {
			return nil, err
		}
		lineage, err := a.Home.Seats.Lineage(ctx, spec)
		if err != nil {
			return nil, err
		}
		res := eval.Voter{Name: seat.NextID(used, spec), Lineage: lineage}
		if sim, ok := scheme.Simulation(spec); ok {
			assumed, _, _ := simulated.Parse(sim) // its lineage was parsed from it
			res.Accuracy = assumed.Accuracy
		}
		seats = append(seats, res)
	}
	return seats, nil
}

// accuracies gives the seats their accuracies.
func (s *simulateFlags) accuracies(seats []eval.Voter) error {
	parts := []string{plainNumber(verdict.DefaultRules().Accuracy)}
	said := s.accuracy != ""
	if said {
		parts = strings.Split(s.accuracy, ",")
	}
	if len(parts) != 1 && len(parts) != len(seats) {
		return failure.Usage(fmt.Sprintf("--accuracy has %d numbers for %d seats", len(parts), len(seats)),
			"give one for all seats, or one per seat in order")
	}
	for i := range seats {
		text := strings.TrimSpace(parts[min(i, len(parts)-1)])
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return failure.Usage(fmt.Sprintf("--accuracy %q is not a number between 0 and 1", text),
				"write .7 for 70 % right")
		}
		if said || seats[i].Accuracy == 0 { // a simulated seat has its own
			seats[i].Accuracy = x
		}
	}
	return nil
}

// readChecker parses how well an honest judge tells right from wrong.
func (s *simulateFlags) readChecker() (eval.Checker, error) {
	right, wrong, ok := pair(s.checker)
	if !ok || !(right >= 0 && right <= 1 && wrong >= 0 && wrong <= 1) {
		return eval.Checker{}, failure.Usage(fmt.Sprintf("--checker %q is not two numbers between 0 and 1", s.checker),
			"write .9/.3 for a check that passes 90 % of right and 30 % of wrong answers")
	}
	return eval.Checker{TruePass: right, FalsePass: wrong}, nil
}

// plainNumber writes a share as people do: .7, 1.
func plainNumber(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if len(text) > 1 {
		text = strings.TrimPrefix(text, "0")
	}
	return text
}
