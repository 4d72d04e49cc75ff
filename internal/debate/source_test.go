package debate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
)

// TestSourceBeforeCases fetches a source by rules before version 4: one that says what was quoted is judged by a seat of another
// lineage, and one that does not is shown to nobody and carries no weight.
func TestSourceBeforeCases(t *testing.T) {
	cites := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := honest("left")(ctx, act, promptText)
		text = strings.Replace(text, `"kind": "quote"`, `"kind": "source"`, 1)
		return strings.Replace(text, `"url": ""`, `"url": "https://example.org/left"`, 1), err
	}
	for result, grade := range map[string]verdict.Grade{verdict.Pass: verdict.Fetched, verdict.Fail: verdict.Matched} {
		tab := newTable(cites, cites, honest("right"))
		tab.frame.Rules.CaseRules = verdict.CaseRules{}
		tab.frame.Rules.StopAt, tab.frame.Rules.ChecksPerOption = .99, 2
		tab.sources = func(string) debate.Observation {
			o := debate.Observation{Result: result, Grade: verdict.Nothing}
			if result == verdict.Pass {
				o.Lines = "left is true"
			}
			return o
		}
		var m memory
		found := false
		for _, k := range tab.must(t, &m).Checks {
			if k.Kind != "source" {
				continue
			}
			found = true
			if judged := k.By != ""; k.Result != result || k.Grade != grade || judged != (result == verdict.Pass) {
				t.Errorf("a source with result %s: %+v", result, k)
			}
		}
		if !found {
			t.Errorf("no source was fetched that would be %s", result)
		}
	}
}
