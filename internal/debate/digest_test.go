package debate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Every decision document is known for one, whatever was asked and noted, and in whatever strategy.
func TestDocumentsAreKnown(t *testing.T) {
	var strategies []string
	for _, s := range strategy.All() {
		strategies = append(strategies, s.Name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		root := table.FrameKind.New("", "person", table.Frame{Room: "some-room-ab12", Question: rapid.String().Draw(rt, "question"),
			Strategy: rapid.SampledFrom(strategies).Draw(rt, "strategy"), Rehearsal: rapid.Bool().Draw(rt, "rehearsal"),
			Seats: []table.Seat{{ID: "a", Spec: "script:x"}}})
		nodes := []tree.Node{root}
		for _, text := range rapid.SliceOfN(rapid.String(), 0, 3).Draw(rt, "notes") {
			nodes = append(nodes, ruling.NoteKind.New(root.ID, "code", ruling.Note{Text: text}))
		}
		res, err := debate.Summarize(nodes)
		if err != nil {
			rt.Fatal(err)
		}
		for _, text := range []string{written(res), "---\nstatus: accepted\n---\n\n" + written(res), strings.ReplaceAll(written(res), "\n", "\r\n")} {
			if room, ok := document.Room(text); !ok || room != "some-room-ab12" {
				rt.Fatalf("not known (%q): %s", room, text)
			}
		}
	})
	for _, text := range []string{"", "# Title\n\nwords\n\nStatus: decided · Room: x · Date: 2026-01-01 · Strategy: council\n", "Status: decided · Room: x · Date: 2026-01-01 · Strategy: council\n",
		"package x\n\n# t\n\nStatus: decided · Room: x · Date: 2026-01-01 · Strategy: council\n"} {
		if room, ok := document.Room(text); ok {
			t.Errorf("%q is taken for the decision of %s", text, room)
		}
	}
	examples, err := filepath.Glob("../../examples/*/decision.md")
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range examples {
		raw, err := os.ReadFile(path)
		if room, ok := document.Room(string(raw)); err != nil || !ok || room == "" {
			t.Errorf("%s: %q, %v", path, room, err)
		}
	}
}

func TestDigest(t *testing.T) {
	claim := func(id, option string, impact int, supports bool, text string) debate.ClaimResult {
		return debate.ClaimResult{Claim: verdict.Claim{ID: id, Option: option, Impact: impact, Supports: supports, Text: text}}
	}
	refuted := claim("c3", "A", 5, true, "refuted")
	refuted.Checks = []string{"k1"}
	res := debate.Result{Room: "r", Question: motion.With("Which?", "secret data"), Outcome: verdict.WithDissent, Winner: "A",
		Options: []verdict.Option{{Key: "A", Text: "left"}, {Key: "B", Text: "right"}, {Key: "C", Text: "none"}},
		Claims: []debate.ClaimResult{claim("c1", "A", 1, true, "small"), claim("c2", "A", 5, true, "great"), refuted,
			claim("c4", "A", 5, false, "against"), claim("c5", "B", 2, true, "for B")},
		Checks:  []verdict.Check{{ID: "k1", Claim: "c3", Result: verdict.Fail}},
		Dissent: verdict.Dissent{Option: "B", Seats: []string{"s"}, Claims: []string{"c4", "c5"}, Flip: []string{"proof", "proof"}}}
	d := res.Digest()
	got := strings.Join([]string{d.Winner, strings.Join(d.For, ","), strings.Join(d.Rejected, ","), d.Dissent, strings.Join(d.Against, ","), strings.Join(d.Flip, ",")}, "|")
	if got != "left|great,small|right,none|right|against,for B|proof" || d.Dissents != 1 || d.Question != "Which?" {
		t.Errorf("%s: %+v", got, d)
	}
	if title, body := d.Text(); title != "Which?\nleft\nright\nnone" || strings.Contains(body, "refuted") || !strings.Contains(body, "for B") {
		t.Errorf("%q, %q", title, body)
	}
	res.Outcome = verdict.Tie
	if d := res.Digest(); d.Winner != "" || len(d.Rejected) != 3 {
		t.Errorf("of a tie: %+v", d)
	}
}
