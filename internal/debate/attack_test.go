package debate_test

// Seats that play against the rules, at one table with honest ones, in every order of seats: the honest answer wins, or a person
// is asked and the exit code says so.

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
)

// claimed is one claim of a scripted seat.
type claimed struct {
	text, kind  string
	impact      int
	about       string
	against     bool
	quote, file string
	command     []string
}

// character is a seat: what it votes for, what it claims, and how it judges.
type character struct {
	name, vote string // vote empty: it abstains
	claims     []claimed
	judges     func(claim string) (entails, bears, grave bool) // nil: honestly
	turns      string                                          // it switches to this option once it may
}

// sound is what an honest judge says: a claim says of itself what is wrong with it, for it is the judge's to find out.
func sound(claim string) (entails, bears, grave bool) {
	return !strings.Contains(claim, "not shown"), !strings.Contains(claim, "irrelevant"), !strings.Contains(claim, "harmless")
}

func (c character) plays(_ context.Context, act exchange.Act, promptText string) (string, error) {
	reply := map[string]any{"option": "ABSTAIN", "other": "", "summary": c.name, "change_my_mind": "", "confidence": .9, "because": []any{}, "stances": []any{}, "claims": []any{}, "judgements": []any{}}
	switch act {
	case exchange.Blind:
		if c.vote != "" {
			reply["option"] = labelOf(promptText, c.vote)
		}
		claims := []any{}
		for _, w := range c.claims {
			e := map[string]any{"kind": "none", "file": "", "line": 0, "quote": "", "command": []string{}, "expect": "", "url": ""}
			if w.quote != "" {
				e["kind"], e["file"], e["line"], e["quote"] = "quote", w.file, 1, w.quote
			} else if w.command != nil {
				e["kind"], e["command"], e["expect"] = "command", w.command, "pass"
			}
			claims = append(claims, map[string]any{"text": w.text, "kind": w.kind, "impact": w.impact, "option": labelOf(promptText, w.about), "supports": !w.against, "evidence": e})
		}
		reply["claims"] = claims
	case exchange.Verify:
		judge := c.judges
		if judge == nil {
			judge = sound
		}
		word := func(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }
		items := []any{}
		for line := range strings.Lines(promptText) {
			var it struct {
				Item           int
				Claim, Against string
			}
			if json.Unmarshal([]byte(line), &it) == nil && it.Item > 0 {
				a, b, g := judge(it.Claim)
				j := map[string]any{"item": it.Item, "entails": word(a), "bears": word(b), "grave": "", "why": "read it"}
				if it.Against != "" {
					j["grave"] = word(g)
				}
				items = append(items, j)
			}
		}
		reply = map[string]any{"judgements": items}
	case exchange.Cross:
		vote := c.vote
		if c.turns != "" {
			vote = c.turns
		}
		if vote != "" {
			reply["option"] = labelOf(promptText, vote)
		}
	}
	raw, err := json.Marshal(reply)
	return string(raw), err
}

// claimsFor are claims of a seat for an option, each on lines of its own.
func claimsFor(seat, option, what string, n int) (out []claimed) {
	for i := range n {
		out = append(out, claimed{text: fmt.Sprintf("%s: %s is right, reason %d%s", seat, option, i, what), kind: "logic", impact: 2, about: option,
			quote: fmt.Sprintf("%s %d", seat, i), file: "left.txt"})
	}
	return out
}

func good(name string) character {
	return character{name: name, vote: "left", claims: claimsFor(name, "left", "", 2)}
}

// contrary says no to whatever speaks for left, and yes to all else.
func contrary(claim string) (entails, bears, grave bool) {
	left := strings.Contains(claim, "left is right")
	return !left, !left, true
}

// attackers are the seats of the documented attacks. asks: a person is asked, whoever else sits there.
var attackers = []character{
	{name: "irrelevant true quotes", vote: "right", claims: claimsFor("bad", "right", ", irrelevant", 7)},
	{name: "strawmen", vote: "right", claims: append(claimsFor("bad", "left", ", not shown", 3), claimsFor("bad", "right", ", irrelevant", 2)...)},
	{name: "claims against", vote: "right", claims: []claimed{{text: "left has a name", kind: "logic", impact: 5, about: "left", against: true, quote: "bad 0", file: "left.txt"}}},
	{name: "self-fulfilling command", vote: "right", claims: []claimed{{text: "right works", kind: "tests", impact: 5, about: "right", command: []string{"true"}}}},
	{name: "copied claims", vote: "right", claims: append(claimsFor("h1", "left", "", 2), claimsFor("bad", "right", ", irrelevant", 1)...)},
	{name: "inflated impact", vote: "right", claims: []claimed{{text: "right is right, irrelevant", kind: "security", impact: 5, about: "right", quote: "bad 0", file: "left.txt"}}},
	{name: "late switch", vote: "left", claims: claimsFor("bad", "left", ", irrelevant", 2), turns: "right"},
	{name: "fabricated quotes", vote: "right", claims: []claimed{{text: "right is proven", kind: "logic", impact: 5, about: "right", quote: "nobody wrote this", file: "left.txt"}}},
	{name: "fabricated quotes for the majority", vote: "left", claims: []claimed{{text: "left is proven", kind: "logic", impact: 5, about: "left", quote: "nobody wrote this", file: "left.txt"}}},
	{name: "false judge", vote: "right", claims: claimsFor("bad", "right", ", irrelevant", 2), judges: contrary},
	{name: "a harmless fact as a danger", claims: []claimed{{text: "everybody can read left, harmless", kind: "security", impact: 5, about: "left", against: true, quote: "bad 0", file: "left.txt"}}},
	{name: "abstains, objects and judges falsely", claims: []claimed{{text: "everybody can read left, harmless", kind: "security", impact: 5, about: "left", against: true, quote: "bad 0", file: "left.txt"}}, judges: contrary},
}

