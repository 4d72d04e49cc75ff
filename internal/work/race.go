package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// racer is one executor of a race, with its result.
type racer struct {
	claim  record.Claim
	commit string
	proof  proof.Verdict
	patch  string
}

// racers returns the executors of a race; fewer than two: it is no race. A step that the plan or a person gave to one
// executor is no race.
func (r *Run) racers(t Task) []string {
	n := r.options.Race
	if t.Task.Race > 0 {
		n = t.Task.Race
	}
	if t.Given != "" || t.Task.Executor != "" || n < 2 {
		return nil
	}
	return r.options.Executors[:min(n, len(r.options.Executors))]
}

// isRace reports whether a task is to be raced, or its race is to continue. A change that clashed with the branch is
// repeated by one executor.
func (r *Run) isRace(t Task) bool {
	if t.Claim != nil {
		return t.Claim.Racer > 0
	}
	return t.Clash == nil && len(r.racers(t)) > 1
}

// race gives a task to several executors at once, each in a workspace of its own, and continues with the best change.
// After a race the chosen change is like any other: it is merged, clashes, or is given up.
func (r *Run) race(ctx context.Context, t Task) error {
	claims := r.raceClaims(t)
	key := fmt.Sprintf("%s/%d", t.ID, claims[0].Attempt)
	done, known := journal.Recall(r.book, choice.Kind, key)
	var all []racer
	if !known {
		var err error
		if all, err = r.runRacers(ctx, t, claims); err != nil {
			return err
		}
		if done, err = r.choose(ctx, t, key, all); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(done.Entrants, func(e choice.Entrant) bool { return e.Attempt == done.Best })
	c, best := claims[at], done.Entrants[at]
	if known { // from a process that is gone: these claims are not ours
		var err error
		if c, err = r.dispatcher.claim(ctx, c); err != nil {
			return err
		}
	}
	for i, e := range done.Entrants { // only the commits of the others are kept, except what only a person can judge
		if i != at && e.State != proof.Person {
			if err := r.Space.Release(ctx, record.Conversation(r.frame.Run, claims[i]), e.Base, e.Commit); err != nil {
				return err
			}
		}
	}
	v := proof.Verdict{State: best.State, Why: best.Why}
	if _, clashed := journal.Recall(r.book, record.ClashKind, attemptKey(c)); clashed { // a person had approved it
		v.State = proof.Proved
	}
	if v.State == proof.Failed {
		v.Why = nil
		for _, e := range done.Entrants {
			v.Why = append(v.Why, e.Why...)
		}
		c.Executor = claims[len(claims)-1].Executor // the next executor after all of them takes over
	}
	prog := &progress{claim: c, last: claims[len(claims)-1].Attempt}
	if over, err := r.afterProof(ctx, t, prog, best.Commit, v); over || err != nil {
		return err
	}
	return r.doSerially(ctx, t, prog)
}

// raceClaims returns the claims of a race: those of an earlier process, or new ones, all from one commit. Attempts of
// one race are numbered without gaps, from which rivals computes the conversations that share its money.
func (r *Run) raceClaims(t Task) []record.Claim {
	first, base := t.last+1, r.branchHead()
	for _, known := range t.Racers {
		first, base = known.claim.Attempt-known.claim.Racer+1, known.claim.Base
	}
	names := r.racers(t)
	claims := make([]record.Claim, len(names))
	for i, name := range names {
		claims[i] = record.Claim{Task: t.ID, Attempt: first + i, Racer: i + 1, Racers: len(names), Executor: name, Base: base}
	}
	return claims
}

// runRacers lets every racer try. Their claims are recorded first; an error that is no agent's ends all of them.
func (r *Run) runRacers(ctx context.Context, t Task, claims []record.Claim) ([]racer, error) {
	for i, c := range claims {
		var err error
		if claims[i], err = r.dispatcher.claim(ctx, c); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all, errs := make([]racer, len(claims)), make([]error, len(claims))
	var running sync.WaitGroup
	for i, c := range claims {
		running.Go(func() {
			all[i].claim = c
			if all[i].commit, all[i].proof, errs[i] = r.attempt(ctx, t, c); errs[i] != nil {
				cancel()
			}
			if all[i].proof.State == unreachable { // the others may have done it
				all[i].proof.State = proof.Failed
			}
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return all, errors.Join(errs...)
}

// choose compares the proved changes, and records which one is kept.
func (r *Run) choose(ctx context.Context, t Task, key string, all []racer) (choice.Choice, error) {
	done := choice.Choice{Key: key, Task: t.ID}
	for i, one := range all {
		e := choice.Entrant{Attempt: one.claim.Attempt, Executor: one.claim.Executor, State: one.proof.State, Why: one.proof.Why,
			Commit: one.commit, Base: one.claim.Base}
		var err error
		if e.Tree, err = r.Space.Tree(ctx, one.commit); err != nil {
			return done, err
		}
		if all[i].patch, err = r.Space.Patch(ctx, e.Base, e.Commit); err != nil {
			return done, err
		}
		all[i].patch = clean.Reveal(all[i].patch)
		e.Lines = choice.Lines(all[i].patch)
		done.Entrants = append(done.Entrants, e)
	}
	looks, err := r.compare(ctx, t, key, all, choice.Finalists(done.Entrants))
	if err != nil {
		return done, err
	}
	done.Best, done.Why = choice.Decide(done.Entrants, looks)
	return done, r.dispatcher.report(ctx, all[0].claim, choice.Kind.New(r.root, "code", done))
}

// compare asks another model to compare the finalists, in one order and in the opposite one. A recorded look is not
// repeated. Comparing twice in opposite orders cancels a preference for a position; see choice.Decide.
func (r *Run) compare(ctx context.Context, t Task, key string, all []racer, finalists []choice.Entrant) (looks []choice.Look, err error) {
	if len(finalists) < 2 || r.options.Judge == "" {
		return nil, nil
	}
	name := record.Conversation(r.frame.Run, all[0].claim)
	dir, err := r.Space.Clone(ctx, name+"-look", all[0].claim.Base)
	if err != nil {
		return nil, err
	}
	for n := 1; n <= choice.Looks; n++ {
		slices.Reverse(finalists)
		l := choice.Look{Key: fmt.Sprintf("%s/%d", key, n), Task: t.ID, By: r.options.Judge}
		known, ok := journal.Recall(r.book, choice.LookKind, l.Key)
		if ok {
			looks = append(looks, known)
			continue
		}
		var patches []string
		for _, e := range finalists {
			i := slices.IndexFunc(all, func(one racer) bool { return one.claim.Attempt == e.Attempt })
			patches = append(patches, head(all[i].patch, 60_000))
			l.Order = append(l.Order, e.Attempt)
		}
		rep, err := r.Review(ctx, Job{Run: r.frame.Run, Name: name + choice.End(n), Dir: dir, Executor: r.options.Judge,
			Text: choice.Ask(brief(r.plan, t.Task), finalists, patches), Timeout: r.options.Timeout})
		if err != nil {
			return nil, err
		}
		l.Failed, l.Usage = rep.Failed, rep.Usage
		l.Read(rep.Said)
		if err := r.dispatcher.report(ctx, all[0].claim, choice.LookKind.New(r.root, r.options.Judge, l)); err != nil {
			return nil, err
		}
		looks = append(looks, l)
	}
	return looks, r.Space.Drop(name + "-look")
}
