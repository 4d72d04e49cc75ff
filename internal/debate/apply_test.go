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
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// tell records a word in m, as an engine does, and returns it for the room.
func tell(t testing.TB, m *memory, text string) debate.Told {
	t.Helper()
	message, err := people.ParseMessage(text)
	if err != nil {
		t.Fatal(err)
	}
	n := people.MessageKind.New(m.journal().Nodes[0].ID, "person", message)
	if _, err := m.journal().Append(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	return debate.Told{ID: n.ID, Message: message}
}

// judgeSheet runs a table to which the lines are said before it begins, and checks that its record replays.
func judgeSheet(t *testing.T, tab *testRoom, m *memory, lines ...string) debate.Result {
	t.Helper()
	if len(m.nodes) == 0 {
		m.nodes = append(m.nodes, table.FrameKind.New("", "person", tab.frame))
	}
	messages := make(chan debate.Told, 16)
	for _, l := range lines {
		told := tell(t, m, l)
		messages <- told
	}
	tab.messages = messages
	res := tab.must(t, m)
	again, err := replay(m)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(res)
	b, _ := json.Marshal(again)
	if string(a) != string(b) {
		t.Errorf("the replay differs:\n%s\n%s", a, b)
	}
	return res
}

func TestWhatIsSaidReachesEverySeatOnce(t *testing.T) {
	var m memory
	res := judgeSheet(t, newTable(honest("left"), honest("right"), honest("left")), &m, "mind the gap")
	for _, seat := range []string{"s1", "s2", "s3"} {
		all := strings.Join(append(prompts(&m, exchange.Blind, seat), append(prompts(&m, exchange.Cross, seat), prompts(&m, exchange.Verify, seat)...)...), "\n")
		if strings.Count(all, "mind the gap") != 1 {
			t.Errorf("%s was told %d times", seat, strings.Count(all, "mind the gap"))
		}
	}
	if len(res.Applied) != 1 || res.Applied[0].Point != "blind/0/s1" || !strings.Contains(written(res), "## Messages from people") {
		t.Errorf("words %+v", res.Applied)
	}
}

func TestSharedFileReachesEverySeatOnce(t *testing.T) {
	m := memory{nodes: []tree.Node{}}
	tab := newTable(honest("left"), honest("right"), honest("left"))
	m.nodes = append(m.nodes, table.FrameKind.New("", "person", tab.frame))
	message, err := people.ParseMessage("/context add  store/a.go:1-2 ")
	if err != nil || message.File != "store/a.go:1-2" {
		t.Fatal(message, err)
	}
	message.Text = "1\tpackage store"
	n := people.MessageKind.New(m.journal().Nodes[0].ID, "person", message)
	if _, err := m.journal().Append(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	messages := make(chan debate.Told, 1)
	messages <- debate.Told{ID: n.ID, Message: message}
	tab.messages = messages
	res := tab.must(t, &m)
	for _, seat := range []string{"s1", "s2", "s3"} {
		all := strings.Join(slices.Concat(prompts(&m, exchange.Blind, seat), prompts(&m, exchange.Cross, seat),
			prompts(&m, exchange.Verify, seat)), "\n")
		if strings.Count(all, "1\tpackage store") != 1 {
			t.Errorf("%s was shown it %d times", seat, strings.Count(all, "1\tpackage store"))
		}
	}
	if !slices.Equal(res.Files, []string{"store/a.go:1-2"}) || len(res.Applied) != 1 || res.Applied[0].Text != "store/a.go:1-2" {
		t.Errorf("files %q, words %+v", res.Files, res.Applied)
	}
}

func TestDroppedSeatIsCutOffAndNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memory
		messages := make(chan debate.Told)
		tab := newTable(honest("left"), honest("left"), func(ctx context.Context, act exchange.Act, _ string) (string, error) {
			messages <- tell(t, &m, "/drop s3")
			<-ctx.Done()
			return "", ctx.Err()
		})
		tab.messages = messages
		res := tab.must(t, &m)
		if res.Outcome != verdict.Degraded || res.Seats[2].Status != verdict.Left || res.Seats[2].Reason != "dropped by a person" {
			t.Errorf("%s, %+v", res.Outcome, res.Seats[2])
		}
		if _, err := replay(&m); err != nil {
			t.Error(err)
		}
	})
}

