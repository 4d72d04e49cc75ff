package contest

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// The acts of the arms. A council has the acts of every debate.
const (
	answering exchange.Act = "answer"
	revising  exchange.Act = "revise"
	fusing    exchange.Act = "fuse"
)

// keeping returns a strategy that runs run and stores its answers in keep.
func keeping(name string, keep *[]answer, run func(ctx context.Context, r *debate.Room) ([]answer, error)) debate.Strategy {
	return debate.Strategy{Name: name, Run: func(ctx context.Context, r *debate.Room) (err error) {
		*keep, err = run(ctx, r)
		return err
	}}
}

// blind asks every seat of the room once.
func blind(q asking, seed uint64, keep *[]answer) debate.Strategy {
	return keeping("blind", keep, func(ctx context.Context, r *debate.Room) ([]answer, error) {
		turns, err := r.Ask(ctx, answering, "0", func(s debate.Seat) debate.Prompt {
			return prompt(q, seed, nil, "", s.Info.ID, "0")
		}, r.Seats...)
		return read(q.Item, r, turns), err
	})
}

// again asks the room's one seat n times, in separate conversations, in parallel.
func again(q asking, seed uint64, n int, keep *[]answer) debate.Strategy {
	return keeping("again", keep, func(ctx context.Context, r *debate.Room) ([]answer, error) {
		type asked struct {
			turns []debate.Turn
			err   error
		}
		// A room is for one goroutine. Here several may call Ask: it gets no messages and no phase changes, each question has a
		// separate conversation, and what they share (the book, the budget) is safe for concurrent use.
		replies := make([]chan asked, n)
		for i := range n {
			name := strconv.Itoa(i + 1)
			replies[i] = make(chan asked, 1)
			go func() {
				turns, err := r.Ask(ctx, answering, name, func(s debate.Seat) debate.Prompt {
					return prompt(q, seed, nil, name, s.Info.ID, name)
				}, r.Seats...)
				replies[i] <- asked{turns, err}
			}()
		}
		var out []answer
		var failed error
		for _, c := range replies { // all of them, even after a failure, so that arrived answers are recorded
			a := <-c
			if a.err != nil {
				failed = a.err
				continue
			}
			out = append(out, read(q.Item, r, a.turns)...)
		}
		return out, failed
	})
}

// revise shows every seat all answers, including its own, and asks again, for the given number of rounds. A seat that fails keeps its
// last answer.
func revise(q asking, seed uint64, rounds int, first []answer, keep *[]answer) debate.Strategy {
	return keeping("revise", keep, func(ctx context.Context, r *debate.Room) ([]answer, error) {
		now := slices.Clone(first)
		var all []answer
		for round := range rounds {
			name := strconv.Itoa(round + 1)
			turns, err := r.Ask(ctx, revising, name, func(s debate.Seat) debate.Prompt {
				shown := slices.DeleteFunc(slices.Clone(now), func(a answer) bool { return a.text == "" })
				lot(seed, "peers", q.ID, s.Info.ID, name).Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
				above := func(labels map[string]string) string { return others(shown, labels, revisePage) }
				return prompt(q, seed, above, "", s.Info.ID, "0")
			}, r.Seats...)
			if err != nil {
				return nil, err
			}
			said := read(q.Item, r, turns)
			all = append(all, said...)
			for _, a := range said {
				i := slices.IndexFunc(now, func(b answer) bool { return b.seat.ID == a.seat.ID })
				if i >= 0 && a.text != "" {
					now[i].text, now[i].class, now[i].p, now[i].reason = a.text, a.class, a.p, a.reason
				}
			}
		}
		return append(now, all...), nil
	})
}

