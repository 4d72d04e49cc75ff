package eval

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
)

// Look returns a function that checks evidence for a room of simulated seats: the checker passes a claim at its rate for true or for
// false answers. The same claim on the same question gets the same result; different claims are checked independently. Evidence that
// is not a simulated seat's is skipped.
func (c Checker) Look(seed uint64, question, truth string) func(context.Context, verdict.Claim) debate.Observation {
	return func(_ context.Context, claim verdict.Claim) debate.Observation {
		e := claim.Evidence
		switch {
		case e.Kind == "quote" && e.File == simulated.QuoteFile:
			return debate.Observation{Result: verdict.Pass, Grade: verdict.Matched, Lines: e.Quote + "\n",
				Proof: verdict.Proof{File: e.File, Line: e.Line}}
		case e.Kind != "command" || len(e.Command) != 3 || e.Command[0] != simulated.CheckCommand:
			return debate.Observation{Result: verdict.Skipped, Grade: verdict.Nothing,
				Detail: "only simulated evidence can be checked here"}
		}
		o := debate.Observation{Result: verdict.Fail, Grade: verdict.Executed, Detail: "simulated",
			Lines: simulated.Passed + e.Command[2] + "\n"}
		if c.pass(e.Command[2] == truth, simulated.Lot(seed, "check", question, strings.Join(e.Command, "\x00"))) {
			o.Result = verdict.Pass
		}
		return o
	}
}
