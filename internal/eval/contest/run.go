package contest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Hall is what a contest needs from outside.
type Hall struct {
	Root tree.ID // of the contest
	// Append records nodes.
	Append func(ctx context.Context, nodes ...tree.Node) ([]tree.Node, error)
	// Room puts a question to seats over what is recorded under the frame's name, and returns all nodes of the room.
	Room func(ctx context.Context, f debate.Frame, it suite.Item, s debate.Strategy) ([]tree.Node, error)
	// Judge says what is right.
	Judge suite.Judge
	// Interrupt, when it is closed, lets no further question begin; nil: nobody can.
	Interrupt <-chan struct{}
}

// Why a contest ends before its time. What was recorded stays, and it can go on. A *debate.Halted is such a reason, too:
// the limits are reached, or a seat cannot be used at all.
var (
	ErrInterrupted = errors.New("a person ended the evaluation")
	ErrTime        = errors.New("the evaluation's time is up")
)

// contest is a Plan while it runs.
type contest struct {
	Plan
	Hall
	items []suite.Item
	began time.Time
	time  time.Duration // 0: no limit

	mu       sync.Mutex
	outcomes map[string]Outcome // by key
	chosen   Chosen
	answers  map[string][]answer // what the seats said by themselves, by item
	samples  map[string][]answer // what the best seat said when it was asked again
	judged   map[string]bool     // by item and answer
}

// Run carries a contest out as far as it goes. items are those of the plan, recorded is what happened in it before.
// It returns nil once every outcome is recorded.
func Run(ctx context.Context, plan Plan, limits Limits, items []suite.Item, recorded []tree.Node, hall Hall) error {
	c := &contest{Plan: plan, Hall: hall, items: items, began: time.Now(), time: limits.Timeout, outcomes: map[string]Outcome{},
		answers: map[string][]answer{}, samples: map[string][]answer{}, judged: map[string]bool{}}
	for _, o := range OutcomeKind.All(recorded) {
		c.outcomes[o.key()] = o
	}
	for _, chosen := range ChosenKind.All(recorded) {
		c.chosen = chosen
	}
	compared := items[plan.Choose:]
	if err := c.each(ctx, items, c.alone); err != nil {
		return err
	}
	if err := c.choose(ctx); err != nil {
		return err
	}
	if err := c.each(ctx, compared, c.together); err != nil {
		return err
	}
	if c.has(Sc) || c.has(Fuse) {
		if err := c.match(ctx); err != nil {
			return err
		}
		if err := c.each(ctx, compared, c.repeated); err != nil {
			return err
		}
	}
	return nil
}

// each does something for all items, several at once and in order of their start. It stops beginning at the first
// error, at an interruption and when the time is up, and waits for those that were begun.
func (c *contest) each(ctx context.Context, items []suite.Item, do func(context.Context, suite.Item) error) error {
	places := make(chan struct{}, max(1, c.Parallel))
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil {
			failed = err
		}
	}
	broken := func() bool { mu.Lock(); defer mu.Unlock(); return failed != nil }
	for _, it := range items {
		select {
		case places <- struct{}{}:
		case <-c.Interrupt:
			fail(ErrInterrupted)
		case <-ctx.Done():
			fail(context.Cause(ctx))
		}
		if err := c.over(ctx); err != nil {
			fail(err)
		}
		if broken() {
			break
		}
		all.Go(func() {
			defer func() { <-places }()
			if err := do(ctx, it); err != nil {
				fail(err)
			}
		})
	}
	all.Wait()
	return failed
}

// over says why no further question is begun; nil: the contest is open.
func (c *contest) over(ctx context.Context) error {
	select {
	case <-c.Interrupt:
		return ErrInterrupted
	default:
	}
	if c.time > 0 && time.Since(c.began) >= c.time {
		return ErrTime
	}
	return context.Cause(ctx)
}

// alone asks every seat by itself.
func (c *contest) alone(ctx context.Context, it suite.Item) error {
	if c.complete(it) {
		return nil
	}
	var said []answer
	if _, err := c.Room(ctx, c.frame(it, "blind", c.Seats), it, blind(it, c.Seed, &said)); err != nil {
		return err
	}
	c.mu.Lock()
	c.answers[it.ID] = said
	c.mu.Unlock()
	var out []Outcome
	for _, a := range said {
		o := Outcome{Item: it.ID, Arm: Single, Seat: a.seat.ID, Answer: a.text, P: a.p, Decided: a.text != ""}
		o.sum(a)
		out = append(out, o)
	}
	return c.record(ctx, it, out...)
}

// choose settles which single seat is the best: the one most often right on the items set aside for it; of equal ones
// the one that takes fewer tokens, and then as the seed has it.
func (c *contest) choose(ctx context.Context) error {
	if c.chosen.Best != "" {
		return nil
	}
	type record struct {
		seat   string
		right  int
		tokens int
		lot    uint64
	}
	var all []record
	for _, s := range c.Seats {
		r := record{seat: s.ID, lot: lot(c.Seed, "best", s.ID).Uint64()}
		for _, it := range c.items[:c.Choose] {
			o := c.outcomes[Outcome{Item: it.ID, Arm: Single, Seat: s.ID}.key()]
			r.tokens += o.Usage.Total()
			if o.Right {
				r.right++
			}
		}
		all = append(all, r)
	}
	best := slices.MaxFunc(all, func(a, b record) int {
		switch {
		case a.right != b.right:
			return a.right - b.right
		case a.tokens != b.tokens:
			return b.tokens - a.tokens
		case a.lot < b.lot:
			return -1
		}
		return 1
	})
	return c.settle(ctx, Chosen{Best: best.seat})
}

