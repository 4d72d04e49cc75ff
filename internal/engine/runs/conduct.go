package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// taskPhase is the phase in which an agent does a task.
const taskPhase = "task"

// goOn is the message to an agent whose turn was interrupted.
const goOn = "You were interrupted. Look at the files as they are now, then continue the task."

// conduct executes a run from its record. Agents work in their own conversations; their spending is reserved in the
// total budget, or in their share of it.
func (l *Library) conduct(ctx context.Context, nodes []tree.Node, m way.Manner, space *workspace.Space, total *budget.Budget,
	paused func() bool) error {
	money := shares{all: total, of: map[string]*budget.Budget{}}
	root := nodes[0].ID
	f, _ := record.FrameKind.Of(nodes[0])
	r := &work.Run{Space: space, Check: l.wiring.Check, Paused: paused, Work: func(ctx context.Context, j work.Job) (work.Report, error) {
		text, err := passHooks(ctx, l, root, f, way.Execute, true, j.Text)
		if err != nil {
			return work.Report{}, err
		}
		r, err := l.runAgent(ctx, agentJob{name: j.Name, dir: j.Dir, beat: j.Beat, say: turns.Say{Text: text, Model: j.Executor,
			Phase:  taskPhase,
			Effort: m.Effort, Only: m.Without(nil), Mode: permission.Mode(j.Mode), Limits: turns.Limits{Timeout: j.Timeout},
			Budget: money.by(j), Env: j.Env}})
		if err == nil {
			r.Said, err = passHooks(ctx, l, root, f, way.Execute, false, r.Said)
		}
		return r, err
	}, Review: func(ctx context.Context, j work.Job) (work.Report, error) {
		return l.runAgent(ctx, agentJob{name: j.Name, dir: j.Dir, say: turns.Say{Text: j.Text, Model: j.Executor, Phase: "chat",
			Only: l.wiring.Reads, Limits: turns.Limits{Timeout: j.Timeout}, Budget: total}})
	}}
	if err := r.Go(ctx, journalOf(l, nodes)); err != nil {
		return err
	}
	nodes, err := l.store.Tree(ctx, nodes[0].ID)
	if err != nil {
		return err
	}
	return reportToDebate(ctx, l, nodes)
}

// shares divides the money of a run. In a race each executor has an equal share of what was left when it began, and one
// share is reserved for the comparison, so that none can spend what the others need. Shares are made when the first
// racer asks; a resumed run divides what is left then.
type shares struct {
	all *budget.Budget
	mu  sync.Mutex // guards of
	of  map[string]*budget.Budget
}

