package frame

import (
	"testing"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// TestChecksOfOneRoom: what flags allow holds for the room they were given for, and not for another one with the same seed.
func TestChecksOfOneRoom(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	a := New(call.New())
	dir := t.TempDir()
	mine, other := table.Frame{Seed: 7, Question: "a or b?", Dir: dir}, table.Frame{Seed: 7, Question: "c or d?", Dir: dir}
	a.checks.Store(askedOf(mine), checkFlags{commands: []string{"true"}})
	claim := verdict.Claim{Evidence: verdict.Evidence{Kind: "command", Command: []string{"true"}}}
	for _, c := range []struct {
		frame table.Frame
		may   bool
	}{{mine, true}, {other, false}} {
		look, end := a.Look(c.frame)
		if o := look(t.Context(), claim); (o.Result != verdict.Skipped) != c.may {
			t.Errorf("%s: %s %s, want it run: %v", c.frame.Question, o.Result, o.Detail, c.may)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}
