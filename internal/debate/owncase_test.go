package debate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
)

// strawman votes for an option and also makes a claim for its rival.
func strawman(t *testing.T, vote, rival string) func(context.Context, exchange.Act, string) (string, error) {
	plain := honest(vote)
	return func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := plain(ctx, act, promptText)
		if act != exchange.Blind {
			return text, err
		}
		var own, other map[string]any
		for raw, into := range map[string]*map[string]any{text: &own, ballotFor(labelOf(promptText, rival), rival): &other} {
			if err := json.Unmarshal([]byte(raw), into); err != nil {
				t.Error(err)
			}
		}
		straw := other["claims"].([]any)[0].(map[string]any)
		straw["text"], straw["impact"] = "somebody is said to have preferred the other way once", 5
		own["claims"] = append([]any{straw}, own["claims"].([]any)...)
		out, err := json.Marshal(own)
		return string(out), err
	}
}

// TestNobodyChoosesHowARivalIsTested seats somebody who writes a claim for the option it votes against, in every place.
func TestNobodyChoosesHowARivalIsTested(t *testing.T) {
	for place := range 3 {
		t.Run(fmt.Sprint("seat ", place+1), func(t *testing.T) {
			plays := []func(context.Context, exchange.Act, string) (string, error){honest("left"), honest("left"), honest("left")}
			plays[place] = strawman(t, "right", "left")
			var m memory
			res := newTable(plays...).must(t, &m)
			l, straws, weighed := res.Ledger(), 0, 0
			for _, c := range l.Claims {
				if c.Supports && !l.Eligible(c) {
					straws++
				}
			}
			for _, k := range l.Checks {
				eligible := l.Eligible(*l.Claim(k.Claim))
				if k.CarriesWeight() && eligible {
					weighed++
				}
				if k.Ratio != 1 && !eligible {
					t.Errorf("check %s of %s, a claim of a seat that voted for another option, counts %g", k.ID, k.Claim, k.Ratio)
				}
			}
			if straws == 0 || weighed == 0 {
				t.Errorf("%d claims for a rival, %d checks with weight: this tested little", straws, weighed)
			}
			if err := l.Unsound(res.Rules); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUnsoundRatio changes one ratio of a record to what no rule gives.
func TestUnsoundRatio(t *testing.T) {
	var m memory
	res := newTable(honest("left"), honest("left"), honest("right")).must(t, &m)
	for i, k := range res.Checks {
		l := res.Ledger()
		l.Checks[i].Ratio = 900
		if l.Unsound(res.Rules) == nil {
			t.Errorf("a ratio of 900 of check %s passes", k.ID)
		}
		l.Checks[i].Ratio = k.Ratio
	}
	if len(res.Checks) == 0 {
		t.Error("nothing was checked")
	}
}
