package evals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Eval opens a contest of arms over items with known answers and starts it. It sets Plan.Text, Plan.Rules and, if it is
// empty, Plan.Name. Plan.Text is the stored text of the items, a line of JSON each: they stay the same when the file
// they came from changes.
type Eval struct {
	Plan     contest.Plan
	Limits   contest.Limits
	Items    []suite.Item
	Programs bool // programs that judge items may run
}

// Do implements engine.Op.
func (op Eval) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	p := op.Plan
	var err error
	p.Rules = verdict.DefaultRules() // a measurement must not depend on what was learned
	var lines bytes.Buffer
	for _, it := range op.Items {
		raw, err := json.Marshal(it)
		if err != nil {
			return "", fmt.Errorf("keep the items: %w", err)
		}
		lines.Write(append(raw, '\n'))
	}
	if p.Text, err = l.store.PutBlob(ctx, lines.String()); err != nil {
		return "", err
	}
	for try := 1; ; try++ {
		id := tree.NewID()
		// A given name is tried once; a made-up one is replaced if it is taken.
		named := op.Plan.Name != ""
		if !named {
			p.Name = tree.NameFor(p.Suite, "room", id)
		}
		root := contest.PlanKind.New("", "person", p)
		root.ID = id
		unlock, err := l.lock(ctx, p.Name)
		if err != nil {
			return "", err
		}
		_, err = l.store.AppendTo(ctx, evalRefs+p.Name, "", id, root, contest.LimitsKind.New(id, "person", op.Limits))
		if err == nil {
			return id, l.start(ctx, id, p, op.Programs, unlock)
		}
		unlock()
		switch {
		case errors.Is(err, store.ErrMoved) && named:
			return "", &engine.Refusal{Message: "evaluation " + p.Name + " already exists",
				Hint: "resume it: socrates eval resume " + p.Name + ", or choose another name"}
		case !errors.Is(err, store.ErrMoved) || try == engine.NameTries:
			return "", err
		}
	}
}

// Resume resumes a contest that did not end. Recorded questions are not asked again.
type Resume struct {
	Name     string
	Limits   *contest.Limits // replace the recorded ones; nil: those apply
	Programs bool
}

// Do implements engine.Op.
func (op Resume) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, p, err := l.plan(ctx, op.Name)
	if err != nil {
		return "", err
	}
	unlock, err := l.lock(ctx, p.Name)
	if err != nil {
		return "", err
	}
	if op.Limits != nil {
		if _, err := l.store.Append(ctx, contest.LimitsKind.New(root.ID, "person", *op.Limits)); err != nil {
			unlock()
			return "", err
		}
	}
	return root.ID, l.start(ctx, root.ID, p, op.Programs, unlock)
}

func (l *Library) lock(ctx context.Context, name string) (func(), error) {
	return l.core.Lock(ctx, "eval-"+name, &engine.Refusal{Message: "another process is running evaluation " + name,
		Hint: "see its progress: socrates eval show " + name})
}

// start reads the past and begins the job, which then holds the lock.
func (l *Library) start(ctx context.Context, root tree.ID, p contest.Plan, programs bool, unlock func()) error {
	past, err := l.past(ctx, root)
	if err != nil {
		unlock()
		return err
	}
	l.core.Start(ctx, root, past.seq, func(ctx context.Context, j *engine.Job) error {
		defer unlock()
		if past.ended() {
			return nil
		}
		return l.compete(ctx, root, p, past, programs, j.Stop)
	})
	return nil
}

// past reads the record in one pass, in order of commit. A node's parents say which room it belongs to. Replies and
// steps, which are most of the nodes and never the parent of another room's nodes, are not remembered.
func (l *Library) past(ctx context.Context, root tree.ID) (*past, error) {
	p := &past{rooms: map[string]span{}}
	owner := map[tree.ID]string{} // room by node, for nodes that can be parents
	for n, err := range l.store.Since(ctx, 0, root) {
		if err != nil {
			return nil, err
		}
		p.seq = n.Seq
		p.bill.Add(n)
		name, inside := owner[n.Parent]
		if f, ok := table.FrameKind.Of(n); ok {
			name, inside = f.Room, true
			p.rooms[name] = span{n.ID, n.Seq, n.Seq}
		}
		if !inside {
			p.own = append(p.own, n)
			if n.Kind == string(contest.VainKind) {
				clear(p.rooms) // they are opened again
			}
			continue
		}
		if s, ok := p.rooms[name]; ok {
			s.last = n.Seq
			p.rooms[name] = s
		}
		if n.Kind != string(exchange.ReplyKind) && n.Kind != string(exchange.StepKind) {
			owner[n.ID] = name
		}
	}
	return p, nil
}

// Evaluation reads a contest by name.
func (l *Library) Evaluation(ctx context.Context, name string) (Evaluation, error) {
	root, p, err := l.plan(ctx, name)
	if err != nil {
		return Evaluation{}, err
	}
	past, err := l.past(ctx, root.ID)
	if err != nil {
		return Evaluation{}, err
	}
	v := Evaluation{Root: root.ID, Plan: p, Limits: past.limits(), Outcomes: contest.OutcomeKind.All(past.own), Started: root.At,
		Ended: past.ended(), Paid: past.bill.Usage, Lost: past.bill.Lost()}
	// The last one counts.
	for _, v.Chosen = range contest.ChosenKind.All(past.own) {
	}
	v.Items, err = l.items(ctx, p)
	return v, err
}