// A seat that is dropped after it voted is asked nothing more, and its vote stays.
func TestDroppingErasesNoVote(t *testing.T) {
	var m memory
	told, messages := false, make(chan debate.Told, 1)
	tab := newTable(honest("left"), honest("left"), func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		oneAtATime <- struct{}{}
		defer func() { <-oneAtATime }()
		if act == exchange.Blind && !told {
			told = true
			messages <- tell(t, &m, "/drop s3")
		}
		return honest("right")(ctx, act, promptText)
	})
	tab.messages = messages
	res := tab.must(t, &m)
	if res.Panel.Voted != 3 || res.Dissent.Option != "B" || len(prompts(&m, exchange.Cross, "s3")) != 0 {
		t.Errorf("%d votes, dissent %+v, s3 was asked %d times", res.Panel.Voted, res.Dissent, len(prompts(&m, exchange.Cross, "s3")))
	}
}

func TestWhoJoinsVotesBlind(t *testing.T) {
	for _, s := range strategy.All() {
		if s.Estimates || s.Most == 1 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			var m memory
			tab := talking(s, honest("left"), honest("left"))
			tab.join = honest("right")
			res := judgeSheet(t, tab, &m, "/add fresh")
			if len(res.Seats) != 3 || res.Panel.Voted != 3 || res.Seats[2].ID != "fresh" || res.Seats[2].Status != verdict.Voted {
				t.Fatalf("%d voted, seats %+v", res.Panel.Voted, res.Seats)
			}
			if s.Name == "council" && strings.Contains(strings.Join(prompts(&m, exchange.Blind, "fresh"), ""), "<ledger>") {
				t.Error("it was shown what the others said")
			}
			for cut := len(m.nodes) - 1; cut > 0; cut-- {
				part := memory{nodes: append([]tree.Node(nil), m.nodes[:cut]...), texts: m.texts}
				got := talking(s, honest("left"), honest("left"))
				got.join = honest("right")
				messages := make(chan debate.Told, 1)
				for _, n := range part.nodes {
					if message, ok := people.MessageKind.Of(n); ok {
						messages <- debate.Told{ID: n.ID, Message: message}
					}
				}
				got.messages = messages
				if r := got.must(t, &part); len(messages) == 0 && (r.Outcome != res.Outcome || len(r.Seats) != len(res.Seats)) && cut > 2 {
					t.Fatalf("resumed after node %d (%s): %s with %d seats", cut, m.nodes[cut-1].Kind, r.Outcome, len(r.Seats))
				}
			}
		})
	}
}

func TestADeadlineCanBeMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for line, want := range map[string]verdict.Status{"/deadline s3 5m": verdict.Voted, "/deadline all 5m": verdict.Voted, "/deadline s1 5m": verdict.Failed, "/deadline s3 1s": verdict.Failed} {
			var m memory
			told, messages := false, make(chan debate.Told, 1)
			slow := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
				if act == exchange.Blind {
					if !told {
						told = true
						messages <- tell(t, &m, line)
					}
					select {
					case <-time.After(2 * time.Minute): // a minute is what a seat has
					case <-ctx.Done():
						return "", ctx.Err()
					}
				}
				return honest("left")(ctx, act, promptText)
			}
			tab := newTable(honest("left"), honest("left"), slow)
			tab.frame.Limits.Grace = 0
			tab.messages = messages
			if res := tab.must(t, &m); res.Seats[2].Status != want {
				t.Errorf("%s: %s (%s), want %s", line, res.Seats[2].Status, res.Seats[2].Reason, want)
			}
		}
	})
}

