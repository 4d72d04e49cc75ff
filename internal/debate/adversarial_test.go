package debate_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Each option gets one seat for it and one against it, of two lineages as long as there are two; the others only read.
func TestPairs(t *testing.T) {
	for name, c := range map[string]struct {
		seed     uint64
		lineages string // of the seats, a letter each
		options  string
		pairs    int
		mixed    int // at least
	}{
		"two seats":              {7, "ab", "left right", 1, 1},
		"a judge":                {7, "abc", "left right", 1, 1},
		"two pairs":              {7, "abcd", "left right", 2, 2},
		"readers":                {7, "abcdefg", "left right", 2, 2},
		"one strong lineage":     {7, "aaab", "left right", 2, 1},
		"two of each":            {7, "aabb", "left right", 2, 2},
		"the lonely ones first":  {7, "aaabc", "left right up", 2, 2},
		"seldom ones last":       {31, "aaabc", "left right up", 2, 2},
		"all alike":              {7, "aaaa", "left right", 2, 0},
		"more options than pair": {7, "abc", "left right up down", 1, 1},
	} {
		var m memory
		tab := newTable(slices.Repeat([]play{honest("left")}, len(c.lineages))...)
		tab.frame.Seed, tab.frame.Strategy, tab.frame.Options = c.seed, "adversarial", motion.Letters(strings.Fields(c.options))
		lineage := map[string]string{}
		for i := range tab.seats {
			tab.frame.Seats[i].Lineage, tab.seats[i].Info.Lineage = c.lineages[i:i+1], c.lineages[i:i+1]
			lineage[tab.seats[i].Info.ID] = c.lineages[i : i+1]
		}
		res := tab.must(t, &m)
		sides := map[string]string{} // by side, who has it
		for _, s := range res.Talk {
			if had, ok := sides[s.Side]; ok && had != s.Seat || s.Side == "" {
				t.Errorf("%s: %q is argued by %s and %s", name, s.Side, had, s.Seat)
			}
			sides[s.Side] = s.Seat
		}
		mixed := 0
		for i := range c.pairs {
			option := string(rune('A' + i))
			pro, con := sides["for "+option], sides["against "+option]
			if pro == "" || con == "" || pro == con {
				t.Errorf("%s: option %s has %q and %q: %v", name, option, pro, con, sides)
			}
			if lineage[pro] != lineage[con] {
				mixed++
			}
		}
		if len(sides) != 2*c.pairs || mixed < c.mixed || res.Panel.Voted != len(c.lineages) {
			t.Errorf("%s: sides %v, %d pairs are mixed, %d voted", name, sides, mixed, res.Panel.Voted)
		}
		if got, want := strings.Contains(strings.Join(res.Notes, ""), "nobody argued for or against"), c.pairs < len(strings.Fields(c.options)); got != want {
			t.Errorf("%s: notes %q", name, res.Notes)
		}
	}
}

var opponent = regexp.MustCompile(`You argue (for|against) option A.* (Peer [A-Z]) argues (for|against) it`)

// Both of a pair are told the other's name; the openings are blind, the rebuttals are not, and who reads sees the sides.
func TestAPairAnswersEachOther(t *testing.T) {
	var m memory
	res := talking(byName(t, "adversarial"), honest("left"), honest("right"), honest("left")).must(t, &m)
	for _, seat := range []string{"s1", "s2", "s3"} {
		asked := prompts(&m, exchange.Talk, seat)
		if len(asked) == 0 { // it reads
			vote := prompts(&m, exchange.Ballot, seat)[0]
			for _, side := range []string{`"side":"for A"`, `"side":"against A"`} {
				if strings.Count(vote, side) != 2 {
					t.Errorf("the reader was not shown both statements %s:\n%s", side, vote)
				}
			}
			continue
		}
		first, second := opponent.FindStringSubmatch(asked[0]), opponent.FindStringSubmatch(asked[1])
		if len(asked) != 2 || first == nil || !slices.Equal(first, second) || first[1] == first[3] {
			t.Fatalf("%s was told %q, then %q", seat, first, second)
		}
		if strings.Contains(asked[0], "<talk>") || !strings.Contains(asked[1], `{"peer":"`+first[2]+`"`) {
			t.Errorf("%s: its opening is not blind, or its opponent %s is not shown", seat, first[2])
		}
	}
	if !strings.Contains(written(res), ", opening for A:**") || !strings.Contains(written(res), ", rebuttal against A:**") {
		t.Errorf("the document does not say who argued what:\n%s", written(res))
	}
}

// Where one of a pair is lost, the other is told so; what it was made to argue is never taken for its vote.
func TestHalfAPair(t *testing.T) {
	dead := func(context.Context, exchange.Act, string) (string, error) {
		return "", &trouble.Error{Kind: trouble.Crash, Message: "gone"}
	}
	var m memory
	res := talking(byName(t, "adversarial"), honest("left"), dead).must(t, &m)
	if asked := prompts(&m, exchange.Talk, "s1"); !strings.Contains(asked[1], "Nobody made the case") || res.Outcome != verdict.Degraded {
		t.Errorf("%s; it was told:\n%s", res.Outcome, asked[1])
	}
	interrupt, calls := make(chan struct{}), 0
	ends := func(ctx context.Context, act exchange.Act, promptText string) (string, error) {
		if calls++; calls == 3 { // two calls make one answer
			close(interrupt)
			<-ctx.Done()
			return "", ctx.Err()
		}
		return honest("left")(ctx, act, promptText)
	}
	var cut memory
	res, err := talking(byName(t, "adversarial"), ends, honest("right")).run(context.Background(), &cut, interrupt)
	if err != nil || res.Panel.Voted != 0 || res.Outcome != verdict.NoQuorum {
		t.Errorf("%s, %v: %s", res.Outcome, err, fmt.Sprint(res.Seats))
	}
}
