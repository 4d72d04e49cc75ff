package debate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tree"
)

type play = func(context.Context, exchange.Act, string) (string, error)

// talking is a table of five seats, four for the right answer, under a strategy.
func talking(s debate.Strategy, plays ...play) *testRoom {
	if plays == nil {
		plays = []play{honest("left"), honest("left"), honest("left"), honest("right"), honest("left")}
	}
	tab := newTable(plays...)
	tab.frame.Strategy, tab.frame.Limits.Rounds = s.Name, s.Rounds
	if s.Estimates {
		tab.frame.Options = nil
	}
	return tab
}

// TestEveryStrategyDecides runs each: it comes to a decision, marks what it is, replays byte by byte, and resumes after
// every node without asking again for what is recorded.
func TestEveryStrategyDecides(t *testing.T) {
	for _, s := range strategy.All() {
		t.Run(s.Name, func(t *testing.T) {
			var m memory
			res := talking(s).must(t, &m)
			if want := map[bool]int{true: 12}[res.Panel.Lineages == 1]; res.ExitCode != want || res.Winner != "A" || res.Strategy != s.Name {
				t.Errorf("%s %s, exit %d: %s", res.Outcome, res.Winner, res.ExitCode, res.Why)
			}
			if res.Exploration != s.Explores || strings.Contains(written(res), "so their votes are not independent") != s.Explores {
				t.Errorf("exploration is %t, its notice is there: %t", res.Exploration, !s.Explores)
			}
			again, err := replay(&m)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := json.Marshal(res)
			b, _ := json.Marshal(again)
			if string(a) != string(b) {
				t.Errorf("the replay differs:\n%s\n%s", a, b)
			}
			least, most := s.Turns(s.Rounds)
			for _, seat := range res.Seats {
				turns := 0
				for _, r := range exchange.ReplyKind.All(m.nodes) {
					if r.Seat == seat.ID && r.Act != exchange.Verify && r.Act != exchange.Propose && r.Act != exchange.Moderate {
						turns++
					}
				}
				if (turns < least || turns > most) && seat.Status != debate.Spared {
					t.Errorf("%s spoke %d times, %d to %d were announced", seat.ID, turns, least, most)
				}
			}
			for cut := 1; cut < len(m.nodes); cut++ {
				part := memory{nodes: append([]tree.Node(nil), m.nodes[:cut]...), texts: m.texts}
				tab := talking(s)
				asked := tab.noting()
				got := tab.must(t, &part)
				left := answered(&m, len(m.nodes))
				for q, n := range answered(&m, cut) {
					left[q] -= n
				}
				for q, n := range asked {
					if n > left[q] {
						t.Fatalf("resumed after node %d, a seat was asked %d times what %d replies were missing of: %.300s", cut, n, left[q], q)
					}
				}
				if got.Outcome != res.Outcome || got.Winner != res.Winner || got.Score.Value != res.Score.Value {
					t.Fatalf("resumed after node %d (%s): %s %s %v, want %s %s %v", cut, m.nodes[cut-1].Kind, got.Outcome, got.Winner, got.Score.Value, res.Outcome, res.Winner, res.Score.Value)
				}
			}
		})
	}
}

// noting has a table note what each seat is asked. It is to be read once the room has ended.
func (t *testRoom) noting() map[string]int {
	asked, mu := map[string]int{}, &sync.Mutex{}
	for i, s := range t.seats {
		t.seats[i].Model = noted{s.Model.(player), s.Info.ID, asked, mu}
	}
	return asked
}

// noted is a seat whose calls are counted, by what it is asked last.
type noted struct {
	player
	seat  string
	asked map[string]int
	mu    *sync.Mutex
}

func (n noted) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	n.mu.Lock()
	n.asked[n.seat+": "+req.Messages[len(req.Messages)-1].Text()]++
	n.mu.Unlock()
	return n.player.Stream(ctx, req)
}

// answered counts what seats were asked to which a record has the reply among its first nodes, as noting puts it.
func answered(m *memory, first int) map[string]int {
	asks, out := map[tree.ID]exchange.Asked{}, map[string]int{}
	for _, n := range m.nodes[:first] {
		if a, ok := exchange.AskKind.Of(n); ok {
			asks[n.ID] = a
		}
		if r, ok := exchange.ReplyKind.Of(n); ok {
			out[r.Seat+": "+m.texts[asks[n.Parent].Prompt]]++
		}
	}
	return out
}

