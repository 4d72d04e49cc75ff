// Package learn turns questions whose right answer a person or a known key has told into what later debates count by: how often a
// model is right, which families err together, what a judge's word is worth, and how often winners of a probability were right. It
// learns from nothing else: not from seats, not from a verdict, not from silence.
//
// A [Lesson] is made once, when somebody tells how a debate turned out, and holds all that is learned of it: who
// voted what, which judge accepted which claim, how probable the winner was. It is recorded as a node, so that a
// later version can learn other things of the same lessons, and of several told of one room the last counts. Beside
// them there are control runs, [Sheet]: statements whose truth code knows, put to judges in the course of a debate.
//
// [Gather] makes a [Knowledge] of both: sums of weights, where what was told half a year ago counts half. It is a
// function of what it is given and of the time it is given. What is known is used in two ways. [Knowledge.Teach]
// freezes it into the frame of a debate that begins: the rules of a debate never change under way, and whoever has
// its record recomputes the verdict without the lessons of this machine. [Knowledge.Report] shows it to people, with
// intervals, and says what there is too little data for.
//
// Every figure has a least number of outcomes, below which it is unknown and the rules' defaults hold; and bounds, so
// that a record that was farmed buys little: an accuracy counts between one half and .8, a correlation is drawn
// towards none, a judge's ratio is bounded by package verdict.
//
// The package reads no store and takes no lock: lessons are handed in. A Knowledge may be read by several goroutines;
// OnlyLower and nothing else changes it.
package learn

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/tree"
)

// LessonKind is a told outcome: a child of the end of its room, or of the evaluation it was learned in. A later one of the same room
// replaces it, and both stay on the record.
const LessonKind tree.Kind[Lesson] = "outcome"

// Lesson is one question with a known answer and what the panel made of it. It holds all that is learned from it, so that nothing else of
// the room needs to be read again.
type Lesson struct {
	Room   string  `json:"room"`             // or an evaluation's name and item
	Told   string  `json:"told"`             // right, wrong or the key of an option
	Why    string  `json:"why,omitempty"`    // a person's reason
	Truth  string  `json:"truth,omitempty"`  // key of the right option; empty: only that the winner is wrong is known
	Winner string  `json:"winner,omitempty"` // key of the panel's own; empty: it came to none
	P      float64 `json:"p,omitempty"`      // the winner's posterior, before any calibration
	Kind   string  `json:"kind"`             // kind of question
	Seats  []Vote  `json:"seats"`
	Checks []Check `json:"checks,omitempty"`
}

// Vote is what one seat voted.
// A seat that failed or abstained is there with an empty option: what it cost counts all the same.
type Vote struct {
	Model   string  `json:"model"`
	Lineage string  `json:"lineage"`
	Option  string  `json:"option,omitempty"` // empty: it cast no vote
	USD     float64 `json:"usd"`              // what the seat cost; 0 also if that is not known
}

// Check is one judgement about a claim for an option.
type Check struct {
	Judge  string        `json:"judge"` // model
	Grade  verdict.Grade `json:"grade"`
	Option string        `json:"option"`
	Passed bool          `json:"passed"`
}

// Told is a lesson and when it was told.
type Told struct {
	Lesson
	At time.Time
}

// What a person can tell of a decision, beside the key of an option.
const (
	Right = "right"
	Wrong = "wrong"
)

// Of makes the lesson of a finished debate. Right and wrong are about its winner; truth is the key of the right option, empty where
// a person only knows that the winner is wrong.
// A tie has no winner here, and neither has a debate that nobody voted in: that the panel leaned somewhere is not
// what it said. Checks by code and those of claims that count for nothing are left out.
func Of(res debate.Result, told, truth, why string) Lesson {
	l := Lesson{Room: res.Room, Told: told, Why: why, Truth: truth, Kind: Kind(res.Question), Seats: []Vote{}}
	// The verdict is decided again without the person's ruling and with the rules the debate had, whatever was known
	// of its seats since.
	ledger := res.Ledger()
	ledger.Ruling = nil // what the panel held, whatever a person made of it
	if v := verdict.Decide(ledger, res.Rules); len(v.Beliefs) > 0 && v.Outcome != verdict.Tie && v.Panel.Voted > 0 {
		l.Winner, l.P = v.Beliefs[0].Option, v.Beliefs[0].P
	}
	model := models(res)
	for _, s := range res.Seats {
		v := Vote{Model: s.Model, Lineage: s.Lineage, USD: s.Cost}
		if s.Status == verdict.Voted {
			v.Option = s.Vote.Option
		}
		l.Seats = append(l.Seats, v)
	}
	for _, k := range res.Checks {
		c := ledger.Claim(k.Claim)
		if c == nil || model[k.By] == "" || !ledger.Eligible(*c) || k.Result != verdict.Pass && k.Result != verdict.Fail {
			continue
		}
		l.Checks = append(l.Checks, Check{Judge: model[k.By], Grade: k.Grade, Option: c.Option, Passed: k.Result == verdict.Pass})
	}
	return l
}

// right says whether an option is the right one, where that is known.
func (l Lesson) right(option string) (right, known bool) {
	switch {
	case l.Truth != "":
		return option == l.Truth, true
	// Nobody said which option is right, so of all others nothing is known, not even that they were wrong.
	case l.Told == Wrong && option != "" && option == l.Winner:
		return false, true
	}
	return false, false
}

// kinds of question by the words they use; ties go to the earlier kind.
var kinds = []struct {
	kind  string
	words []string
}{
	{"review", []string{"merged", "merge", "review", "diff", "patch", "safe", "correct"}},
	{"design", []string{"design", "architecture", "structure", "schema", "interface", "api", "plan", "use", "keep", "choose",
		"store", "library",
		"database"}},
	{"bug", []string{"bug", "fix", "broken", "crash", "fails", "error", "regression", "race", "cause", "why"}},
	{"refactor", []string{"refactor", "clean", "simplify", "rename", "split", "extract", "move"}},
	{"estimate", []string{"long", "many", "much", "percent", "often"}},
}

// Kind tells what kind of question it is by its words; "other" if none fits. It reads form only.
// The question is taken without the data that came with it. Words are matched whole and in English; what it is called
// has no meaning but that lessons of one kind are laid together.
func Kind(question string) string {
	question, _ = motion.Split(question)
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	kind, most := "other", 0
	for _, k := range kinds {
		n := 0
		for _, w := range words {
			if slices.Contains(k.words, w) {
				n++
			}
		}
		if n > most {
			kind, most = k.kind, n
		}
	}
	return kind
}

// Latest keeps of each room the lesson told last, in order of time; of two told at once the later one in the list.
func Latest(all []Told) []Told {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Told) int { return a.At.Compare(b.At) })
	last := map[string]int{}
	for i, l := range all {
		last[l.Room] = i
	}
	var out []Told
	for i, l := range all {
		if last[l.Room] == i {
			out = append(out, l)
		}
	}
	return out
}

// Last is the lesson of a room as it was told last; the zero Lesson if there is none.
func (k *Knowledge) Last(room string) Lesson {
	for _, l := range k.Lessons {
		if l.Room == room {
			return l.Lesson
		}
	}
	return Lesson{}
}