func TestAPersonsClaimIsCheckedAndHasNoVote(t *testing.T) {
	var m memory
	res := judgeSheet(t, newTable(honest("left"), honest("right"), honest("left")), &m, "/claim against B it is not so -- left.txt:1 left is true", "/claim for Z nonsense it is")
	i := slices.IndexFunc(res.Claims, func(c debate.ClaimResult) bool { return c.Seat == "person" })
	if i < 0 || len(res.Claims[i].Checks) == 0 || res.Claims[i].Option != "B" || res.Claims[i].Supports || res.Panel.Seats != 3 {
		t.Fatalf("claims %+v", res.Claims)
	}
	if !strings.Contains(strings.Join(prompts(&m, exchange.Cross, "s1"), ""), `"peer":"Person"`) {
		t.Error("the seats were not shown it")
	}
	if !res.Applied[1].Refused || !strings.Contains(res.Applied[1].Done, "no option Z") {
		t.Errorf("words %+v", res.Applied)
	}
}

func TestAVetoTakesAClaimOutOfTheCount(t *testing.T) {
	danger := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		text, err := honest("right")(ctx, act, promptText)
		text = strings.Replace(text, `"option": "`+labelOf(promptText, "right")+`", "supports": true`, `"option": "`+labelOf(promptText, "left")+`", "supports": false`, 1)
		return strings.NewReplacer("right.txt", "left.txt", "right is true", "left is true", `"kind": "logic"`, `"kind": "security"`).Replace(text), err
	}
	run := func(lines ...string) debate.Result {
		var m memory
		return judgeSheet(t, newTable(honest("left"), honest("left"), danger), &m, lines...)
	}
	if res := run(); res.Outcome != verdict.Abstain || len(res.Blocked) != 1 {
		t.Fatalf("without a veto: %s, blocked by %v", res.Outcome, res.Blocked)
	}
	var m memory
	told, messages := false, make(chan debate.Told, 1)
	tab := newTable(honest("left"), honest("left"), func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		if act == exchange.Cross {
			oneAtATime <- struct{}{}
			if !told {
				told = true
				messages <- tell(t, &m, "/veto c3 it was fixed yesterday")
			}
			<-oneAtATime
		}
		return danger(ctx, act, promptText)
	})
	tab.messages = messages
	if res := tab.must(t, &m); res.Winner != "A" || len(res.Blocked) != 0 || !strings.Contains(written(res), "vetoed by a person: it was fixed yesterday") {
		t.Errorf("with a veto: %s, blocked by %v\n%s", res.Outcome, res.Blocked, written(res))
	}
}

func TestAChoiceBreaksATieOnce(t *testing.T) {
	tie := func(lines ...string) debate.Result {
		var m memory
		tab := newTable(honest("left"), honest("right"))
		tab.files = map[string]string{}
		return judgeSheet(t, tab, &m, lines...)
	}
	if res := tie(); res.Outcome != verdict.Tie || res.ExitCode != 10 {
		t.Fatalf("%s, exit %d", res.Outcome, res.ExitCode)
	}
	res := tie("/choose right it is simpler", "/choose A")
	if res.Dissent.Option != "A" || !strings.Contains(written(res), "## Dissent\n\nleft (A), chosen by ") {
		t.Errorf("the choice is its own dissent: %+v", res.Dissent)
	}
	if res.Outcome != verdict.Ruled || res.Winner != "B" || res.ExitCode != 0 || !strings.Contains(res.Why, "it is simpler") {
		t.Errorf("%s %s, exit %d: %s", res.Outcome, res.Winner, res.ExitCode, res.Why)
	}
	if !res.Applied[1].Refused || !strings.Contains(res.Applied[1].Done, "a choice is final") {
		t.Errorf("the second choice: %+v", res.Applied[1])
	}
	var m memory
	if res := judgeSheet(t, newTable(honest("left"), honest("left"), honest("left")), &m, "/choose B"); res.Winner != "A" {
		t.Errorf("a choice overruled a panel that asks nobody: %s %s", res.Outcome, res.Winner)
	}
	m = memory{}
	if res := judgeSheet(t, newTable(honest("left"), honest("left"), honest("right")), &m, "/choose B it is simpler"); res.Winner != "B" || res.Outcome != verdict.Ruled || res.ExitCode != 0 {
		t.Errorf("a panel asked a person, who chose: %s %s, exit %d", res.Outcome, res.Winner, res.ExitCode)
	}
}

