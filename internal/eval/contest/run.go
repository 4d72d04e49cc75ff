package contest

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Hall is what a contest needs from outside.
//
// Several goroutines call Append, Room and Judge at once. For a question that was asked before, Room must return the recorded answer.
type Hall struct {
	Root tree.ID // of the contest
	// Append records nodes.
	Append func(ctx context.Context, nodes ...tree.Node) ([]tree.Node, error)
	// Room asks seats a question over the record of the frame's name, and returns all nodes of the room.
	Room func(ctx context.Context, f table.Frame, it suite.Item, s debate.Strategy) ([]tree.Node, error)
	// Judge decides which answers are right.
	Judge suite.Judge
	// Interrupt, when closed, prevents further questions; nil: no interruption.
	Interrupt <-chan struct{}
}

// Why a contest ends early. What was recorded stays, and the contest can be resumed. A *debate.Halted (the limits are reached, or a
// seat cannot be used at all) and a *Vain are such reasons, too.
var (
	ErrInterrupted = errors.New("a person ended the evaluation")
	ErrTime        = errors.New("the evaluation timed out")
)

// contest is a running Plan.
type contest struct {
	Plan
	Hall
	items []asking
	began time.Time
	time  time.Duration // 0: no limit

	mu       sync.Mutex
	marks    map[string]mark // by key of the outcome
	chosen   Chosen
	chooses  map[string]bool     // items that only choose the best single model
	answers  map[string][]answer // the seats' own answers, by asking, as long as an arm needs them
	judged   map[[sha256.Size]byte]bool
	answered bool // some answer was usable
	vain     [][]answer
	held     []func() error // record held-back outcomes: see hold
}

// Run runs a contest as far as possible. items are the plan's, recorded are the nodes of earlier runs. It returns nil once every
// outcome is recorded.
//
// An error means that it ended early (see ErrInterrupted), or that recording failed. Run waits for questions in progress. Only one
// process may run a contest: the caller holds its lock.
func Run(ctx context.Context, plan Plan, limits Limits, items []suite.Item, recorded []tree.Node, hall Hall) error {
	c := &contest{Plan: plan, Hall: hall, began: time.Now(), time: limits.Timeout, marks: map[string]mark{},
		chooses: map[string]bool{}, answers: map[string][]answer{}, judged: map[[sha256.Size]byte]bool{}}
	var compared, again []asking
	for i, it := range items {
		c.items = append(c.items, asking{Item: it})
		c.chooses[it.ID] = i < plan.Choose
		if i >= plan.Choose && plan.Swap > 0 && len(it.Options) > 0 {
			again = append(again, asking{it, true})
		}
	}
	compared = c.items[plan.Choose:]
	for _, o := range OutcomeKind.All(recorded) {
		c.marks[o.key()] = o.mark()
		// A seat answered in an earlier run, so the panel works in principle.
		c.answered = c.answered || o.Answer != ""
	}
	for _, chosen := range ChosenKind.All(recorded) {
		c.chosen = chosen
	}
	if err := c.first(ctx); err != nil {
		return err
	}
	if err := c.choose(ctx); err != nil {
		return err
	}
	if err := c.each(ctx, compared, c.together); err != nil {
		return err
	}
	if c.repeats() {
		if err := c.match(ctx); err != nil {
			return err
		}
		if err := c.each(ctx, compared, c.repeated); err != nil {
			return err
		}
	}
	return c.each(ctx, again, c.whole)
}

// each calls do for all items, several in parallel, started in order. It starts no more after the first error, an interruption or the
// time limit, and waits for those in progress. It returns the first error.
func (c *contest) each(ctx context.Context, items []asking, do func(context.Context, asking) error) error {
	slots := make(chan struct{}, max(1, c.Parallel))
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
	for _, q := range items {
		select {
		case slots <- struct{}{}:
		case <-c.Interrupt:
			fail(ErrInterrupted)
		case <-ctx.Done():
			fail(context.Cause(ctx))
		}
		// Select chooses at random among ready cases: with a free slot it may have missed that the contest is over.
		if err := c.over(ctx); err != nil {
			fail(err)
		}
		if broken() {
			break
		}
		all.Go(func() {
			defer func() { <-slots }()
			if err := do(ctx, q); err != nil {
				fail(err)
			}
		})
	}
	all.Wait()
	return failed
}

// over returns why no further question begins; nil: the contest continues.
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

