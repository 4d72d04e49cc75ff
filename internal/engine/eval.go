package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/purse"
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

func (op Eval) do(ctx context.Context, e *Engine) (tree.ID, error) {
	p := op.Plan
	var err error
	if p.Rules, err = e.rules(ctx); err != nil {
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
	if p.Text, err = e.store.PutBlob(ctx, lines.String()); err != nil {
		return "", err
	}
	for try := 1; ; try++ {
		id := tree.NewID()
		named := op.Plan.Name != ""
		if !named {
			p.Name = roomName(p.Suite, id)
		}
		root := contest.PlanKind.New("", "person", p)
		root.ID = id
		unlock, err := e.lockEval(ctx, p.Name)
		if err != nil {
			return "", err
		}
		_, err = e.store.AppendTo(ctx, "eval/"+p.Name, "", id, root, contest.LimitsKind.New(id, "person", op.Limits))
		if err == nil {
			return id, e.startEval(ctx, id, p, op.Programs, unlock)
		}
		unlock()
		switch {
		case errors.Is(err, store.ErrMoved) && named:
			return "", &Refusal{Message: "there is an evaluation named " + p.Name + " already",
				Hint: "go on with it: socrates eval resume " + p.Name + "; or take another name"}
		case !errors.Is(err, store.ErrMoved) || try == nameTries:
			return "", err
		}
	}
}

// EvalResume goes on with a contest that did not end. What was recorded is not asked again.
type EvalResume struct {
	Name     string
	Limits   *contest.Limits // instead of those it had; nil: those
	Programs bool
}

func (op EvalResume) do(ctx context.Context, e *Engine) (tree.ID, error) {
	root, p, err := e.plan(ctx, op.Name)
	if err != nil {
		return "", err
	}
	unlock, err := e.lockEval(ctx, p.Name)
	if err != nil {
		return "", err
	}
	if op.Limits != nil {
		if _, err := e.store.Append(ctx, contest.LimitsKind.New(root.ID, "person", *op.Limits)); err != nil {
			unlock()
			return "", err
		}
	}
	return root.ID, e.startEval(ctx, root.ID, p, op.Programs, unlock)
}

func (e *Engine) lockEval(ctx context.Context, name string) (func(), error) {
	return e.lock(ctx, "eval-"+name, &Refusal{Message: "another process is running the evaluation " + name,
		Hint: "see how far it is with: socrates eval show " + name})
}

func (e *Engine) startEval(ctx context.Context, root tree.ID, p contest.Plan, programs bool, unlock func()) error {
	nodes, err := e.store.Tree(ctx, root)
	if err != nil {
		unlock()
		return err
	}
	e.start(ctx, root, nodes[len(nodes)-1].Seq, func(ctx context.Context, j *job) error {
		defer unlock()
		if len(contest.EndKind.All(nodes)) > 0 {
			return nil
		}
		return e.compete(ctx, root, p, nodes, programs, j.stop)
	})
	return nil
}

// compete runs a contest over what is recorded of it, and closes it if it comes to its end.
func (e *Engine) compete(ctx context.Context, root tree.ID, p contest.Plan, nodes []tree.Node, programs bool, interrupt <-chan struct{}) error {
	began := time.Now()
	items, err := e.items(ctx, p)
	if err != nil {
		return err
	}
	limits := contest.Limits{}
	if all := contest.LimitsKind.All(nodes); len(all) > 0 {
		limits = all[len(all)-1]
	}
	h := &hall{e: e, root: root, rooms: byRoom(nodes), purse: purse.New(limits.USD, limits.Tokens, nil)}
	for _, room := range h.rooms {
		paid, lost := debate.Paid(room)
		h.purse.Spend(paid.USD+lost, paid.Total())
	}
	judge := suite.Judge{}
	if programs {
		judge.Run = e.wiring.Program
	}
	err = contest.Run(ctx, p, limits, items, nodes, contest.Hall{Root: root, Append: e.store.Append, Room: h.room, Judge: judge, Interrupt: interrupt})
	if err != nil {
		return err
	}
	end := contest.EndKind.New(root, "code", contest.End{MS: time.Since(began).Milliseconds()})
	_, err = e.store.AppendTo(context.WithoutCancel(ctx), "eval/"+p.Name, root, end.ID, end)
	return err
}

// items reads the items a contest was opened with.
func (e *Engine) items(ctx context.Context, p contest.Plan) ([]suite.Item, error) {
	text, err := e.store.Blob(ctx, p.Text)
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
		return nil, fmt.Errorf("the record of %s holds %d of %d items", p.Name, len(items), p.Items)
	}
	return items, nil
}

// byRoom parts the nodes of a contest by the rooms they belong to.
func byRoom(nodes []tree.Node) map[string][]tree.Node {
	rooms, owner := map[string][]tree.Node{}, map[tree.ID]string{}
	for _, n := range nodes {
		name, ok := owner[n.Parent]
		if f, isFrame := debate.FrameKind.Of(n); isFrame {
			name, ok = f.Room, true
		}
		if ok {
			owner[n.ID] = name
			rooms[name] = append(rooms[name], n)
		}
	}
	return rooms
}