func (c *contest) settle(ctx context.Context, chosen Chosen) error {
	c.chosen = chosen
	_, err := c.Append(context.WithoutCancel(ctx), ChosenKind.New(c.Root, "code", chosen))
	return err
}

// together is what the panel does with an item.
func (c *contest) together(ctx context.Context, it suite.Item) error {
	first := c.answers[it.ID]
	for _, arm := range c.Arms {
		o := Outcome{Item: it.ID, Arm: arm}
		if _, known := c.known(o); known {
			continue
		}
		var err error
		switch arm.base() {
		case Vote:
			o.sum(first...)
			o.elect(first, c.Rules, c.Seed)
		case Debate:
			err = c.debated(ctx, it, first, &o)
		default:
			strategy, ok := arm.strategy()
			if !ok {
				continue
			}
			err = c.decided(ctx, it, strategy, &o)
		}
		if err == nil {
			err = c.record(ctx, it, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *contest) debated(ctx context.Context, it suite.Item, first []answer, o *Outcome) error {
	var said []answer
	_, err := c.Room(ctx, c.frame(it, string(o.Arm), c.Seats), it, revise(it, c.Seed, o.Arm.rounds(), first, &said))
	if err != nil {
		return err
	}
	o.sum(first...)
	for round := range slices.Chunk(said[len(first):], len(first)) {
		o.sum(round...)
	}
	o.elect(said[:len(first)], c.Rules, c.Seed)
	return nil
}

// repeated is what the best seat makes of an item when it is asked again.
func (c *contest) repeated(ctx context.Context, it suite.Item) error {
	best, _ := c.Seat(c.chosen.Best)
	seats := []debate.SeatInfo{best}
	i := slices.IndexFunc(c.answers[it.ID], func(a answer) bool { return a.seat.ID == best.ID })
	if i < 0 {
		return nil // every outcome of this item is recorded
	}
	samples := []answer{c.answers[it.ID][i]}
	if more := c.chosen.Samples - 1; more > 0 {
		var said []answer
		if _, err := c.Room(ctx, c.frame(it, "again", seats), it, again(it, c.Seed, more, &said)); err != nil {
			return err
		}
		samples = append(samples, said...)
	}
	if o := (Outcome{Item: it.ID, Arm: Sc, Seat: best.ID}); c.wants(o) {
		o.sum(samples...)
		o.elect(samples, c.Rules, c.Seed)
		o.P = share(samples, it.Class(o.Answer))
		if err := c.record(ctx, it, o); err != nil {
			return err
		}
	}
	o := Outcome{Item: it.ID, Arm: Fuse, Seat: best.ID}
	if !c.wants(o) {
		return nil
	}
	samples = samples[:max(1, len(samples)-1)] // the one that fuses is a call, too
	var said []answer
	if _, err := c.Room(ctx, c.frame(it, string(Fuse), seats), it, fuse(it, c.Seed, samples, &said)); err != nil {
		return err
	}
	o.sum(samples...)
	o.sum(said...)
	o.Answer, o.P, o.Decided = said[0].text, said[0].p, said[0].text != ""
	return c.record(ctx, it, o)
}

// share is how many of the answers are of a class.
func share(answers []answer, class string) float64 {
	n := 0
	for _, a := range answers {
		if a.text != "" && a.class == class {
			n++
		}
	}
	return float64(n) / float64(max(1, len(answers)))
}

// key names an outcome in its contest.
func (o Outcome) key() string { return strings.Join([]string{o.Item, string(o.Arm), o.Seat}, "\x00") }

func (c *contest) known(o Outcome) (Outcome, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.outcomes[o.key()]
	return o, ok
}

// wants says whether an outcome is part of the plan and missing.
func (c *contest) wants(o Outcome) bool {
	_, known := c.known(o)
	return !known && c.has(o.Arm)
}

// complete says whether everything about an item is recorded.
func (c *contest) complete(it suite.Item) bool {
	for _, s := range c.Seats {
		if c.wants(Outcome{Item: it.ID, Arm: Single, Seat: s.ID}) {
			return false
		}
	}
	if slices.ContainsFunc(c.items[:c.Choose], func(x suite.Item) bool { return x.ID == it.ID }) {
		return true
	}
	for _, arm := range c.Arms {
		o := Outcome{Item: it.ID, Arm: arm}
		if arm == Sc || arm == Fuse {
			o.Seat = c.chosen.Best
		}
		if arm != Single && c.wants(o) {
			return false
		}
	}
	return true
}

// record judges outcomes and keeps those that are new.
func (c *contest) record(ctx context.Context, it suite.Item, all ...Outcome) error {
	var nodes []tree.Node
	for i := range all {
		o := &all[i]
		if _, known := c.known(*o); known {
			continue
		}
		o.Class = ""
		if o.Answer != "" {
			o.Class = it.Class(o.Answer)
		}
		var err error
		if o.Right, err = c.judge(ctx, it, o.Answer); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			o.fail("check: " + cut(err.Error(), 200))
		}
		nodes = append(nodes, OutcomeKind.New(c.Root, "code", *o))
	}
	if len(nodes) == 0 {
		return nil
	}
	if _, err := c.Append(context.WithoutCancel(ctx), nodes...); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range all {
		if _, known := c.outcomes[o.key()]; !known {
			c.outcomes[o.key()] = o
		}
	}
	return nil
}

// judge says whether an answer is right. The same answer to an item is judged once.
func (c *contest) judge(ctx context.Context, it suite.Item, said string) (bool, error) {
	key := it.ID + "\x00" + said
	c.mu.Lock()
	right, known := c.judged[key]
	c.mu.Unlock()
	if known {
		return right, nil
	}
	right, err := c.Judge.Right(ctx, it, said)
	if err == nil {
		c.mu.Lock()
		c.judged[key] = right
		c.mu.Unlock()
	}
	return right, err
}
