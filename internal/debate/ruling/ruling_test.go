package ruling_test

import (
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
)

func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		end  ruling.End
		open bool
	}{
		"decided":           {ruling.End{Outcome: verdict.Decided}, false},
		"a person confirms": {ruling.End{Outcome: verdict.Decided, ExitCode: ruling.ExitPerson}, true},
		"a tie":             {ruling.End{Outcome: verdict.Tie, ExitCode: 10}, true},
	} {
		if c.end.Open() != c.open {
			t.Errorf("%s: open is %v", name, !c.open)
		}
	}
}