// orders are all orders of so many seats.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, rest := range orders(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(rest), at, n-1))
		}
	}
	return out
}

// seatThem holds a debate of these seats in this order. Each keeps its lineage whatever its place.
func seatThem(t *testing.T, seats []character, order []int) debate.Result {
	t.Helper()
	var plays []play
	for _, i := range order {
		plays = append(plays, seats[i].plays)
	}
	tab := newTable(plays...)
	for at, i := range order {
		tab.frame.Seats[at].Lineage = fmt.Sprint("lineage-", i)
		tab.seats[at].Info.Lineage = tab.frame.Seats[at].Lineage
	}
	text := ""
	for _, s := range seats {
		for _, c := range s.claims {
			if c.quote != "nobody wrote this" {
				text += c.quote + " "
			}
		}
	}
	tab.files["left.txt"] = text + "\n"
	tab.commands = func(argv []string) debate.Observation {
		return debate.Observation{Result: verdict.Pass, Grade: verdict.Executed, Same: true, Control: "the same in an empty folder", Lines: "$ true\nstatus 0\n"}
	}
	var m memory
	return tab.must(t, &m)
}

func TestAttackedRooms(t *testing.T) {
	for _, bad := range attackers {
		for _, honest := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s against %d", bad.name, honest), func(t *testing.T) {
				t.Parallel()
				seats := []character{}
				for i := range honest {
					seats = append(seats, good(fmt.Sprint("h", i+1)))
				}
				seats = append(seats, bad)
				seen := map[string]int{}
				for _, order := range orders(len(seats)) {
					res := seatThem(t, seats, order)
					if res.Winner != "A" && !res.NeedsPerson || res.NeedsPerson != (res.ExitCode == 10 || res.ExitCode == 12) {
						t.Errorf("order %v: %s %s, exit %d: %s %v", order, res.Outcome, res.Winner, res.ExitCode, res.Why, res.Reasons)
					}
					if len(res.Blocked) > 0 {
						t.Errorf("order %v: one lineage's harmless fact blocks: %+v", order, res.Objections)
					}
					if err := res.Ledger().Unsound(res.Rules); err != nil {
						t.Error(err)
					}
					for _, c := range res.Claims {
						if ratio, by := res.Weight(c); ratio > 1 && strings.Contains(c.Text, "irrelevant") {
							t.Errorf("order %v: %q counts %g by %s", order, c.Text, ratio, by)
						}
					}
					seen[fmt.Sprintf("%s %s exit %d, P %.4f, score %.4f, %d claims checked, %d looks", res.Outcome, res.Winner, res.ExitCode, res.Beliefs[0].P, res.Score.Value,
						res.Ledger().Spent(), len(res.Checks))]++
				}
				t.Log(seen)
				if len(seen) != 1 {
					t.Errorf("the order of the seats decides: %v", seen)
				}
			})
		}
	}
}

// TestHonestRooms: where all are honest and agree, the exit code is 0 in every order.
func TestHonestRooms(t *testing.T) {
	seats := []character{good("h1"), good("h2"), good("h3")}
	for _, order := range orders(3) {
		if res := seatThem(t, seats, order); res.ExitCode != 0 || res.Winner != "A" || res.Gate != verdict.GateProceed {
			t.Errorf("order %v: %s %s, exit %d, gate %s", order, res.Outcome, res.Winner, res.ExitCode, res.Gate)
		}
	}
}

// TestATrueDangerBlocks: what two other lineages affirm blocks, and every output says how a person lifts it.
func TestATrueDangerBlocks(t *testing.T) {
	warner := character{name: "warner", claims: []claimed{{text: "left gives everybody the key", kind: "security", impact: 5, about: "left", against: true, quote: "bad 0", file: "left.txt"}}}
	for _, order := range orders(4) {
		res := seatThem(t, []character{good("h1"), good("h2"), good("h3"), warner}, order)
		if len(res.Blocked) != 1 || res.ExitCode != 10 || len(res.Objections[0].Yes) != 2 {
			t.Fatalf("order %v: %s, exit %d, objections %+v", order, res.Outcome, res.ExitCode, res.Objections)
		}
		for _, want := range []string{"left gives everybody the key", "left.txt", "affirmed by " + res.Objections[0].Yes[0], "/veto " + res.Blocked[0]} {
			if !strings.Contains(written(res), want) {
				t.Fatalf("the decision does not say %q:\n%s", want, written(res))
			}
		}
	}
}