func (p *shares) by(j work.Job) *budget.Budget {
	if len(j.Rivals) == 0 {
		return p.all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of[j.Name] == nil {
		usd, tokens := p.all.Left()
		shares := len(j.Rivals) + 1
		for _, name := range j.Rivals {
			p.of[name] = budget.New(usd/float64(shares), tokens/shares, p.all)
		}
	}
	return p.of[j.Name]
}

// journalOf is the record of a run, with the functions that extend it.
func journalOf(l *Library, nodes []tree.Node) journal.Journal {
	return journal.Journal{Nodes: nodes, Append: l.store.Append, Put: l.store.PutBlob, Text: l.store.Named}
}

// budgetOf is that of a run, without what its phases and agents have spent, or may have spent when a process was killed.
func budgetOf(ctx context.Context, l *Library, s work.Status, nodes []tree.Node) (*budget.Budget, error) {
	o := s.Options()
	b := budget.New(o.USD, o.Tokens, nil)
	seen := map[string]bool{}
	for _, a := range way.AnalyzeKind.All(nodes) { // a person may have had it debated more than once
		if a.Room == "" || !a.Paid || seen[a.Room] {
			continue
		}
		seen[a.Room] = true
		res, err := rooms.Named(ctx, l.rooms, a.Room)
		if err != nil {
			return nil, err
		}
		b.Spend(res.Cost.USD, res.Tokens.Total())
	}
	// A conversation may be named twice, and some do not exist yet.
	for _, name := range append(conversations(s.Frame.Run, nodes), phaseTalks(s.Frame.Run)...) {
		if seen[name] {
			continue
		}
		seen[name] = true
		t, err := l.talks.Open(ctx, name)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all, err := l.store.Tree(ctx, t.Root)
		if err != nil {
			return nil, err
		}
		for _, spent := range spending.Spent(all) {
			b.Spend(spent.Usage.USD, spent.Usage.Total())
		}
		b.Spend(spending.Feared(all))
	}
	return b, nil
}

// conversations returns those in which a run's tasks were done.
func conversations(run string, nodes []tree.Node) (names []string) {
	for _, c := range record.ClaimKind.All(nodes) {
		name := record.Conversation(run, c)
		names = append(names, name, name+objection.End)
		for n := range choice.Looks {
			if c.Racer == 1 {
				names = append(names, name+choice.End(n+1))
			}
		}
	}
	return names
}

// phaseTalks returns the conversations in which a run's phases may be done.
func phaseTalks(run string) (names []string) {
	for _, p := range []way.Phase{way.Refine, way.Analyze, way.Plan} {
		names = append(names, run+"-"+string(p))
	}
	return names
}

// agentJob is a task for an agent in its own conversation.
type agentJob struct {
	name, dir string // of the conversation; the folder to work in
	say       turns.Say
	beat      func() error  // called while it is at work
	idle      time.Duration // longest time without news of it; 0: no limit
}

// errSilent ends an agent without news.
var errSilent = errors.New("the model was silent for longer than its idle timeout")

// runAgent makes an agent do a job, and ends it if there is no news of it for too long.
func (l *Library) runAgent(ctx context.Context, j agentJob) (work.Report, error) {
	if j.idle <= 0 {
		return runTurn(ctx, l, j)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(j.idle, func() { cancel(errSilent) })
	defer timer.Stop()
	j.beat = func() error {
		timer.Reset(j.idle)
		return nil
	}
	r, err := runTurn(ctx, l, j)
	if errors.Is(context.Cause(ctx), errSilent) {
		return work.Report{Failed: errSilent.Error(), Usage: r.Usage}, nil
	}
	return r, err
}

// runTurn makes an agent do a job. What was paid for before a crash is in the conversation and is not asked again.
func runTurn(ctx context.Context, l *Library, j agentJob) (work.Report, error) {
	t, err := l.talks.Open(ctx, j.name)
	if errors.Is(err, store.ErrNotFound) {
		if _, err = l.engine.Do(ctx, conversation.NewTree{Name: j.name, Dir: j.dir}); err == nil {
			t, err = l.talks.Open(ctx, j.name)
		}
	}
	if err != nil {
		return work.Report{}, err
	}
	said := l.store.Clean(j.say.Text)
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return work.Report{}, err
	}
	if since, ok := since(path, said); ok {
		if r, over := reportOf(since); over {
			return r, nil
		}
		j.say.Text, j.say.Data = goOn, ""
	}
	j.say.Tree, j.say.Last = j.name, true
	root, err := l.engine.Do(ctx, j.say)
	if r := (*engine.Refusal)(nil); errors.As(err, &r) {
		return work.Report{}, err
	} else if err != nil {
		return work.Report{Failed: err.Error()}, nil // the model does not exist, or has no key
	}
	for _, err := range l.engine.Watch(ctx, root, l.engine.Recorded(root)) {
		if err == nil && j.beat != nil {
			err = j.beat()
		}
		if err != nil {
			return work.Report{}, err
		}
	}
	if err := l.engine.Wait(root); err != nil {
		return work.Report{}, err
	}
	if t, err = l.talks.Open(ctx, j.name); err == nil {
		path, err = l.store.Path(ctx, t.Head)
	}
	if err != nil {
		return work.Report{}, err
	}
	// Only the last message counts; earlier ones belong to an earlier attempt.
	since, _ := since(path, said)
	r, over := reportOf(since)
	if !over && ctx.Err() == nil {
		return r, fmt.Errorf("the turn of %s was stopped", j.name)
	}
	return r, context.Cause(ctx)
}

// since returns the nodes after a message, and false if it is not on the path.
func since(path []tree.Node, text string) ([]tree.Node, bool) {
	for i, n := range slices.Backward(path) {
		if s, ok := talk.SayKind.Of(n); ok && s.Text == text {
			return path[i+1:], true
		}
	}
	return nil, false
}

// mostRefused is how many refusals of an attempt are reported.
const mostRefused = 5

// reportOf is the result of an agent; over is false if it has not ended, or was interrupted. Costs and refusals of an
// interrupted turn count, too.
func reportOf(nodes []tree.Node) (r work.Report, over bool) {
	for _, spent := range spending.Spent(nodes) {
		r.Usage = r.Usage.Add(spent.Usage)
	}
	for _, j := range talk.JudgeKind.All(nodes) {
		refused := j.Verdict == "deny" || j.Verdict == "ask" && (j.Answer == "" || j.Answer == "deny") && !j.Began
		if what := j.Tool + ": " + j.Reason; refused && len(r.Refused) < mostRefused && !slices.Contains(r.Refused, what) {
			r.Refused = append(r.Refused, what)
		}
	}
	replies := talk.ReplyKind.All(nodes)
	if len(replies) == 0 {
		return r, false
	}
	last := replies[len(replies)-1]
	r.Said = last.Message.Text()
	switch last.State {
	case talk.Done:
	case talk.Interrupted:
		return r, false
	default:
		r.Failed, r.Away = last.Reason, slices.Contains(outOfReach, last.Kind)
	}
	return r, true
}

// outOfReach are the failures that do not depend on the request: the next one would fail in the same way.
var outOfReach = []trouble.Kind{trouble.Auth, trouble.Quota, trouble.RateLimit, trouble.Overloaded, trouble.Network}
