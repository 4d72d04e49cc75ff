package debate_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/tree"
)

// unready is a seat that lacks something before a debate.
func unready(ctx context.Context, act exchange.Act, promptText string) (string, error) {
	if act == exchange.Ready {
		return `{"ready": false, "lacks": "the load figures"}`, nil
	}
	return honest("left")(ctx, act, promptText)
}

// sure is a table whose gate says proceed, with as many seats that are not ready.
func sure(t *testing.T, lacking int) *testRoom {
	plays := slices.Repeat([]play{honest("left")}, 3)
	for i := range lacking {
		plays[i] = unready
	}
	return talking(byName(t, "advocate"), plays...)
}

// With nobody to ask, a debate that most seats were not ready for goes on, says what was missing, and says no proceed.
func TestUnreadyHeadless(t *testing.T) {
	for lacking, gate := range []string{"proceed", "proceed", "person", "person"} {
		var m memory
		res := judgeSheet(t, sure(t, lacking), &m)
		if res.Outcome != verdict.Decided || res.Gate != gate || len(people.NeedKind.All(m.nodes)) != 0 {
			t.Errorf("%d not ready: %s, gate %s", lacking, res.Outcome, res.Gate)
		}
		top, _, _ := strings.Cut(written(res), "Status: ")
		said := strings.Contains(written(res), "of 3 seats lacked information: s1: the load figures")
		shut := strings.Contains(top, "Your call: the seats lacked information: s1: the load figures; s2: the load figures")
		if said != (lacking > 0) || shut != (lacking > 1) || strings.Contains(written(res), "Nobody supplied it, and the debate continued") != shut {
			t.Errorf("%d not ready:\n%s", lacking, written(res))
		}
		if v := verdict.Decide(res.Ledger(), res.Rules); v.Gate != gate {
			t.Errorf("recomputed from the result: %s", v.Gate)
		}
	}
}

// At a terminal the person is asked. What it says reaches the seats and opens the gate; saying nothing does not, and
// leaves the debate half of its time.
func TestUnreadyAttended(t *testing.T) {
	for _, c := range []struct {
		lines []string
		gate  string
		waits time.Duration
	}{
		{[]string{"a thousand a second", "/go"}, "proceed", 0},
		{[]string{"/claim for A it is quick -- left.txt:1 left is true", "/go"}, "proceed", 0},
		{[]string{"/go"}, "person", 0},
		{nil, "person", 5 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			var m memory
			began, messages, done := time.Now(), make(chan debate.Told), make(chan debate.Result)
			tab := sure(t, 2)
			tab.attended, tab.messages = true, messages
			go func() { done <- tab.must(t, &m) }()
			synctest.Wait()
			if needs := people.NeedKind.All(m.nodes); len(needs) != 1 || !strings.Contains(needs[0].Text, "the load figures. Send it to them, then continue with /go (you have 5 min)") {
				t.Fatalf("asked %+v", needs)
			}
			for _, l := range c.lines {
				messages <- tell(t, &m, l)
			}
			res := <-done
			if res.Outcome != verdict.Decided || res.Gate != c.gate || time.Since(began) != c.waits {
				t.Errorf("%q: %s, gate %s after %s: %q", c.lines, res.Outcome, res.Gate, time.Since(began), res.Notes)
			}
			told := strings.Contains(strings.Join(prompts(&m, exchange.Talk, "s1"), ""), "a thousand a second")
			if want := len(c.lines) > 0 && c.lines[0] == "a thousand a second"; told != want {
				t.Errorf("%q: the seats were told: %t", c.lines, told)
			}
			again, err := replay(&m)
			a, _ := json.Marshal(res)
			b, _ := json.Marshal(again)
			if err != nil || string(a) != string(b) {
				t.Errorf("the replay differs (%v):\n%s\n%s", err, a, b)
			}
			settled := slices.IndexFunc(m.nodes, func(n tree.Node) bool {
				return n.Kind == string(ruling.NoteKind) && strings.Contains(string(n.Body), "lacked information")
			})
			for cut := settled + 1; cut < len(m.nodes); cut++ { // nobody is asked again
				part := memory{nodes: append([]tree.Node(nil), m.nodes[:cut]...), texts: m.texts}
				resumed := sure(t, 2)
				resumed.attended = true
				if got := resumed.must(t, &part); got.Gate != res.Gate || len(people.NeedKind.All(part.nodes)) != 1 {
					t.Fatalf("%q, resumed after node %d (%s): gate %s, needs %+v", c.lines, cut, m.nodes[cut-1].Kind, got.Gate, people.NeedKind.All(part.nodes))
				}
			}
		})
	}
}
