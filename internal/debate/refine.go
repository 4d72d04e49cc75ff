package debate

import (
	"context"
	"errors"
	"fmt"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm"
	"slices"
	"strings"
)

// refine has every seat write its answer anew, version after version, until a moderator finds the versions close enough.
var refine = Strategy{
	Name:  "refine",
	Doc:   "full answers, revised against own and others' criticism until they converge; then votes",
	When:  "For analyses and designs where the text matters as much as the choice. It costs the most, because every version is a full answer. Versions that stay too far apart (refine.abort) end the debate without a decision.",
	Least: 2, Rounds: 3, Explores: true,
	Turns: func(rounds int) (int, int) { return 4, 2 + 2*max(1, rounds) },
	Run: func(ctx context.Context, r *Room) error {
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		if _, err := r.talk(ctx, phase{name: "v1", task: "version", words: 800, blind: true}, r.Seats...); err != nil {
			return err
		}
		rules, last := refining(r.Frame.Rules), 0.0
		least := rules.threshold(r.Frame.Question)
		most := max(rules.MinRounds, r.Frame.Limits.Rounds)
		for round := 2; round <= most; round++ {
			ph := phase{name: fmt.Sprintf("v%d", round), task: "revise", words: 800, detail: func(string) string { return r.open() }}
			if round == 2 {
				ph.task, ph.blind, ph.detail = "selfcritique", true, nil
			}
			if _, err := r.talk(ctx, ph, r.Seats...); err != nil {
				return err
			}
			score, ok, err := r.moderate(ctx, round)
			if err != nil {
				return err
			}
			stop, why := rules.stop(round, most, score, last, least, ok)
			if ok && !r.talks.voteNow && rules.aborts(round, score, least) {
				return r.abort(ctx, fmt.Sprintf("the panel was aborted: the versions' score stayed below %.2f after %d rounds (%.2f)", rules.Abort, round, score))
			}
			if why != "" {
				if err := r.book.note(ctx, fmt.Sprintf("refine/%d", round), why); err != nil {
					return err
				}
			}
			if stop || r.talks.voteNow {
				break
			}
			if ok {
				last = score
			}
		}
		return r.conclude(ctx)
	},
}

// refineRules say when versions are close enough.
type refineRules verdict.RefineRules

// refining are a room's rules, or those of today where it was framed before there were any.
func refining(r verdict.Rules) refineRules {
	if r.Refine.MinRounds == 0 {
		return refineRules(verdict.DefaultRules().Refine)
	}
	return refineRules(r.Refine)
}

// taskWords tell a question's type; ties go to the earlier type.
var taskWords = []struct {
	kind  string
	words []string
}{
	{"analysis", []string{"analyse", "analyze", "analysis", "review", "assess", "explain", "why", "compare", "evaluate"}},
	{"design", []string{"design", "architecture", "structure", "schema", "interface", "api", "plan"}},
	{"bugfix", []string{"bug", "fix", "broken", "crash", "fails", "error", "regression", "race"}},
	{"refactor", []string{"refactor", "clean", "simplify", "rename", "split", "extract", "move"}},
}

// threshold is the score that ends the talk on a question of this type.
func (r refineRules) threshold(question string) float64 {
	words := strings.Fields(plain(question))
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

// aborts says whether the versions are too far apart after a round for the panel to go on, or to decide.
func (r refineRules) aborts(round int, score, least float64) bool {
	return round >= r.MinRounds && score < min(r.Abort, least)
}

// stop says whether the talk ends after a round, and what a reader must know of it. Without a score it goes on.
func (r refineRules) stop(round, most int, score, last, least float64, scored bool) (bool, string) {
	switch {
	case !scored:
		return false, fmt.Sprintf("round %d: no moderator gave a score; continuing without one", round)
	case round >= r.MinRounds && score >= least:
		return true, fmt.Sprintf("round %d: the moderator rates the similarity of the versions at %.2f (%.2f is enough)", round, score, least)
	case round >= 3 && score-last < r.Stagnation:
		return true, fmt.Sprintf("round %d: the versions no longer converge (%.2f after %.2f)", round, score, last)
	case round == most:
		return true, fmt.Sprintf("round %d: last round; the versions reached %.2f (%.2f would be enough)", round, score, least)
	case score < r.Warning:
		return false, fmt.Sprintf("round %d: warning: the versions are far apart (%.2f)", round, score)
	}
	return false, ""
}

// moderation is what a moderator finds in the versions. It steers the talk and never the verdict.
type moderation struct {
	Score       float64 `json:"score"`
	Divergences []struct {
		About  string   `json:"about"`
		Impact int      `json:"impact"`
		Claims []string `json:"claims"`
	} `json:"divergences"`
}

// moderate asks one seat how close the versions are, and one more if that fails. Both attempts stay in the record.
func (r *Room) moderate(ctx context.Context, round int) (score float64, ok bool, err error) {
	seats := r.present(r.Seats...)
	shuffler(r.Frame.Seed, "moderator").Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	versions := r.talks.said[max(0, len(r.talks.said)-len(seats)):]
	var b strings.Builder
	for _, v := range versions {
		b.WriteString(mustJSON(v) + "\n")
	}
	brief := Brief{Prompt: block("question", r.Frame.Question) + "\n" + block("versions", b.String()) + "\n" + block("task", page("moderate")),
		Schema: llm.ReplySchema[moderation](moderationValues()), Parse: parseModeration, Apart: fmt.Sprint("moderator-", round)} // it speaks for no version, not even its own
	for _, s := range seats[:min(2, len(seats))] {
		turns, err := r.Ask(ctx, Moderate, fmt.Sprint(round), func(Seat) Brief { return brief }, s)
		if err != nil {
			return 0, false, err
		}
		if m, fine := turns[0].parsed.(moderation); fine && turns[0].State == Answered {
			r.talks.divergences = nil
			for _, d := range m.Divergences {
				r.talks.divergences = append(r.talks.divergences, oneLine(d.About, 200))
			}
			return m.Score, true, nil
		}
	}
	return 0, false, nil
}

func parseModeration(text string) (any, error) {
	m, err := llm.Object[moderation](text, "score")
	if err == nil && !(m.Score >= 0 && m.Score <= 1) {
		err = errors.New(`"score" is not a number from 0 to 1`)
	}
	if err == nil && m.Score < 1 && len(m.Divergences) == 0 {
		err = errors.New(`"score" is below 1 but "divergences" names none`)
	}
	return m, err
}

// open lists what the versions still differ in: what the moderator named, and claims nobody has verified or some object to.
func (r *Room) open() string {
	var lines []string
	for _, d := range r.talks.divergences {
		lines = append(lines, "- the versions differ about: "+d)
	}
	for _, c := range r.ledger.Claims {
		objected := 0
		for _, s := range c.Stances {
			if s.Verb == verdict.Object {
				objected++
			}
		}
		if objected > 0 || c.Impact == 5 && !r.passed(c.ID, "quote") {
			lines = append(lines, "- open: "+c.ID+" "+c.Text)
		}
	}
	if len(lines) == 0 {
		return "Nothing is open: make it better where you can, and shorter."
	}
	return "What is open:\n" + strings.Join(lines[:min(30, len(lines))], "\n")
}
