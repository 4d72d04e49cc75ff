package strategy

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

//go:embed prompt/version.md
var versionTask string

//go:embed prompt/revise.md
var reviseTask string

//go:embed prompt/selfcritique.md
var selfcritiqueTask string

// refine has every seat revise its answer until a moderator finds the versions close enough.
var _ = register(debate.Strategy{
	Name: "refine",
	Doc:  "full answers, revised against own and others' criticism until they converge; then votes",
	When: "For analyses and designs where the text matters as much as the choice. It costs the most, because every version is a full " +
		"answer. Versions that stay too far apart (refine.abort) end the debate without a decision.",
	Least: 2, Rounds: 3, Explores: true, Moderated: true,
	Turns: func(rounds int) (int, int) { return 4, 2 + 2*max(1, rounds) },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		if _, err := r.Talk(ctx, debate.Phase{Name: "v1", Task: versionTask, Words: 800, Blind: true}, r.Seats...); err != nil {
			return err
		}
		rules, last := refining(r.Frame.Rules), 0.0
		least := rules.threshold(r.Frame.Question)
		var differ []string // the differences the last moderator named
		most := max(rules.MinRounds, r.Frame.Limits.Rounds)
		for round := 2; round <= most; round++ {
			ph := debate.Phase{Name: fmt.Sprintf("v%d", round), Task: reviseTask, Words: 800,
				Detail: func(string) string { return open(r.Ledger(), differ) }}
			// First every seat reviews only its own version: a seat that reads the others first gives up its own too soon.
			if round == 2 {
				ph.Task, ph.Blind, ph.Detail = selfcritiqueTask, true, nil
			}
			if _, err := r.Talk(ctx, ph, r.Seats...); err != nil {
				return err
			}
			score, about, ok, err := r.Moderate(ctx, round)
			if err != nil {
				return err
			}
			if ok {
				differ = about
			}
			stop, why := rules.stop(round, most, score, last, least, ok)
			if ok && !r.Polled() && rules.aborts(round, score, least) {
				return r.Abort(ctx, fmt.Sprintf(
					"the debate was aborted: the similarity of the versions stayed below %.2f after %d rounds (%.2f)",
					rules.Abort, round, score))
			}
			if why != "" {
				if err := r.Note(ctx, fmt.Sprintf("refine/%d", round), why); err != nil {
					return err
				}
			}
			if stop || r.Polled() {
				break
			}
			if ok {
				last = score
			}
		}
		return r.Conclude(ctx)
	},
})

// refineRules decide when versions are close enough.
type refineRules verdict.RefineRules

// refining returns a room's rules, or the current ones if its frame is older than these rules.
func refining(r verdict.Rules) refineRules {
	if r.Refine.MinRounds == 0 {
		return refineRules(verdict.DefaultRules().Refine)
	}
	return refineRules(r.Refine)
}

// taskWords are the words that indicate a question's type; ties go to the earlier type.
var taskWords = []struct {
	kind  string
	words []string
}{
	{"analysis", []string{"analyse", "analyze", "analysis", "review", "assess", "explain", "why", "compare", "evaluate"}},
	{"design", []string{"design", "architecture", "structure", "schema", "interface", "api", "plan"}},
	{"bugfix", []string{"bug", "fix", "broken", "crash", "fails", "error", "regression", "race"}},
	{"refactor", []string{"refactor", "clean", "simplify", "rename", "split", "extract", "move"}},
}

// threshold returns the score that ends the talk on a question of this type. It looks only at words; a question of unknown type has
// the default threshold.
func (r refineRules) threshold(question string) float64 {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	kind, most := "", 0
	for _, t := range taskWords {
		n := 0
		for _, w := range words {
			if slices.Contains(t.words, w) {
				n++
			}
		}
		if n > most {
			kind, most = t.kind, n
		}
	}
	if at, ok := r.Thresholds[kind]; ok {
		return at
	}
	return r.Thresholds[""]
}

// aborts reports whether after a round the versions are too far apart for the panel to continue or decide.
func (r refineRules) aborts(round int, score, least float64) bool {
	return round >= r.MinRounds && score < min(r.Abort, least)
}

// stop reports whether the talk ends after a round, and returns what a reader must know about that. Without a score the talk
// continues.
func (r refineRules) stop(round, most int, score, last, least float64, scored bool) (bool, string) {
	switch {
	case !scored:
		return false, fmt.Sprintf("round %d: no moderator gave a score; continuing without one", round)
	case round >= r.MinRounds && score >= least:
		return true, fmt.Sprintf("round %d: the moderator rates the similarity of the versions at %.2f (%.2f is enough)", round,
			score, least)
	case round >= 3 && score-last < r.Stagnation:
		return true, fmt.Sprintf("round %d: the versions no longer converge (%.2f after %.2f)", round, score, last)
	case round == most:
		return true, fmt.Sprintf("round %d: last round; the versions reached %.2f (%.2f would be enough)", round, score, least)
	case score < r.Warning:
		return false, fmt.Sprintf("round %d: warning: the versions are far apart (%.2f)", round, score)
	}
	return false, ""
}

// open lists where the versions still differ: what the moderator named, and claims that are unverified or objected to.
func open(l verdict.Ledger, differ []string) string {
	var lines []string
	for _, d := range differ {
		lines = append(lines, "- the versions differ about: "+d)
	}
	for _, c := range l.Claims {
		objected := 0
		for _, s := range c.Stances {
			if s.Verb == verdict.Object {
				objected++
			}
		}
		if c.SameAs == "" && (objected > 0 || c.Impact == 5 && !l.Passed(c.ID, "quote")) {
			lines = append(lines, "- open: "+c.ID+" "+c.Text)
		}
	}
	if len(lines) == 0 {
		return "Nothing is open: make it better where you can, and shorter."
	}
	return "What is open:\n" + strings.Join(lines[:min(30, len(lines))], "\n")
}