// fuse asks the room's one seat to combine several answers into one.
func fuse(q asking, seed uint64, samples []answer, keep *[]answer) debate.Strategy {
	return keeping("fuse", keep, func(ctx context.Context, r *debate.Room) ([]answer, error) {
		shown := slices.DeleteFunc(slices.Clone(samples), func(a answer) bool { return a.text == "" })
		turns, err := r.Ask(ctx, fusing, "0", func(s debate.Seat) debate.Prompt {
			above := func(labels map[string]string) string { return others(shown, labels, fusePage) }
			return prompt(q, seed, above, "fuse", s.Info.ID, "fuse")
		}, r.Seats...)
		return read(q.Item, r, turns), err
	})
}

// read reads the answers from turns.
func read(it suite.Item, r *debate.Room, turns []debate.Turn) []answer {
	out := make([]answer, len(turns))
	for i, t := range turns {
		if t.State == exchange.Answered {
			out[i], _ = parse(t.Answer, it, t.Labels) // an answer that can no longer be read is none
		}
		out[i].reply = t.Reply
		for _, s := range r.Seats {
			if s.Info.ID == t.Seat {
				out[i].seat = s.Info
			}
		}
	}
	return out
}

// fault returns a reply's kind of failure, or its state; empty: it is usable.
func (a answer) fault() string {
	switch {
	case a.reply.State == exchange.Answered && a.text == "":
		return string(exchange.Unusable)
	case a.reply.State == exchange.Answered:
		return ""
	case a.reply.Kind != "":
		return string(a.reply.Kind)
	}
	return string(a.reply.State)
}

// sum adds the usage of answers that ran in parallel. MS grows by the slowest of them.
func (o *Outcome) sum(at ...answer) {
	slowest := int64(0)
	for _, a := range at {
		o.Usage = o.Usage.Add(a.reply.Usage)
		o.Calls += a.reply.Calls
		slowest = max(slowest, a.reply.MS)
		if f := a.fault(); f != "" {
			o.fail(f)
		}
	}
	o.MS += slowest
}

// fail counts one more failure of a kind.
func (o *Outcome) fail(what string) {
	if o.Failures == nil {
		o.Failures = map[string]int{}
	}
	o.Failures[what]++
}

// elect sets an outcome's answer to the most frequent one, weighted as in a debate; the seed breaks ties. P is the posterior from the
// votes. Options get keys in the order in which they were first named; answers of one class are one option, whatever their wording.
func (o *Outcome) elect(answers []answer, rules verdict.Rules, seed uint64) {
	l := verdict.Ledger{}
	texts := map[string]string{}
	for i, a := range answers {
		v := verdict.Vote{Seat: fmt.Sprint(i), Lineage: a.seat.Lineage, Status: verdict.NoVote}
		if a.text != "" {
			k := slices.IndexFunc(l.Options, func(o verdict.Option) bool { return o.Text == a.class })
			if k < 0 {
				k = len(l.Options)
				l.Options = append(l.Options, verdict.Option{Key: fmt.Sprintf("%06d", k), Text: a.class})
				texts[l.Options[k].Key] = a.text
			}
			v.Status, v.Option = verdict.Voted, l.Options[k].Key
		}
		l.Votes = append(l.Votes, v)
	}
	o.stand(l, o.lead(verdict.Posterior(l, rules), texts, seed))
}

// stand stores how many lineages back the chosen option.
func (o *Outcome) stand(l verdict.Ledger, option string) {
	if n := len(l.Backers(option)); option != "" && o.Seat == "" {
		o.Lineages = &n
	}
}

// level is the difference below which chances count as equal.
const level = 1e-9

// lead sets an outcome's answer to the most probable option and returns its key. texts are the options' texts by key.
func (o *Outcome) lead(beliefs []verdict.Belief, texts map[string]string, seed uint64) (option string) {
	if len(beliefs) == 0 {
		return ""
	}
	first := 0
	for first < len(beliefs) && beliefs[0].P-beliefs[first].P < level {
		first++
	}
	chosen := beliefs[0]
	if first > 1 {
		chosen = beliefs[lot(seed, "tie", o.Item, string(o.Arm)).IntN(first)]
	}
	o.Answer, o.P, o.Decided = texts[chosen.Option], chosen.P, first == 1
	return chosen.Option
}