// whole runs all arms on an item, once the choices before are decided.
func (c *contest) whole(ctx context.Context, q asking) error {
	for _, do := range []func(context.Context, asking) error{c.alone, c.together, c.repeated} {
		if err := do(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// alone asks every seat separately.
func (c *contest) alone(ctx context.Context, q asking) error {
	if c.complete(q) {
		return nil
	}
	var said []answer
	if _, err := c.Room(ctx, c.frame(q, "blind", c.Seats), q.Item, blind(q, c.Seed, &said)); err != nil {
		return err
	}
	var out []Outcome
	for _, a := range said {
		o := q.outcome(Single, a.seat.ID)
		o.Answer, o.P, o.Decided = a.text, a.p, a.text != ""
		o.sum(a)
		out = append(out, o)
	}
	return c.hold(said, func() error {
		if !c.chooses[q.ID] {
			c.mu.Lock()
			c.answers[q.key()] = said
			c.mu.Unlock()
		}
		return c.record(ctx, q, out...)
	})
}

// choose decides which single seat is the best: the one most often right on the items reserved for that; among equals the one that
// uses fewer tokens, then by the seed.
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
		for _, q := range c.items[:c.Choose] {
			m := c.marks[q.outcome(Single, s.ID).key()]
			r.tokens += m.tokens
			if m.right {
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

// settle records a choice. A stop does not interrupt it: the next run must not choose again.
func (c *contest) settle(ctx context.Context, chosen Chosen) error {
	c.chosen = chosen
	_, err := c.Append(context.WithoutCancel(ctx), ChosenKind.New(c.Root, "code", chosen))
	return err
}

// together runs the panel's arms on an item.
func (c *contest) together(ctx context.Context, q asking) error {
	first := c.said(q)
	for _, arm := range c.Arms {
		o := q.outcome(arm, "")
		if c.known(o) {
			continue
		}
		var err error
		switch arm.base() {
		case Vote:
			o.sum(first...)
			o.elect(first, c.Rules, c.Seed)
		case Debate:
			err = c.debated(ctx, q, first, &o)
		default:
			strategy, ok := arm.strategy()
			if !ok {
				continue
			}
			err = c.decided(ctx, q, strategy, &o)
		}
		if err == nil {
			err = c.record(ctx, q, o)
		}
		if err != nil {
			return err
		}
	}
	if !c.repeats() {
		c.forget(q)
	}
	return nil
}

// repeats reports whether an arm asks the best seat again.
func (c *contest) repeats() bool { return c.has(Sc) || c.has(Fuse) }

// debated has all seats answer again after reading all answers. The first round is shared with the vote, and its cost is counted as
// if it were separate.
func (c *contest) debated(ctx context.Context, q asking, first []answer, o *Outcome) error {
	var said []answer
	_, err := c.Room(ctx, c.frame(q, string(o.Arm), c.Seats), q.Item, revise(q, c.Seed, o.Arm.rounds(), first, &said))
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

// repeated asks the best seat about an item again.
func (c *contest) repeated(ctx context.Context, q asking) error {
	best, _ := c.Seat(c.chosen.Best)
	seats := []table.Seat{best}
	first := c.said(q)
	defer c.forget(q)
	// Its own answer from before is the first sample, so it is not paid for twice.
	i := slices.IndexFunc(first, func(a answer) bool { return a.seat.ID == best.ID })
	sc, fused := q.outcome(Sc, best.ID), q.outcome(Fuse, best.ID)
	if i < 0 || !c.wants(sc) && !c.wants(fused) {
		return nil
	}
	samples := []answer{first[i]}
	if more := c.chosen.Samples - 1; more > 0 {
		var said []answer
		if _, err := c.Room(ctx, c.frame(q, "again", seats), q.Item, again(q, c.Seed, more, &said)); err != nil {
			return err
		}
		samples = append(samples, said...)
	}
	if c.wants(sc) {
		sc.sum(samples...)
		sc.elect(samples, c.Rules, c.Seed)
		sc.P = share(samples, q.Class(sc.Answer))
		if err := c.record(ctx, q, sc); err != nil {
			return err
		}
	}
	if !c.wants(fused) {
		return nil
	}
	samples = samples[:max(1, len(samples)-1)] // fusing is a call, too
	var said []answer
	if _, err := c.Room(ctx, c.frame(q, string(Fuse), seats), q.Item, fuse(q, c.Seed, samples, &said)); err != nil {
		return err
	}
	fused.sum(samples...)
	fused.sum(said...)
	fused.Answer, fused.P, fused.Decided = said[0].text, said[0].p, said[0].text != ""
	return c.record(ctx, q, fused)
}

// share returns the share of the answers that are of a class.
func share(answers []answer, class string) float64 {
	n := 0
	for _, a := range answers {
		if a.text != "" && a.class == class {
			n++
		}
	}
	return float64(n) / float64(max(1, len(answers)))
}
