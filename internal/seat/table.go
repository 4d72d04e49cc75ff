package seat

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Simulate makes a simulated seat from the part of its spec after the colon.
func Simulate(spec string) (llm.Model, error) {
	res, truth, err := simulated.Parse(spec)
	if err != nil {
		return nil, failure.Usage("seat sim:"+spec+": "+err.Error(), "write a simulated seat as sim:"+simulated.Form)
	}
	return simulated.New(res, func(string) (string, bool) { return truth, truth != "" }), nil
}

// Company reports whether all seats of a panel are without a model. Such seats cannot be combined with others, nor their kinds with
// each other; the notice shown with their results identifies the kind. An empty panel is none.
func Company(seats []table.Seat) (isRehearsal bool, err error) {
	notices := map[string]bool{}
	for _, s := range seats {
		notices[scheme.Of(s.Spec).Notice] = true
	}
	switch {
	case len(notices) < 2:
		return len(seats) > 0 && !notices[""], nil
	case notices[scheme.Of(scheme.Simulated).Notice]:
		return false, failure.Usage("simulated seats cannot be mixed with other seats: they are told the right answer",
			"use only simulated seats: --seat sim:0.8/a --seat sim:0.7/b")
	}
	return false, failure.Usage("the rehearsal panel cannot be mixed with models: its seats are rule-based",
		"use it alone: --seat rehearsal")
}

// TruthOf returns the answer that the simulated seats of a panel were told; empty: there are none, or they were told nothing yet.
func TruthOf(seats []table.Seat) string {
	for _, s := range seats {
		if sim, ok := scheme.Simulation(s.Spec); ok {
			if _, truth, err := simulated.Parse(sim); err == nil && truth != "" {
				return truth
			}
		}
	}
	return ""
}

// TellTruth tells the simulated seats of a panel the right answer: the one a person names, else the first option. It changes the
// specs in the frame; a seat that was told an answer before keeps it. Without simulated seats a truth is refused, so that nobody
// thinks it counted.
func TellTruth(f *table.Frame, truth string) error {
	simulating := false
	for _, s := range f.Seats {
		simulating = simulating || scheme.Of(s.Spec).Word == scheme.Simulated
	}
	if !simulating {
		if truth != "" {
			return failure.Usage("--sim-truth needs a simulated seat", "leave it out, or add one: --seat sim:0.8/a")
		}
		return nil
	}
	switch i := slices.IndexFunc(f.Options, func(o verdict.Option) bool { return strings.EqualFold(o.Text, truth) || o.Key == truth }); {
	case i >= 0:
		truth = f.Options[i].Text
	case truth != "" && len(f.Options) > 0:
		return failure.Usage(fmt.Sprintf("--sim-truth %q is not one of the options", truth), "use the text or letter of an option")
	case len(f.Options) > 0:
		truth = f.Options[0].Text
	// Without options there is no first one.
	case f.Origin == "estimates":
		if _, err := strconv.ParseFloat(truth, 64); err != nil {
			return failure.Usage("simulated seats need the correct number to estimate", "give it with --sim-truth")
		}
	case truth == "":
		truth = "the right answer"
	}
	for i, s := range f.Seats {
		if scheme.Of(s.Spec).Word == scheme.Simulated && !strings.Contains(s.Spec, simulated.TruthKey) {
			f.Seats[i].Spec += simulated.TruthKey + truth
		}
	}
	return nil
}

// Inside reports whether a seat of a debate started this process. Programs of a seat must not start another debate, which might never
// end. A variable in the environment of every such program shows it.
func Inside() bool { return os.Getenv(cli.DepthVar) != "" }
