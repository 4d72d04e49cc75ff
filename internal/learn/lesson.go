// Package learn learns from questions whose right answer a person or an answer key has given: how often a model is right, which
// families err together, how reliable a judge is, and how often winners with a given probability were right. Later debates use this.
// It learns from nothing else: not from seats, not from a verdict, not from silence.
//
// A [Lesson] is made once, when somebody reports how a debate turned out, and has everything that is learned from it: who voted for
// what, which judge accepted which claim, how probable the winner was. It is recorded as a node, so that a later version can learn
// other things from the same lessons; of several lessons of one room the last counts. Control runs ([Sheet]) are the second source:
// statements whose truth code knows, shown to judges during a debate.
//
// [Gather] makes a [Knowledge] from both: sums of weights, in which a half-year-old outcome counts half. It depends only on its
// arguments, one of which is the time. Knowledge is used in two ways. [Knowledge.Teach] stores it in the frame of a new debate: the
// rules of a debate never change while it runs, and anyone with its record recomputes the verdict without the lessons of this
// machine. [Knowledge.Report] shows it to people, with intervals, and says what there is too little data for.
//
// Every figure needs a minimum number of outcomes, below which it is unknown and the rules' defaults apply; and it has bounds, so
// that a farmed record gains little: an accuracy counts between one half and .8, a correlation is shrunk towards 0, package verdict
// bounds a judge's ratio.
//
// The package reads no store and takes no lock: callers pass the lessons. Several goroutines may read a Knowledge; only OnlyLower
// changes it.
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

// LessonKind is a reported outcome: a child of the end of its room, or of its evaluation. A later one of the same room replaces it,
// and both stay in the record.
const LessonKind tree.Kind[Lesson] = "outcome"

// Lesson is one question with a known answer and the panel's result. It has everything that is learned from it, so that nothing else
// of the room needs to be read again.
type Lesson struct {
	Room   string  `json:"room"`             // or an evaluation's name and item
	Told   string  `json:"told"`             // right, wrong or the key of an option
	Why    string  `json:"why,omitempty"`    // a person's reason
	Truth  string  `json:"truth,omitempty"`  // key of the right option; empty: it is only known that the winner is wrong
	Winner string  `json:"winner,omitempty"` // key of the panel's choice; empty: none
	P      float64 `json:"p,omitempty"`      // the winner's posterior, before any calibration
	Kind   string  `json:"kind"`             // kind of question
	Seats  []Vote  `json:"seats"`
	Checks []Check `json:"checks,omitempty"`
}

// Vote is one seat's vote. A seat that failed or abstained has an empty option: its cost still counts.
type Vote struct {
	Model   string  `json:"model"`
	Lineage string  `json:"lineage"`
	Option  string  `json:"option,omitempty"` // empty: it cast no vote
	USD     float64 `json:"usd"`              // cost of the seat; 0 also if unknown
}

// Check is one judgement about a claim for an option.
type Check struct {
	Judge  string        `json:"judge"` // model
	Grade  verdict.Grade `json:"grade"`
	Option string        `json:"option"`
	Passed bool          `json:"passed"`
}

// Told is a lesson and when it was reported.
type Told struct {
	Lesson
	At time.Time
}

// What a person can report about a decision, besides the key of an option.
const (
	Right = "right"
	Wrong = "wrong"
)

// Of makes the lesson of a finished debate. Right and wrong are about its winner; truth is the key of the right option, empty if a
// person only knows that the winner is wrong. A tie has no winner here, nor has a debate in which nobody voted. Checks by code, and
// of claims that do not count, are left out.
func Of(res debate.Result, told, truth, why string) Lesson {
	l := Lesson{Room: res.Room, Told: told, Why: why, Truth: truth, Kind: Kind(res.Question), Seats: []Vote{}}
	// The verdict is computed again without the person's ruling and with the debate's own rules, whatever was learned about its seats
	// since.
	ledger := res.Ledger()
	ledger.Ruling = nil // the panel's choice, whatever a person decided
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

// right reports whether an option is the right one, if that is known.
func (l Lesson) right(option string) (right, known bool) {
	switch {
	case l.Truth != "":
		return option == l.Truth, true
	// Nobody said which option is right, so nothing is known about the others, not even that they are wrong.
	case l.Told == Wrong && option != "" && option == l.Winner:
		return false, true
	}
	return false, false
}

// kinds are the kinds of question with words that indicate them; ties go to the earlier kind.
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

// Kind returns the kind of a question by its words; "other" if none fits. It reads only form, without attached data. Words are
// matched whole and in English. The name has no meaning except that lessons of one kind are pooled.
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

// Latest keeps the last lesson of each room, in order of time; of two with the same time the later one in the list.
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

// Last returns the last lesson of a room; the zero Lesson if there is none.
func (k *Knowledge) Last(room string) Lesson {
	for _, l := range k.Lessons {
		if l.Room == room {
			return l.Lesson
		}
	}
	return Lesson{}
}
