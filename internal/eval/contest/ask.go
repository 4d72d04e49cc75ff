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

// The acts of the arms. A council has those of every debate.
const (
	answering exchange.Act = "answer"
	revising  exchange.Act = "revise"
	fusing    exchange.Act = "fuse"
)

// keeping makes a way to debate out of one that also keeps the answers it came to.
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

// again asks the room's one seat n times, in conversations of their own, all at once.
func again(q asking, seed uint64, n int, keep *[]answer) debate.Strategy {
	return keeping("again", keep, func(ctx context.Context, r *debate.Room) ([]answer, error) {
		type asked struct {
			turns []debate.Turn
			err   error
		}
		// A room is for one goroutine. Here it may be asked by several: nobody speaks into it and no phase changes,
		// each question is in a conversation of its own, and what they share (the book, the budget) guards itself.
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
		for _, c := range replies { // all of them, also after a failure: what is in is recorded
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

// revise shows every seat the answers of all, its own among them, and asks again; so many rounds. The answers of a seat
// that fails are carried forward.
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

// fuse lets the room's one seat make one answer of several.
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

// read makes answers of turns.
func read(it suite.Item, r *debate.Room, turns []debate.Turn) []answer {
	out := make([]answer, len(turns))
	for i, t := range turns {
		if t.State == exchange.Answered {
			out[i], _ = parse(t.Answer, it, t.Labels) // what cannot be read any more is no answer
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

// fault names what was wrong with a reply: its kind of failure, or its state; empty: nothing was.
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

// sum adds up what answers took. at are those that ran at once, so that the slowest counts; the outcome's MS grows by
// it.
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

// fail counts what went wrong once more.
func (o *Outcome) fail(what string) {
	if o.Failures == nil {
		o.Failures = map[string]int{}
	}
	o.Failures[what]++
}

// elect gives an outcome the answer most answers name, weighted as in a debate. Level ones are drawn from by the seed.
// P is the posterior the votes give.
// Options get keys in the order they were first named, and a class is one option whatever words it came in.
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

// stand keeps how many lineages stand behind the option that was chosen.
func (o *Outcome) stand(l verdict.Ledger, option string) {
	if n := len(l.Backers(option)); option != "" && o.Seat == "" {
		o.Lineages = &n
	}
}

// level is how far apart chances are that count as the same.
const level = 1e-9

// lead gives an outcome the most probable option, and returns its key. texts are the options' by key.
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