// A choice counts too where the debate was broken off before anybody could vote.
func TestAChoiceAfterABrokenOffTalk(t *testing.T) {
	for _, s := range strategy.All() {
		if s.Estimates {
			continue
		}
		interrupt := make(chan struct{})
		close(interrupt)
		var m memory
		tab := talking(s, honest("left"), honest("left"), honest("right"))
		res, err := tab.run(context.Background(), &m, interrupt)
		if err != nil || res.Outcome.Decision() {
			t.Fatalf("%s: %s, %v", s.Name, res.Outcome, err)
		}
		tab.messages = make(chan debate.Told, 1)
		tab.messages <- tell(t, &m, "/choose B")
		if res := tab.must(t, &m); res.Outcome != verdict.Ruled || res.Winner != "B" {
			t.Errorf("%s: %s %s: %s", s.Name, res.Outcome, res.Winner, res.Why)
		}
		if _, err := replay(&m); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// Where the room ends before the votes, what a seat leaned to last is its vote.
func TestTheLastWordIsTheVote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupt := make(chan struct{})
		rounds := 0
		ends := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
			if rounds++; rounds == 3 { // two calls make one answer
				close(interrupt)
				<-ctx.Done()
				return "", ctx.Err()
			}
			return honest("left")(ctx, act, promptText)
		}
		var m memory
		tab := talking(byName(t, "parallel"), ends, honest("left"), honest("right"))
		res, err := tab.run(context.Background(), &m, interrupt)
		if err != nil || res.Winner != "A" || res.Panel.Voted != 3 || !strings.Contains(res.Seats[1].Vote.Reason, "its last word") {
			t.Errorf("%s %s, %d voted, %v: %+v", res.Outcome, res.Winner, res.Panel.Voted, err, res.Seats[1].Vote)
		}
		if _, err := replay(&m); err != nil {
			t.Error(err)
		}
	})
}

// An attended room asks and waits; one that nobody attends never does.
func TestOnlyAnAttendedRoomWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for answer, want := range map[string]verdict.Outcome{"/choose B": verdict.Ruled, "/go": verdict.Tie, "/answer": verdict.Tie} {
			var m memory
			messages := make(chan debate.Told)
			tab := newTable(honest("left"), honest("right"))
			tab.files, tab.messages, tab.attended = map[string]string{}, messages, true
			tab.frame.Limits.Timeout = 0
			done := make(chan debate.Result)
			go func() { done <- tab.must(t, &m) }()
			synctest.Wait()
			time.Sleep(time.Hour)
			if len(people.NeedKind.All(m.nodes)) != 1 {
				t.Fatal("nobody was asked")
			}
			for text, why := range map[string]string{"B because simpler": "seats are no longer asked; choose with /choose A REASON (options: A, B), or", "/choose C": "no option C; the options are A, B"} {
				messages <- tell(t, &m, text)
				synctest.Wait()
				if applied := people.AppliedKind.All(m.nodes); len(applied) == 0 || !strings.HasPrefix(applied[len(applied)-1].Done, why) {
					t.Errorf("%s: %+v", text, applied)
				}
			}
			messages <- tell(t, &m, answer)
			if res := <-done; res.Outcome != want {
				t.Errorf("%s: %s", answer, res.Outcome)
			}
		}
	})
}

