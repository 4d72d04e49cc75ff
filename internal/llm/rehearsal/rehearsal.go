// Package rehearsal is the offline panel: three seats that work by rule and understand nothing. They look for the
// words of each option in the project with the tools they have, and vote for what the project mentions most. What
// they quote is really there; their conclusions only follow rules. They show how a debate runs, without a network or
// a key, and the same question about the same files gets the same answers.
//
// [Panel] returns the seats of a debate, [Agent] a model that works in the project by rule, and [Slowly] makes a seat
// write at a pace that a person can watch.
//
// A turn goes like this. request.go reads the act and the blocks from the prompt, and what the tools returned since.
// look.go asks for tools as long as there is something to look at and calls are left. project.go collects every line
// that was seen, with its file, number and class. weigh.go finds the lines that bear on each option, by the stems of
// its words (words.go, option.go), and how strongly. Then the act decides on the form: a ballot (ballot.go), options
// (propose.go), stances (cross.go), judgements (verify.go), or statements in a talk (talk.go).
//
// What a caller may assume: models hold no state, are safe for concurrent use, cost nothing, call only tools that the
// request offers, and never fail but for a request that is no part of a debate (trouble.BadRequest) and for the end
// of the context. Everything is a function of the request. A seat that finds nothing which bears on a question
// abstains and says so.
//
// Rules are for English and for the kinds of files that projects have. They are tuned to be honest rather than
// clever: a seat abstains rather than claim what is not there.
package rehearsal

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Slowly makes a seat of the panel write no faster than a person can watch. m must be one of Panel.
func Slowly(m llm.Model) llm.Model {
	s := *m.(*member)
	s.pause = 60 * time.Millisecond
	return &s
}

// Panel returns the three seats: a reader who weighs source code, a librarian who weighs documents, comments and the
// history, and a skeptic who argues for the runner-up as long as anything in the project supports it. They are free,
// hold no state and are safe for concurrent use.
func Panel() []llm.Model {
	return []llm.Model{reader, librarian, skeptic}
}

// member is one of the panel: a pure function of the request.
type member struct {
	name     string
	about    string // what it weighs, for its summary
	weights  map[class]float64
	history  bool          // it also reads the subjects of commits
	contrary bool          // it votes for the runner-up
	pause    time.Duration // after every few words, and before the first
}

var (
	reader = &member{name: "reader", about: "source code",
		weights: map[class]float64{code: 1, setting: .7, comment: .5, test: .1, document: .25}}
	librarian = &member{name: "librarian", about: "documents, comments and history", history: true,
		weights: map[class]float64{document: 1, comment: .9, commit: .6, setting: .3, code: .25, test: .05}}
	skeptic = &member{name: "skeptic", about: "everything alike, for the runner-up", contrary: true,
		weights: map[class]float64{code: .7, document: .7, comment: .7, setting: .5, test: .1}}
)

// Info gives each seat its own lineage: they weigh differently, so their agreement counts.
func (s *member) Info() llm.Info {
	return llm.Info{ID: "rehearsal-" + s.name, Lineage: "rule-" + s.name, Tier: llm.Small, Price: cost.Price{Known: true}}
}

// Stream performs one step: some calls, or a reply. Call ids contain act and round, so they are the same in each run.
func (s *member) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if ctx.Err() != nil {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		a, ok := readRequest(req)
		if !ok {
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.BadRequest,
				Message: "a rehearsal seat works by rule: it can only take part in a debate"})
			return
		}
		calls, text := s.answer(a)
		d := draft.New(s.Info(), yield)
		d.Usage.Input = a.size / 4
		if !s.rest(ctx, 10) {
			yield(llm.Delta{}, ctx.Err())
			return
		}
		for i, c := range calls {
			c.ID = fmt.Sprintf("%s-%d-%d", a.act, a.rounds+1, i+1)
			d.Usage.Output += len(c.Args) / 4
			if !d.Call(c) {
				return
			}
		}
		d.Usage.Output += len(text) / 4
		for piece := range pieces(text) {
			if !d.Text(piece) {
				return
			}
			if !s.rest(ctx, 1) {
				yield(llm.Delta{}, ctx.Err())
				return
			}
		}
		d.End()
	}
}

// rest waits for several pauses; it returns false if the turn ended meanwhile.
func (s *member) rest(ctx context.Context, pauses int) bool {
	return retry.Pause(ctx, time.Duration(pauses)*s.pause)
}

// answer returns what the seat does next: it looks at something, or it replies.
func (s *member) answer(a asked) ([]llm.Call, string) {
	switch a.act {
	case talk, ready, moderate, estimate:
		return s.talkOver(a)
	case propose:
		return nil, encode(proposal(a))
	case verify:
		return nil, encode(judgements(a.items))
	case cross:
		if calls := lookAtClaims(a); len(calls) > 0 {
			return calls, ""
		}
		return nil, encode(s.examine(a))
	}
	if b, ok := stand(a, s.about); ok {
		return nil, encode(b)
	}
	if calls := s.look(a); len(calls) > 0 {
		return calls, ""
	}
	return nil, encode(s.vote(a))
}

// pieces cuts text after every few words, as if it were being written.
func pieces(text string) iter.Seq[string] {
	const size = 48
	return func(yield func(string) bool) {
		for len(text) > size {
			i := strings.IndexByte(text[size:], ' ')
			if i < 0 {
				break
			}
			if !yield(text[:size+i+1]) {
				return
			}
			text = text[size+i+1:]
		}
		yield(text)
	}
}
