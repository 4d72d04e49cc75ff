package verdict_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// Two lineages vote for B and one for A. A test that was run refutes the claim for A.
func ExampleDecide() {
	ledger := verdict.Ledger{
		Options: []verdict.Option{{Key: "A", Text: "keep the queue"}, {Key: "B", Text: "use the database"}},
		Votes: []verdict.Vote{
			{Seat: "claude", Lineage: "anthropic", Status: verdict.Voted, Option: "B"},
			{Seat: "codex", Lineage: "openai", Status: verdict.Voted, Option: "B"},
			{Seat: "gemini", Lineage: "google", Status: verdict.Voted, Option: "A"},
		},
		Claims: []verdict.Claim{
			{ID: "c1", Seat: "gemini", Text: "The queue keeps messages over a restart.", Impact: 5, Option: "A", Supports: true, Put: true,
				Evidence: verdict.Evidence{Kind: "command", Command: []string{"go", "test", "./queue"}}},
			{ID: "c2", Seat: "claude", Text: "The database is there already.", Impact: 2, Option: "B", Supports: true, Put: true},
		},
		Checks: []verdict.Check{{ID: "k1", Claim: "c1", Kind: "command", Result: verdict.Fail, Grade: verdict.Executed, Ratio: 1. / 3}},
	}
	v := verdict.Decide(ledger, verdict.DefaultRules())
	fmt.Printf("%s: %s, %s\n", v.Outcome, v.Winner, v.Reason)
	for _, b := range v.Beliefs {
		fmt.Printf("P(%s) = %.2f\n", b.Option, b.P)
	}
	fmt.Printf("score %.2f, gate %s\n", v.Score.Value, v.Gate)
	for _, c := range v.Score.Caps {
		fmt.Printf("at most %.2f: %s\n", c.At, c.Why)
	}
	// Output:
	// decided-with-dissent: B, 2 of 3 votes
	// P(B) = 0.84
	// P(A) = 0.16
	// score 0.28, gate person
}

// The record of a debate (socrates debate export) contains the ledger, the rules and the verdict. This recomputes the verdict and
// compares all but the sentences, since another version may have made the record.
func Example_record() {
	record, err := os.Open("../../examples/council/debate.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer record.Close()
	var ledger verdict.Ledger
	var room struct{ Rules verdict.Rules }
	var recorded verdict.Verdict
	lines := bufio.NewScanner(record)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			Node struct {
				Kind string
				Body json.RawMessage
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			log.Fatal(err)
		}
		into := map[string]any{"room": &room, "ledger": &ledger, "verdict": &recorded}[line.Node.Kind]
		if into == nil {
			continue
		}
		if err := json.Unmarshal(line.Node.Body, into); err != nil { // of several ledgers the last one counts
			log.Fatal(err)
		}
	}
	again := verdict.Decide(ledger, room.Rules)
	fmt.Println(again.Outcome, again.Winner, again.Score.Value)
	fmt.Println("differences:", len(verdict.Differences(recorded.Numbers(), again.Numbers())))
	// Output:
	// decided-with-dissent A 0.369048
	// differences: 0
}

// Explain prints every step of the calculation.
func ExampleExplain() {
	ledger := verdict.Ledger{
		Options: []verdict.Option{{Key: "A", Text: "yes"}, {Key: "B", Text: "no"}},
		Votes: []verdict.Vote{
			{Seat: "one", Lineage: "x", Status: verdict.Voted, Option: "A"},
			{Seat: "two", Lineage: "y", Status: verdict.Voted, Option: "A"},
		},
	}
	fmt.Print(verdict.Explain(ledger, verdict.DefaultRules()))
	// Output:
	// Rules version 5: r = 0.50 within a lineage, accuracy a = 0.70 per seat, a check must gain 0.0085.
	//
	// Weights  w = 1 / (1 + (n−1)·r) for n voters of one lineage
	//   one                      x                w 1.000  voted      A
	//   two                      y                w 1.000  voted      A
	//
	// Cases  max(0, Σ w·ln(a/(1−a)) over its votes + Σ ln(ratio) over its checked claims), by option and lineage
	//   A  x                votes 0.8473  evidence +0.0000  case 0.8473
	//   A  y                votes 0.8473  evidence +0.0000  case 0.8473
	//
	// Posterior  log odds = Σ of an option's cases
	//   A  P 0.8448  log 1.6946  votes 2.000
	//   B  P 0.1552  log 0.0000  votes 0.000
	//
	// Claims  a check counts only on a claim whose author voted blind for the option it supports; ties go to the lower draw
	//
	// Support  S = share of the panel's weight behind A = 100.0 %
	//
	// Against  D = Σ impact·loss / Σ impact = 50.0 %
	//
	// Evidence  E = verified − refuted share of the winner's load-bearing claims = 0.0 %
	//
	// Stability  J = share of lineages that can be left out without changing the winner = 100.0 %
	// Coverage  = share of the panel's weight that voted = 100.0 %
	//
	// Score  C = S·(1−D) = 50.0 %
	// Gate: proceed. Outcome: decided: all 2 votes
}
