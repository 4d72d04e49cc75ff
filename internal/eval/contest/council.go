package contest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/tree"
)

// frame returns the frame of one question. name distinguishes the rooms of an item.
//
// Its name and seed depend only on the plan, so that a room that was begun is found again and resumed.
func (c *contest) frame(q asking, name string, seats []table.Seat) table.Frame {
	f := table.Frame{Room: c.Name + "/" + q.ID + "/" + name, Question: question(q.Item), Strategy: name,
		Options: motion.Letters(q.listed()),
		Origin:  "given", Rules: c.Rules, Limits: c.Limits, Seed: lot(c.Seed, "room", q.ID).Uint64() >> 12, Mirrored: q.swapped,
		Program: c.Program}
	if _, ok := Arm(name).strategy(); !ok { // wait for every seat, and spare none
		f.Limits.Grace, f.Limits.Timeout, f.Limits.Economy = 0, 0, ""
	}
	if q.swapped {
		f.Room += "-swapped"
	}
	if len(q.Options) == 0 {
		f.Origin = "panel"
	}
	if len(q.Files) == 0 {
		// There is nothing to read.
		f.Limits.ToolCalls = 0
	}
	for _, s := range seats {
		if strings.HasPrefix(s.Lineage, simulated.LineagePrefix) { // it errs on purpose, so it must know the truth
			s.Spec += simulated.TruthKey + q.TruthText()
		}
		f.Seats = append(f.Seats, s)
	}
	return f
}

// decided has the panel decide by a strategy of debates. If it leaves the decision to a person, the answer is the option it leans to.
func (c *contest) decided(ctx context.Context, q asking, strategy debate.Strategy, o *Outcome) error {
	nodes, err := c.Room(ctx, c.frame(q, strategy.Name, c.Seats), q.Item, strategy)
	if err != nil {
		return err
	}
	res, err := debate.Summarize(nodes)
	if err != nil {
		return err
	}
	texts, listed := map[string]string{}, q.listed()
	for i, option := range res.Options {
		texts[option.Key] = option.Text
		// Options of the debate are in the order given; one that a seat added is no answer to a choice.
		if len(listed) > 0 {
			texts[option.Key] = ""
			if i < len(listed) {
				texts[option.Key] = listed[i]
			}
		}
	}
	if q.swapped { // ties in the same order as without the swap, so that the draw between them is the same
		slices.SortStableFunc(res.Beliefs, func(a, b verdict.Belief) int {
			if math.Abs(a.P-b.P) >= level {
				return cmp.Compare(b.P, a.P)
			}
			return cmp.Compare(b.Option, a.Option)
		})
	}
	chosen := o.lead(res.Beliefs, texts, c.Seed)
	if o.Decided = res.Outcome.Decision(); o.Decided {
		chosen, o.Answer = res.Winner, texts[res.Winner]
		for _, b := range res.Beliefs {
			if b.Option == res.Winner {
				o.P = b.P
			}
		}
	} else if res.Panel.Voted == 0 {
		chosen, o.Answer, o.P = "", "", 0 // nobody voted: it leans to no option
	}
	o.stand(res.Ledger(), chosen)
	o.took(nodes)
	return nil
}

// took adds up the usage and time that a room recorded. Replies of one act and round ran in parallel; checks ran one after another.
func (o *Outcome) took(nodes []tree.Node) {
	slowest := map[string]int64{}
	last := map[string]exchange.Reply{} // if a question was asked again after the room halted, the last reply counts
	for _, n := range nodes {
		if r, ok := exchange.ReplyKind.Of(n); ok {
			last[r.Key] = r
		} else if r, ok := exchange.AddendumKind.Of(n); ok {
			last["addendum "+r.Key] = r
		} else if k, ok := ruling.CheckKind.Of(n); ok && k.Command != nil {
			o.MS += k.MS
		}
	}
	for _, key := range slices.Sorted(maps.Keys(last)) { // in a fixed order, since sums of floats depend on it
		r := last[key]
		o.Usage = o.Usage.Add(r.Usage)
		o.Calls += r.Calls
		round := strings.TrimSuffix(r.Key, "/"+r.Seat)
		slowest[round] = max(slowest[round], r.MS)
		if r.State != exchange.Answered {
			o.fail(answer{reply: r}.fault())
		}
	}
	for _, ms := range slowest {
		o.MS += ms
	}
}