// TestFaultsInEveryStrategy puts each of the twelve faults into each act of one seat: no wrong and no silent verdict.
func TestFaultsInEveryStrategy(t *testing.T) {
	runs := 0
	for _, s := range strategy.All()[1:] {
		for _, act := range []exchange.Act{exchange.Ready, exchange.Talk, exchange.Moderate, exchange.Guess, exchange.Ballot, exchange.Blind, exchange.Verify} {
			for fault := range faults {
				synctest.Test(t, func(t *testing.T) {
					var m memory
					tab := talking(s, honest("left"), faulty("left", fault, act), honest("left"), honest("right"), honest("left"))
					res := tab.must(t, &m)
					if s.Estimates { // its options are numbers: the right one is what most seats say
						for i, o := range res.Options {
							if strings.HasPrefix(o.Text, "10 days") {
								res.Options[i].Text = "left"
							}
						}
					}
					if err := judge(res); err != nil {
						t.Errorf("%s, %s in %s: %v", s.Name, fault, act, err)
					}
					if _, err := replay(&m); err != nil {
						t.Errorf("%s, %s in %s: its record does not replay: %v", s.Name, fault, act, err)
					}
				})
				runs++
			}
		}
	}
	t.Logf("%d rooms", runs)
}

// What a challenger says after the room went on is read by the others from the next phase on, and it votes.
func TestALateWordIsReadAfterAll(t *testing.T) {
	for _, name := range []string{"advocate", "parallel", "roundtable"} {
		synctest.Test(t, func(t *testing.T) {
			first := true
			late := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
				if act == exchange.Talk && first {
					first = false
					time.Sleep(20 * time.Second)
				}
				return honest("right")(ctx, act, promptText)
			}
			slow := func(ctx context.Context, act exchange.Act, promptText string) (string, error) { // once there is something to read
				if act == exchange.Talk && strings.Contains(promptText, "<talk>") {
					time.Sleep(15 * time.Second)
				}
				return honest("left")(ctx, act, promptText)
			}
			quick := honest("left")
			if name != "advocate" { // there the proposer alone reads while the late one still writes
				quick = slow
			}
			tab := talking(byName(t, name), slow, quick, late, quick)
			tab.frame.Limits.Grace = time.Second
			var m memory
			res := tab.must(t, &m)
			if res.Seats[2].Status != verdict.Voted {
				t.Errorf("%s: the late seat is %s: %s", name, res.Seats[2].Status, res.Seats[2].Reason)
			}
			if i := slices.IndexFunc(res.Talk, func(s verdict.Spoken) bool { return s.Late }); i < 0 || !strings.Contains(written(res), "answered late; other") {
				t.Errorf("%s: talk %+v, addenda %+v", name, res.Talk, res.Addenda)
			}
			if again, err := replay(&m); err != nil || written(again) != written(res) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// A room in which nobody answers ends with no quorum in every strategy.
func TestNobodySpeaks(t *testing.T) {
	dead := func(context.Context, exchange.Act, string) (string, error) {
		return "", &trouble.Error{Kind: trouble.Quota, Message: "no money"}
	}
	for _, s := range strategy.All() {
		var m memory
		if res := talking(s, dead, dead, dead).must(t, &m); res.Outcome != verdict.NoQuorum || res.ExitCode != 5 {
			t.Errorf("%s: %s, exit %d: %s", s.Name, res.Outcome, res.ExitCode, res.Why)
		}
		if _, err := replay(&m); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func prompts(m *memory, act exchange.Act, seat string) (out []string) {
	for _, a := range exchange.AskKind.All(m.nodes) {
		if a.Act == act && (seat == "" || a.Seat == seat) {
			out = append(out, m.texts[a.Prompt])
		}
	}
	return out
}

func byName(t *testing.T, name string) debate.Strategy {
	s, ok := strategy.Find(name)
	if !ok {
		t.Fatal("no strategy " + name)
	}
	return s
}

// All challengers of an advocate get one block, byte for byte, but for the name each has.
func TestChallengersGetOneBlock(t *testing.T) {
	var m memory
	talking(byName(t, "advocate")).must(t, &m)
	var blocks []string
	for _, seat := range []string{"s2", "s3", "s4", "s5"} {
		p := prompts(&m, exchange.Talk, seat)[0]
		before, after, _ := strings.Cut(p, "The others know you as Peer ")
		blocks = append(blocks, before+after[1:])
	}
	if len(slices.Compact(blocks)) != 1 {
		t.Errorf("the blocks differ:\n%s", strings.Join(blocks, "\n----\n"))
	}
}

// Names of seats, vendors and tallies are in no prompt of a talk.
func TestTalkHidesWhoIsWho(t *testing.T) {
	for _, s := range strategy.All() {
		var m memory
		talking(s).must(t, &m)
		for _, act := range []exchange.Act{exchange.Talk, exchange.Ballot, exchange.Guess} {
			for _, p := range prompts(&m, act, "") {
				for _, word := range []string{"s1", "s2", "l1", "l2", "votes for"} {
					if strings.Contains(p, word) {
						t.Fatalf("%s: a prompt of %s holds %q:\n%s", s.Name, act, word, p)
					}
				}
			}
		}
	}
}

func TestRepetitionIsNotDiscussedAgain(t *testing.T) {
	var m memory
	res := talking(byName(t, "roundrobin")).must(t, &m)
	if n := len(slices.DeleteFunc(slices.Clone(res.Claims), func(c debate.ClaimResult) bool { return c.SameAs != "" })); n != 4 { // what s1 says and what s4 says, and the same once more in the ballots
		t.Errorf("%d claims: %+v", n, res.Claims)
	}
	if !strings.Contains(strings.Join(res.Notes, "\n"), "repeated c1 without new evidence") {
		t.Errorf("notes %q", res.Notes)
	}
}

// A text that is too long is cut for the others, and none of its claims is lost.
func TestLongWindedSeatKeepsItsClaims(t *testing.T) {
	wordy := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := honest("left")(ctx, act, promptText)
		return strings.Replace(text, "I say that", strings.Repeat("and so on and on. ", 200)+"I say that", 1), err
	}
	var m memory
	res := talking(byName(t, "parallel"), wordy, honest("right"), honest("right")).must(t, &m)
	shown := prompts(&m, exchange.Talk, "s2")[1]
	if !strings.Contains(shown, "[…cut from 1007 words]") || !strings.Contains(shown, "the file says that left holds") {
		t.Errorf("the others were shown:\n%s", shown)
	}
	if !slices.ContainsFunc(res.Claims, func(c debate.ClaimResult) bool { return c.Seat == "s1" }) {
		t.Errorf("claims %+v", res.Claims)
	}
}

func TestRoundtableEndsWhenAllAgree(t *testing.T) {
	rounds := func(plays ...play) int {
		var m memory
		talking(byName(t, "roundtable"), plays...).must(t, &m)
		shown := prompts(&m, exchange.Talk, "s1")
		if n := len(shown) - 1; n == 3 && !strings.Contains(shown[n], `,"position":"AGREE"`) {
			t.Errorf("nobody is told what the others' positions were:\n%s", shown[n])
		}
		return len(shown) - 1
	}
	if n := rounds(honest("left"), honest("left"), honest("left")); n != 1 {
		t.Errorf("seats of one mind talked for %d rounds", n)
	}
	if n := rounds(honest("left"), honest("left"), honest("right")); n != 3 {
		t.Errorf("with an objection they talked for %d rounds", n)
	}
	elsewhere := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := honest("right")(ctx, act, promptText)
		return strings.Replace(text, "OBJECT", "AGREE", 1), err
	}
	if n := rounds(honest("left"), honest("left"), elsewhere); n != 3 {
		t.Errorf("two options that were agreed to made a consensus in round %d", n)
	}
	quoting := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := honest("right")(ctx, act, promptText)
		return strings.Replace(text, "I say", `AGREE, AGREE. **AGREE: A** I DISAGREE and say`, 1), err
	}
	if n := rounds(honest("left"), honest("left"), quoting); n != 3 {
		t.Errorf("the word AGREE in a text made a consensus in round %d", n)
	}
}

func TestRefineStops(t *testing.T) {
	scores := func(values ...float64) play {
		n := 0
		return func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
			if act != exchange.Moderate {
				return honest("left")(ctx, act, promptText)
			}
			oneAtATime <- struct{}{}
			defer func() { <-oneAtATime }()
			v := values[min(n/2, len(values)-1)] // a player is asked twice for one reply
			n++
			return fmt.Sprintf(`{"score": %v, "divergences": [{"about": "x y", "impact": 2, "claims": []}]}`, v), nil
		}
	}
	for name, c := range map[string]struct {
		scores   []float64
		versions int
		note     string
	}{
		"close enough": {[]float64{.9}, 2, "is enough"},
		"no closer":    {[]float64{.5, .51}, 3, "no longer converge"},
		"last round":   {[]float64{.2, .5, .7}, 4, "last round"},
		"warning":      {[]float64{.2, .9}, 3, "far apart"},
	} {
		p := scores(c.scores...)
		tab := talking(byName(t, "refine"), p, p)
		tab.frame.Limits.Rounds = 4
		var m memory
		res := tab.must(t, &m)
		if n := len(prompts(&m, exchange.Talk, "s1")); n != c.versions || !strings.Contains(strings.Join(res.Notes, "\n"), c.note) {
			t.Errorf("%s: %d versions, want %d; notes %q", name, n, c.versions, res.Notes)
		}
	}
}

// Versions that stay too far apart end without votes and without a decision, and leave it to a person.
func TestRefineAborts(t *testing.T) {
	differing := func(vote string) play {
		return func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
			if act == exchange.Moderate {
				return `{"score": 0.05, "divergences": [{"about": "all of it", "impact": 5, "claims": []}]}`, nil
			}
			return honest(vote)(ctx, act, promptText)
		}
	}
	silent := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := differing("left")(ctx, act, promptText)
		return strings.Replace(text, `"option": "A", "position"`, `"option": "", "position"`, 1), err
	}
	panel := func() *testRoom {
		tab := talking(byName(t, "refine"), differing("left"), differing("left"), differing("left"), silent)
		tab.frame.Rules.Refine.MinRounds = 3
		return tab
	}
	var m memory
	res := judgeSheet(t, panel(), &m)
	if res.Outcome != verdict.Aborted || res.ExitCode != 10 || res.Winner != "" || res.Gate != "person" ||
		!strings.Contains(written(res), "**No decision: the debate was aborted: the similarity of the versions stayed below 0.10 after 3 rounds (0.05).** Aborted.") {
		t.Errorf("%s %s, exit %d, gate %s:\n%s", res.Outcome, res.Winner, res.ExitCode, res.Gate, written(res))
	}
	if n := len(prompts(&m, exchange.Ballot, "")); n != 0 || len(prompts(&m, exchange.Talk, "s1")) != 3 {
		t.Errorf("%d were asked for a vote, s1 wrote %d versions", n, len(prompts(&m, exchange.Talk, "s1")))
	}
	if res.Panel.Voted != 3 || res.Seats[3].Status != verdict.Abstained || strings.Contains(written(res), "Degraded panel") {
		t.Errorf("panel %+v, the seat that leaned nowhere: %+v", res.Panel, res.Seats[3])
	}
	if v := verdict.Decide(res.Ledger(), res.Rules); v.Outcome != verdict.Aborted {
		t.Errorf("recomputed from the result: %s", v.Outcome)
	}
	for cut := 1; cut < len(m.nodes); cut++ {
		part := memory{nodes: append([]tree.Node(nil), m.nodes[:cut]...), texts: m.texts}
		if got := panel().must(t, &part); got.Outcome != verdict.Aborted || got.Why != res.Why {
			t.Fatalf("resumed after node %d (%s): %s: %s", cut, m.nodes[cut-1].Kind, got.Outcome, got.Why)
		}
	}
	var chosen memory
	if res := judgeSheet(t, panel(), &chosen, "/choose B"); res.Outcome != verdict.Ruled || res.Winner != "B" || res.ExitCode != 0 {
		t.Errorf("with a person's choice: %s %s", res.Outcome, res.Winner)
	}
}

