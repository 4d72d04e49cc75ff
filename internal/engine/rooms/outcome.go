package rooms

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/learn"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// outcome records which option turned out to be right, as a person reports it for a debate that has ended. A later report replaces it, and
// both stay on the record.
func (op Tell) outcome(ctx context.Context, l *Library, nodes []tree.Node) error {
	res, err := debate.Summarize(nodes)
	if err != nil {
		return err
	}
	lesson, err := lessonOf(res, op.Message)
	if err != nil {
		return err
	}
	end := slices.IndexFunc(nodes, func(n tree.Node) bool { return n.Kind == string(ruling.EndKind) })
	_, err = l.store.Append(ctx, learn.LessonKind.New(nodes[end].ID, "person", lesson))
	return err
}

// optionIn returns the option that a message begins with, by its letter or its text, and the rest of the message; empty: there is none.
func optionIn(options []verdict.Option, message people.Message) (key, why string) {
	if key := debate.OptionOf(verdict.Ledger{Options: options}, message.Option); key != "" {
		return key, message.Text
	}
	said := strings.Fields(message.Option + " " + message.Text)
	// The longest beginning that names an option counts; the rest is the reason.
	for n := len(said); n > 1; n-- {
		if key := debate.OptionOf(verdict.Ledger{Options: options}, strings.Join(said[:n], " ")); key != "" {
			return key, strings.Join(said[n:], " ")
		}
	}
	return "", message.Text
}

// lessonOf returns what a debate teaches when a person reports its outcome.
func lessonOf(res debate.Result, message people.Message) (learn.Lesson, error) {
	list := "list options: socrates debate show " + res.Room
	if res.Rehearsal {
		return learn.Lesson{}, &engine.Refusal{Message: "debate " + res.Room + " is a rehearsal, from which nothing is learned",
			Hint: "record outcomes only for debates between models"}
	}
	told, truth := message.Option, ""
	switch told {
	case learn.Right, learn.Wrong:
		if res.Winner == "" {
			return learn.Lesson{}, &engine.Refusal{Message: "debate " + res.Room + " has no winner that could be " + told,
				Hint: "name the right option; " + list}
		}
		if told == learn.Right {
			truth = res.Winner
		}
	default:
		if truth, message.Text = optionIn(res.Options, message); truth == "" {
			return learn.Lesson{}, &engine.Refusal{Message: fmt.Sprintf("debate %s has no option %s", res.Room, told),
				Hint: "say right, wrong or an option; " + list}
		}
		told = truth
	}
	lesson := learn.Of(res, told, truth, message.Text)
	if told == learn.Wrong && lesson.Winner != res.Winner { // a person chose the winner: the panel's own result was not what was wrong
		return learn.Lesson{}, &engine.Refusal{Message: "in debate " + res.Room + " a person chose the winner",
			Hint: "name the right option; " + list}
	}
	return lesson, nil
}

// How many records learning reads, the latest first: as many as years of use produce.
const (
	mostLessons = 5000
	mostTrials  = 2000
)

// knowledge is what outcomes and control runs have taught so far.
func knowledge(ctx context.Context, s *store.Store) (*learn.Knowledge, error) {
	told, err := s.Latest(ctx, string(learn.LessonKind), mostLessons)
	if err != nil {
		return nil, err
	}
	var lessons []learn.Told
	for _, n := range told {
		if l, ok := learn.LessonKind.Of(n); ok {
			lessons = append(lessons, learn.Told{Lesson: l, At: n.At})
		}
	}
	// Latest returns the newest first; a later report replaces an earlier one.
	slices.Reverse(lessons) // reports of the same moment stay in their order
	run, err := s.Latest(ctx, string(learn.TrialsKind), mostTrials)
	if err != nil {
		return nil, err
	}
	var trials []learn.Ran
	for _, n := range run {
		sheet, _ := learn.TrialsKind.Of(n)
		for _, t := range sheet.Judges {
			trials = append(trials, learn.Ran{Trials: t, At: n.At})
		}
	}
	return learn.Gather(lessons, trials, time.Now()), nil
}

// Knowledge is what outcomes and control runs have taught so far.
func (l *Library) Knowledge(ctx context.Context) (*learn.Knowledge, error) {
	return knowledge(ctx, l.store)
}

// taught sets the frame's rules to the shipped ones and, if the person wants it, puts what was learned so far into the rules and the
// seats.
func taught(ctx context.Context, s *store.Store, f *table.Frame, how string) error {
	f.Rules = verdict.DefaultRules()
	if how == learnOff {
		return nil
	}
	k, err := knowledge(ctx, s)
	if err != nil {
		return err
	}
	if how == learnLower {
		k.OnlyLower()
	}
	k.Teach(f)
	return nil
}

// How a debate uses what was learned, besides the default way.
const (
	learnLower = "lower" // no seat counts for more than before anything was learned
	learnOff   = "off"
)