// hall is where the rooms of a contest are.
type hall struct {
	e     *Engine
	root  tree.ID
	purse *purse.Purse

	mu    sync.Mutex
	rooms map[string][]tree.Node // as they were recorded, by name
}

// room puts a question to seats, in a folder that holds nothing but the item's files.
func (h *hall) room(ctx context.Context, f debate.Frame, it suite.Item, strategy debate.Strategy) ([]tree.Node, error) {
	h.mu.Lock()
	nodes := h.rooms[f.Room]
	h.mu.Unlock()
	if len(nodes) == 0 {
		var err error
		if nodes, err = h.e.store.Append(ctx, debate.FrameKind.New(h.root, "code", f)); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "socrates-item-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for %s: %w", it.ID, err)
	}
	defer os.RemoveAll(dir)
	if err := it.Lay(dir); err != nil {
		return nil, err
	}
	f.Dir = dir
	room := &debate.Room{Frame: f, Purse: h.purse, Halt: unusable}
	tables, err := h.e.furnish(ctx, room, false)
	defer tables.end()
	if err != nil {
		return nil, err
	}
	if len(it.Files) == 0 {
		room.Tools = nil
	}
	if err := room.Run(ctx, h.e.journal(nodes), strategy); err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.rooms[f.Room] = room.Nodes()
	h.mu.Unlock()
	return room.Nodes(), nil
}

// unusable says that no question can be put to a seat any more: going on would make it look wrong.
func unusable(r debate.Reply) bool {
	return slices.Contains([]llm.Kind{debate.BudgetKind, llm.Auth, llm.Quota}, r.Kind)
}

// plan finds a contest by name.
func (e *Engine) plan(ctx context.Context, name string) (tree.Node, contest.Plan, error) {
	var p contest.Plan
	ref, err := e.store.Ref(ctx, "eval/"+name)
	if err != nil {
		return tree.Node{}, p, notFound("evaluation named "+name, "socrates eval list shows them", err)
	}
	root, err := e.store.Root(ctx, ref.Head)
	if err != nil {
		return tree.Node{}, p, err
	}
	p, ok := contest.PlanKind.Of(root)
	if !ok {
		return root, p, fmt.Errorf("evaluation %s: its first node cannot be read", name)
	}
	return root, p, nil
}

// EvalInfo is a line in the list of evaluations.
type EvalInfo struct {
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

// Evals lists the evaluations, the newest first.
func (e *Engine) Evals(ctx context.Context) ([]EvalInfo, error) {
	tips, err := e.store.Tips(ctx, "eval/")
	if err != nil {
		return nil, err
	}
	out := []EvalInfo{}
	for _, tip := range tips {
		if p, ok := contest.PlanKind.Of(tip.Root); ok {
			ended := tip.Head.ID != tip.Root.ID
			out = append(out, EvalInfo{Name: p.Name, Suite: p.Suite, Items: p.Items, Seats: len(p.Seats), Arms: p.Arms, Started: tip.Root.At,
				Simulated: p.Simulated, Ended: ended, Running: !ended && e.running("eval-"+p.Name)})
		}
	}
	return out, nil
}

// Evaluation is all that is recorded of a contest.
type Evaluation struct {
	Root     tree.ID
	Plan     contest.Plan
	Limits   contest.Limits
	Chosen   contest.Chosen
	Items    []suite.Item
	Outcomes []contest.Outcome
	Rooms    map[string][]tree.Node // by name: contest/item/arm
	Started  time.Time
	Ended    bool
	Paid     llm.Usage // for every call, shared ones once
	Lost     float64   // dollars that may have been paid for calls that never came back
}

// Evaluation reads a contest by name.
func (e *Engine) Evaluation(ctx context.Context, name string) (Evaluation, error) {
	root, p, err := e.plan(ctx, name)
	if err != nil {
		return Evaluation{}, err
	}
	nodes, err := e.store.Tree(ctx, root.ID)
	if err != nil {
		return Evaluation{}, err
	}
	v := Evaluation{Root: root.ID, Plan: p, Outcomes: contest.OutcomeKind.All(nodes), Rooms: byRoom(nodes), Started: root.At,
		Ended: len(contest.EndKind.All(nodes)) > 0}
	if v.Items, err = e.items(ctx, p); err != nil {
		return v, err
	}
	for _, l := range contest.LimitsKind.All(nodes) {
		v.Limits = l
	}
	for _, c := range contest.ChosenKind.All(nodes) {
		v.Chosen = c
	}
	for _, room := range v.Rooms {
		paid, lost := debate.Paid(room)
		v.Paid, v.Lost = v.Paid.Add(paid), v.Lost+lost
	}
	return v, nil
}