// One moderator fails, the other takes its place, and both attempts are in the record.
func TestModeratorHasOneFallback(t *testing.T) {
	bad := 0
	p := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		if act == exchange.Moderate && bad < 4 { // two tries of one seat
			bad++
			return "no", nil
		}
		return honest("left")(ctx, act, promptText)
	}
	tab := talking(byName(t, "refine"), p, p, p)
	tab.frame.Limits.Rounds = 2
	var m memory
	tab.must(t, &m)
	states := []exchange.State{}
	for _, r := range exchange.ReplyKind.All(m.nodes) {
		if r.Act == exchange.Moderate {
			states = append(states, r.State)
		}
	}
	if !slices.Equal(states, []exchange.State{exchange.Unusable, exchange.Answered}) {
		t.Errorf("moderators: %v", states)
	}
}

func TestDelphi(t *testing.T) {
	guess := func(v, low, high float64, unit string) play {
		return func(context.Context, exchange.Act, string) (string, error) {
			return fmt.Sprintf(`{"value": %v, "low": %v, "high": %v, "unit": %q, "because": "counted %[1]v", "claims": []}`, v, low, high, unit), nil
		}
	}
	told := func(m *memory) string { // whose reasons the second round is shown, of each estimate that could be
		shown, out := prompts(m, exchange.Guess, "s1")[1], ""
		for _, v := range []string{"1", "2", "4", "8", "10", "100", "1000", "5000"} {
			if strings.Contains(shown, `"counted `+v+`"`) {
				out += v + " "
			}
		}
		return out
	}
	var m memory
	res := talking(byName(t, "delphi"), guess(1, 0, 5, "days"), guess(2, 1, 5, "days"), guess(4, 2, 8, "days"), guess(8, 6, 9, "days")).must(t, &m)
	last := res.Estimates[len(res.Estimates)-1]
	if got := told(&m); got != "1 8 " { // those outside the middle half
		t.Errorf("reasons of %s", got)
	}
	if last.Low != 1.75 || last.Median != 3 || last.High != 5 { // type 7, as R and NumPy give for 1, 2, 4, 8
		t.Errorf("quartiles %+v", last)
	}
	if res.Winner != "A" || res.Outcome != verdict.WithDissent || res.Dissent.Seats[0] != "s4" || !strings.Contains(written(res), "3 days") {
		t.Errorf("%s %s, dissent %+v", res.Outcome, res.Winner, res.Dissent)
	}
	var level memory
	res = talking(byName(t, "delphi"), guess(1, 1, 2, "days"), guess(10, 9, 11, "d"), guess(100, 90, 110, "day"), guess(1000, 900, 1100, "days"), guess(5000, 4000, 6000, "days")).must(t, &level)
	if res.Outcome != verdict.Tie || res.ExitCode != 10 || len(res.Options) != 5 {
		t.Errorf("five that have nothing in common: %s %s, %+v", res.Outcome, res.Winner, res.Options)
	}
	if got := told(&level); got != "1 5000 " {
		t.Errorf("reasons of %s", got)
	}
	fails := 0
	tired := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		if fails++; fails > 2 {
			return "", &trouble.Error{Kind: trouble.Crash, Message: "gone"}
		}
		return guess(2, 1, 5, "days")(ctx, act, promptText)
	}
	var executed memory
	res = talking(byName(t, "delphi"), guess(1, 0, 5, "days"), guess(2, 1, 5, "days"), tired).must(t, &executed)
	if got := told(&executed); got != "1 2 " { // of three there is no middle half
		t.Errorf("reasons of %s", got)
	}
	if res.Outcome != verdict.Decided || !strings.Contains(written(res), "s3 did not estimate again") {
		t.Errorf("a seat lost in the second round: %s, notes %q", res.Outcome, res.Notes)
	}
	if last := res.Estimates[len(res.Estimates)-1]; last.Round != 1 || last.Values["s3"] != 2 || len(last.Values) != 3 {
		t.Errorf("its estimate does not count in the second round: %+v", last)
	}
	var odd memory
	res = talking(byName(t, "delphi"), guess(1, 0, 5, "days"), guess(2, 1, 5, "days"), guess(50, 40, 60, "hours")).must(t, &odd)
	if res.Seats[2].Status != verdict.NoVote || res.Outcome != verdict.Degraded {
		t.Errorf("another unit: %s, %s", res.Seats[2].Status, res.Outcome)
	}
}
