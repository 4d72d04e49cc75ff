package evals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Eval opens a contest of arms over items of known truth and starts it. Plan.Text, Plan.Rules and, where it is empty,
// Plan.Name are filled in.
type Eval struct {
	Plan     contest.Plan
	Limits   contest.Limits
	Items    []suite.Item
	Programs bool // the programs items are judged by may run
}

// Do implements engine.Op.
func (op Eval) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	p := op.Plan
	var err error
	if p.Rules, err = l.rooms.Rules(ctx); err != nil {
		return "", err
	}
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

// Resume goes on with a contest that did not end. What was recorded is not asked again.
type Resume struct {
	Name     string
	Limits   *contest.Limits // instead of those it had; nil: those
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

// compete runs a contest over what is recorded of it, and closes it if it comes to its end.
func (l *Library) compete(ctx context.Context, root tree.ID, p contest.Plan, past *past, programs bool, interrupt <-chan struct{}) error {
	began := time.Now()
	items, err := l.items(ctx, p)
	if err != nil {
		return err
	}
	limits, recorded := past.limits(), past.own
	h := &hall{l: l, root: root, rooms: past.rooms, budget: budget.New(limits.USD, limits.Tokens, nil)}
	h.budget.Spend(past.bill.Usage.USD+past.bill.Lost(), past.bill.Usage.Total())
	past.own, past.rooms = nil, nil
	judge := suite.Judge{}
	if programs {
		judge.Run = l.program
	}
	err = contest.Run(ctx, p, limits, items, recorded, contest.Hall{Root: root, Append: l.store.Append, Room: h.room, Judge: judge, Interrupt: interrupt})
	if err != nil {
		return err
	}
	end := contest.EndKind.New(root, "code", contest.End{MS: time.Since(began).Milliseconds()})
	_, err = l.store.AppendTo(context.WithoutCancel(ctx), evalRefs+p.Name, root, end.ID, end)
	return err
}

// items reads the items a contest was opened with.
func (l *Library) items(ctx context.Context, p contest.Plan) ([]suite.Item, error) {
	text, err := l.store.Named(ctx, p.Text)
	if err != nil {
		return nil, err
	}
	var items []suite.Item
	for it, err := range suite.Read(strings.NewReader(text)) {
		if err != nil {
			return nil, fmt.Errorf("the recorded items of %s: %w", p.Name, err)
		}
		items = append(items, it)
	}
	if len(items) != p.Items {
		return nil, fmt.Errorf("the record of %s contains %d of %d items", p.Name, len(items), p.Items)
	}
	return items, nil
}

// past is what is recorded of a contest. Of its rooms it knows where they are: all their nodes together are too much to
// hold.
type past struct {
	seq   int64       // of the last node
	own   []tree.Node // that belong to no room
	rooms map[string]span
	bill  debate.Bill
}

// span is where in the store the nodes of a room are.
type span struct {
	frame       tree.ID
	first, last int64
}

func (l *Library) past(ctx context.Context, root tree.ID) (*past, error) {
	p := &past{rooms: map[string]span{}}
	owner := map[tree.ID]string{} // room by node that others can hang from
	for n, err := range l.store.Since(ctx, 0, root) {
		if err != nil {
			return nil, err
		}
		p.seq = n.Seq
		p.bill.Add(n)
		name, inside := owner[n.Parent]
		if f, ok := debate.FrameKind.Of(n); ok {
			name, inside = f.Room, true
			p.rooms[name] = span{n.ID, n.Seq, n.Seq}
		}
		if !inside {
			p.own = append(p.own, n)
			if n.Kind == string(contest.VainKind) {
				clear(p.rooms) // they are opened anew
			}
			continue
		}
		if s, ok := p.rooms[name]; ok {
			s.last = n.Seq
			p.rooms[name] = s
		}
		if n.Kind != string(debate.ReplyKind) && n.Kind != string(debate.StepKind) {
			owner[n.ID] = name
		}
	}
	return p, nil
}

func (p *past) ended() bool { return len(contest.EndKind.All(p.own)) > 0 }

func (p *past) limits() (l contest.Limits) {
	for _, l = range contest.LimitsKind.All(p.own) {
	}
	return l
}

// nodes reads those of one room.
func (s span) nodes(ctx context.Context, l *Library, root tree.ID) ([]tree.Node, error) {
	var out []tree.Node
	inside := map[tree.ID]bool{}
	for n, err := range l.store.Since(ctx, s.first-1, root) {
		if err != nil {
			return nil, err
		}
		if n.Seq > s.last {
			break
		}
		if n.ID == s.frame || inside[n.Parent] {
			inside[n.ID] = true
			out = append(out, n)
		}
	}
	return out, nil
}

// hall is where the rooms of a contest are.
type hall struct {
	l      *Library
	root   tree.ID
	budget *budget.Budget

	mu    sync.Mutex
	rooms map[string]span // as they were recorded, by name
}

// journal finds what is recorded of a room, and opens it if nothing is.
func (h *hall) journal(ctx context.Context, f debate.Frame) ([]tree.Node, error) {
	h.mu.Lock()
	s, known := h.rooms[f.Room]
	h.mu.Unlock()
	if known {
		return s.nodes(ctx, h.l, h.root)
	}
	return h.l.store.Append(ctx, debate.FrameKind.New(h.root, "code", f))
}

// room puts a question to seats, in a folder that holds nothing but the item's files.
func (h *hall) room(ctx context.Context, f debate.Frame, it suite.Item, strategy debate.Strategy) ([]tree.Node, error) {
	nodes, err := h.journal(ctx, f)
	if err != nil {
		return nil, err
	}
	temp, err := scratch.New("item")
	if err != nil {
		return nil, fmt.Errorf("make a folder for %s: %w", it.ID, err)
	}
	defer temp.Remove()
	dir := temp.Path
	if err := it.Lay(dir); err != nil {
		return nil, err
	}
	f.Dir = dir
	room := &debate.Room{Frame: f, Budget: h.budget, Halt: unusable}
	if err := h.l.rooms.Play(ctx, room, nodes, strategy, len(it.Files) > 0); err != nil {
		return nil, err
	}
	nodes = room.Nodes()
	s := span{nodes[0].ID, nodes[0].Seq, nodes[0].Seq}
	for _, n := range nodes {
		s.last = max(s.last, n.Seq)
	}
	h.mu.Lock()
	h.rooms[f.Room] = s
	h.mu.Unlock()
	return nodes, nil
}

// unusable says that no question can be put to a seat any more: going on would make it look wrong.
func unusable(r debate.Reply) bool {
	return slices.Contains([]llm.Kind{debate.BudgetKind, debate.NoCopyKind, llm.Auth, llm.Quota}, r.Kind)
}

// plan finds a contest by name.
func (l *Library) plan(ctx context.Context, name string) (tree.Node, contest.Plan, error) {
	var p contest.Plan
	ref, err := l.store.Ref(ctx, evalRefs+name)
	if err != nil {
		return tree.Node{}, p, engine.NotFound("evaluation named "+name, "list evaluations: socrates eval list", err)
	}
	root, err := l.store.Root(ctx, ref.Head)
	if err != nil {
		return tree.Node{}, p, err
	}
	p, ok := contest.PlanKind.Of(root)
	if !ok || p.Name == "" {
		return root, p, l.store.Damage("the first node of the evaluation " + name + " cannot be read")
	}
	return root, p, nil
}

// Info is a line in the list of evaluations.
type Info struct {
	Name      string        `json:"name"`
	Suite     string        `json:"suite"`
	Items     int           `json:"items"`
	Seats     int           `json:"seats"`
	Arms      []contest.Arm `json:"arms"`
	Started   time.Time     `json:"started"`
	Simulated bool          `json:"simulated"`
	Ended     bool          `json:"ended"`
	Running   bool          `json:"running"` // by this or another process
}

// List lists the evaluations, the newest first.
func (l *Library) List(ctx context.Context) ([]Info, error) {
	tips, err := l.store.Tips(ctx, evalRefs)
	if err != nil {
		return nil, err
	}
	out := []Info{}
	for _, tip := range tips {
		if p, ok := contest.PlanKind.Of(tip.Root); ok && p.Name != "" {
			ended := tip.Head.ID != tip.Root.ID
			out = append(out, Info{Name: p.Name, Suite: p.Suite, Items: p.Items, Seats: len(p.Seats), Arms: p.Arms, Started: tip.Root.At,
				Simulated: p.Simulated, Ended: ended, Running: !ended && l.core.Held("eval-"+p.Name)})
		}
	}
	if len(out) == 0 {
		return out, l.store.Lost(ctx, evalRefs, "evaluations")
	}
	return out, nil
}

// Evaluation is what is recorded of a contest, but for its rooms.
type Evaluation struct {
	Root     tree.ID
	Plan     contest.Plan
	Limits   contest.Limits
	Chosen   contest.Chosen
	Items    []suite.Item
	Outcomes []contest.Outcome
	Started  time.Time
	Ended    bool
	Paid     llm.Usage // for every call, shared ones once
	Lost     float64   // dollars that may have been paid for calls that never came back
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
	for _, v.Chosen = range contest.ChosenKind.All(past.own) {
	}
	v.Items, err = l.items(ctx, p)
	return v, err
}
