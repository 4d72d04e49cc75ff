package proof

import (
	"fmt"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/work/plan"
)

// Foresee reports the steps of a plan that code alone cannot prove, whoever does them, because of the files they
// name.
func Foresee(p plan.Plan) (out []plan.Fault) {
	for _, t := range p.Tasks {
		for _, f := range t.Files {
			why := ""
			switch {
			case sensitive.Steers(f.Name):
				why = "is a steering file, which agents may not write: leave it out and write it yourself"
			case isGuard(f.Name):
				why = "defines how checks run: the step will wait for you"
			case isTest(f.Name) && f.Action == plan.Delete:
				why = "is a test that the step deletes: it will wait for you"
			default:
				continue
			}
			out = append(out, plan.Fault{Line: t.Line, Why: fmt.Sprintf("step %s: %s %s", t.ID, f.Name, why)})
		}
	}
	return out
}