// A room that asks a person ends when its time is up all the same, says so, and hears a choice that comes later.
func TestAnAttendedRoomEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memory
		tie := func() *testRoom {
			tab := newTable(honest("left"), honest("right"))
			tab.files, tab.attended = map[string]string{}, true
			return tab
		}
		began := time.Now()
		res := judgeSheet(t, tie(), &m)
		if took := time.Since(began); took != 10*time.Minute || res.Outcome != verdict.Tie || res.ExitCode != 10 {
			t.Errorf("%s after %s", res.Outcome, took)
		}
		if !strings.Contains(written(res), "a person was asked and did not answer within 10 min") {
			t.Errorf("notes %q", res.Notes)
		}
		if again := judgeSheet(t, tie(), &m); again.Outcome != verdict.Tie || len(people.NeedKind.All(m.nodes)) != 1 {
			t.Errorf("gone on with: %s, asked %d times", again.Outcome, len(people.NeedKind.All(m.nodes)))
		}
		if res := judgeSheet(t, tie(), &m, "/choose B"); res.Outcome != verdict.Ruled || time.Since(began) != 10*time.Minute {
			t.Errorf("%s after %s", res.Outcome, time.Since(began))
		}
		waiting := slices.IndexFunc(m.nodes, func(n tree.Node) bool { return n.Kind == string(people.NeedKind) })
		killed := memory{nodes: append([]tree.Node(nil), m.nodes[:waiting+1]...), texts: m.texts}
		if res := judgeSheet(t, tie(), &killed); res.Outcome != verdict.Tie || time.Since(began) != 20*time.Minute || len(people.NeedKind.All(killed.nodes)) != 1 {
			t.Errorf("killed while it waited and resumed: %s after %s", res.Outcome, time.Since(began))
		}
	})
}

func TestAPauseHoldsTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memory
		messages := make(chan debate.Told)
		tab := newTable(honest("left"), honest("left"), honest("left"))
		tab.messages, tab.attended = messages, true
		m.nodes = append(m.nodes, table.FrameKind.New("", "person", tab.frame))
		pause := tell(t, &m, "/pause")
		done := make(chan debate.Result)
		go func() { messages <- pause }()
		synctest.Wait()
		go func() { done <- tab.must(t, &m) }()
		synctest.Wait()
		time.Sleep(time.Hour)
		if n := len(exchange.AskKind.All(m.nodes)); n != 0 {
			t.Fatalf("%d seats were asked in a pause", n)
		}
		messages <- tell(t, &m, "now go left")
		messages <- tell(t, &m, "/go")
		if res := <-done; res.Outcome != verdict.Decided || !strings.Contains(prompts(&m, exchange.Blind, "s1")[0], "now go left") {
			t.Errorf("%s: %s", res.Outcome, res.Why)
		}
	})
}

// A pause that nobody ends ends by itself where nobody sits at a terminal, and leaves time to debate.
func TestAPauseOfNobodyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memory
		res := judgeSheet(t, newTable(honest("left"), honest("left"), honest("left")), &m, "/pause")
		if res.Outcome != verdict.Decided || !strings.Contains(strings.Join(res.Notes, ""), "the pause ended: no one is at a terminal") {
			t.Errorf("%s, notes %q", res.Outcome, res.Notes)
		}
	})
}

// After a check the talk is over and the votes follow.
func TestACheckEndsTheTalk(t *testing.T) {
	var m memory
	judgeSheet(t, talking(byName(t, "roundtable"), honest("left"), honest("right"), honest("left")), &m, "/check")
	if n := len(prompts(&m, exchange.Talk, "s1")); n != 0 {
		t.Errorf("%d rounds of talk after the check", n)
	}
}

// joining makes the seat that a test's table lets join.
func (t *testRoom) joining(_ context.Context, spec string, _ []string) (debate.Seat, error) {
	info := table.Seat{ID: spec, Lineage: "l-" + spec, Model: "m"}
	return debate.Seat{Info: info, Model: player{llm.Info{ID: "m", Lineage: info.Lineage}, signed(spec, t.join)}}, nil
}
