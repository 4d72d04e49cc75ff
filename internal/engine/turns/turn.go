package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// turn is the answer to what was said, while it is made.
type turn struct {
	*trail
	speaker
	op       Say
	set      map[string]string
	newBrief *tree.Node
	began    time.Time
	seq      int64
	files    files
	added    added
	inbox    inbox
	fetching fetching
	lookout  *SteerWatch
}

// turn makes one that is at the head of its branch.
func (l *Library) turn(op Say, t conversation.Tree) *turn {
	at := &trail{lib: l, t: t, at: t.Head, aside: op.Aside}
	return &turn{trail: at, op: op, speaker: speaker{trail: at}, files: files{trail: at}, added: added{trail: at}, inbox: inbox{trail: at}}
}

// speaker is the model of a turn, with what it is told, may use and has cost.
type speaker struct {
	*trail
	spec      string // as set, with the phase's tier where that is left open
	model     llm.Model
	phase     phase.Phase
	mode      permission.Mode
	readsOnly bool // the mode would allow changes, but the model makes none
	tools     []tool.Tool
	system    string
	dir       string // where it works
	budget    *budget.Budget
	calls     int
	used      llm.Usage // by the answer whose tools run
	lost      llm.Usage // by calls that failed
	cut       string    // what it had said when it was broken off
}

// toolCalls is how many tools one turn may call; the loop guard and the limits of the person end it sooner.
const toolCalls = 500

// equip finds model, phase, tools and system prompt.
func (w *turn) equip(ctx context.Context, path []tree.Node) (err error) {
	work := w.lib.wiring
	if w.set["model"] == "" {
		return &engine.Refusal{Message: "no model given", Hint: "choose one with --model; list them: socrates seats"}
	}
	if w.phase, err = work.Phase(w.t.Dir, cmp.Or(w.set["phase"], "chat")); err != nil {
		return err
	}
	w.spec = work.answers(w.set["model"], w.phase)
	if w.model, err = w.lib.answering(ctx, w.t.Root, w.spec); err != nil {
		return err
	}
	w.mode = permission.Mode(cmp.Or(w.set["mode"], string(permission.Balanced)))
	if w.phase.Mode != "" {
		w.mode = w.mode.Stricter(permission.Mode(w.phase.Mode))
	}
	if w.model.Info().Acts { // its own tools only read
		w.readsOnly, w.mode = w.mode != permission.Plan, permission.Plan
	}
	if err := w.added.extend(ctx, w.op.Bare); err != nil {
		return err
	}
	var names []string
	for _, one := range append(slices.Clip(work.Tools), w.added.extension.Tools...) {
		if w.phase.Allows(one.Name) && (len(w.op.Only) == 0 || anyGlob(w.op.Only, one.Name)) {
			w.tools = append(w.tools, w.hooked(permission.Guarded(one, w.policy)))
			names = append(names, one.Name)
		}
	}
	if err := w.brief(ctx, path, names); err != nil {
		return err
	}
	if more := talk.System(path); more != "" {
		w.system += "\n\n" + more
	}
	return nil
}

// brief takes the system prompt that holds on the path, or has a new one written where phase or mode have changed.
func (w *turn) brief(ctx context.Context, path []tree.Node, tools []string) error {
	for _, n := range slices.Backward(path) {
		b, ok := talk.BriefKind.Of(n)
		if !ok {
			continue
		}
		if b.Phase != w.phase.Name || b.Mode != string(w.mode) || b.Bare != w.op.Bare {
			break
		}
		var err error
		w.system, err = w.lib.store.Named(ctx, b.Text)
		return err
	}
	text, notes, err := w.lib.wiring.Brief(ctx, w.t.Dir, w.phase, w.mode, tools, w.op.Bare)
	if err != nil {
		return err
	}
	hash, err := w.lib.store.PutBlob(ctx, text)
	if err != nil {
		return err
	}
	if w.system = text; w.readsOnly {
		notes = append(notes, w.spec+" is read-only: it can answer, plan and review, but changes no files in any mode; for edits choose a model with an API key or a local one (socrates seats)")
	}
	n := talk.BriefKind.New("", "code", talk.Brief{Text: hash, Phase: w.phase.Name, Mode: string(w.mode), Bare: w.op.Bare, Notes: notes})
	w.newBrief = &n
	return nil
}

func anyGlob(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		pre, any := strings.CutSuffix(p, "*")
		return p == name || any && strings.HasPrefix(name, pre)
	})
}

// run answers, and records how it ended, whatever happens.
func (w *turn) run(ctx context.Context, j *engine.Job) error {
	w.began = time.Now()
	defer w.lib.core.Feed.Done(w.said)
	kept := context.WithoutCancel(ctx)
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(asContext(j.Stop, working), func() { cancel(errPerson) })
	defer stop()
	if w.op.Limits.Timeout > 0 {
		timer := time.AfterFunc(w.op.Limits.Timeout, func() { cancel(errTurnTime) })
		defer timer.Stop()
	}
	end, err := w.watched(working)
	if cause := context.Cause(working); err != nil && cause != nil {
		err = cause
	}
	if w.op.Last {
		w.lib.session(w.t.Root).Close()
	}
	if s := w.steered(kept); s != nil { // a background job, or a call that was broken off
		err = s
	}
	w.lib.rest(w.t.Root)
	r := talk.Reply{Model: w.spec, State: talk.Done, Turns: w.calls, MS: time.Since(w.began).Milliseconds()}
	if r.Usage = end.Usage.Add(w.lost); err == nil || r.Usage != (llm.Usage{}) {
		r.Answers = cmp.Or(end.Model, w.model.Info().ID)
	}
	if err == nil {
		r.Message = end.Message
		if end.Stop == llm.StopLength {
			r.State, r.Reason = talk.Limited, "the answer was cut off at the token limit"
		} else if end.Stop == llm.StopRefusal {
			r.State, r.Reason, r.Kind = talk.Failed, "the model refused to answer", llm.Refused
		}
	} else {
		r.State, r.Reason, r.Kind = ending(err)
		if r.State == talk.Failed { // a key or a setting may be another before the next try
			w.lib.warm(w.t.Root, warm{})
		}
		if w.cut != "" {
			r.Message = llm.AssistantText(w.cut)
		}
	}
	return w.end(kept, talk.ReplyKind.New("", w.model.Info().ID, r))
}

var (
	errPerson   = errors.New("stopped by you")
	errTurnTime = errors.New("timed out")
)

// asContext is a context that ends with stop, or with the one it is made from.
func asContext(stop <-chan struct{}, parent context.Context) context.Context {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		select {
		case <-stop:
			cancel()
		case <-parent.Done():
		}
	}()
	return ctx
}

// ending classes how a turn failed.
func ending(err error) (talk.State, string, llm.Kind) {
	var empty *budget.Empty
	switch {
	case errors.Is(err, errPerson), err == context.Canceled:
		return talk.Interrupted, errPerson.Error(), ""
	case errors.Is(err, context.Canceled): // it says what stopped it
		return talk.Interrupted, err.Error(), ""
	case errors.Is(err, errTurnTime), errors.Is(err, agent.ErrTurns):
		return talk.Limited, err.Error(), ""
	case errors.As(err, &empty):
		return talk.Limited, err.Error(), ""
	}
	if u, ok := errors.AsType[*Unkept](err); ok {
		return talk.Failed, u.Error(), NoSnapshot
	}
	if s, ok := errors.AsType[*Steering](err); ok {
		return talk.Failed, s.Error(), Steered
	}
	if n, ok := errors.AsType[*engine.NoCopy](err); ok {
		return talk.Failed, n.Error(), debate.NoCopyKind
	}
	e := llm.AsError(err)
	return talk.Failed, e.Error(), e.Kind
}

// watched is answer for any model. One that acts runs its own tools, which only read: its copy of the project and the
// project itself are compared afterwards.
func (w *turn) watched(ctx context.Context) (llm.End, error) {
	copied, err := w.copied(ctx)
	if err != nil {
		return llm.End{}, err
	}
	if !w.model.Info().Acts {
		return w.finished(ctx)
	}
	kept := context.WithoutCancel(ctx)
	before, ok, err := w.files.snap(kept, "before")
	if err != nil {
		err = w.files.without(ctx, err)
	}
	if err != nil {
		return llm.End{}, err
	}
	end, err := w.answer(ctx)
	if copied != nil && err == nil {
		err = w.untouched(kept, copied, end)
	}
	if !ok {
		return end, err
	}
	after, _, lost := w.files.snap(kept, "after")
	if lost != nil {
		return end, errors.Join(err, w.add(kept, unkept("cannot tell whether files changed: ", lost)))
	}
	was, _ := talk.SnapKind.Of(before)
	is, _ := talk.SnapKind.Of(after)
	if was.Tree == is.Tree {
		return end, err
	}
	if lost := w.add(kept, before, after); lost != nil {
		return end, errors.Join(err, lost)
	}
	w.cut = end.Message.Text()
	return end, &llm.Error{Kind: llm.Refused, Message: "project files changed while a read-only model answered; undo reverts them"}
}

// answer runs the agent over the path. Where the conversation has become too long for the model it is summed up, once.
func (w *turn) answer(ctx context.Context) (llm.End, error) {
	for tries := 0; ; tries++ {
		path, err := w.lib.store.Path(ctx, w.here())
		if err != nil {
			return llm.End{}, err
		}
		if w.budget == nil {
			w.budget = budget.New(w.op.Limits.USD, w.op.Limits.Tokens, nil)
		}
		messages := talk.View(path)
		if w.tooLong(messages) && tries == 0 {
			if err := w.compact(ctx, path); err != nil {
				return llm.End{}, err
			}
			continue
		}
		end, err := w.loop(ctx, messages)
		if e := (*llm.Error)(nil); errors.As(err, &e) && e.Kind == llm.Context && tries < 2 {
			path, perr := w.lib.store.Path(ctx, w.here())
			if perr == nil {
				perr = w.compact(ctx, path)
			}
			if perr == nil {
				continue
			}
		}
		return end, err
	}
}

func (w *turn) agent() agent.Agent {
	a := agent.Agent{Name: w.t.Name, System: w.system, Dir: w.dir, Model: w.model, Tools: w.tools, Calls: toolCalls, Turns: w.op.Limits.Turns,
		Schema: w.op.Schema, Effort: w.op.Effort, Session: "tree/" + w.t.Name + "/" + w.t.Branch, MaxTokens: w.longest()}
	a.Reserve = func(req llm.Request) (func(llm.Usage), error) {
		w.calls++
		return w.budget.Reserve(w.model.Info(), req)
	}
	a.Env = w.env
	a.Inbox = func() ([]llm.Message, error) { return w.inbox.read(context.Background()) }
	return a
}

// longest bounds one answer, so that what it may cost can be reserved.
func (w *speaker) longest() int {
	if out := w.model.Info().Output; out > 0 {
		return min(out, 32_000)
	}
	return 16_000
}

// loop is one run of the agent; every exchange is recorded as it happens.
func (w *turn) loop(ctx context.Context, messages []llm.Message) (llm.End, error) {
	var text strings.Builder
	begun := time.Now()
	for step, err := range w.agent().Run(ctx, messages) {
		if err != nil {
			w.cut, w.lost = text.String(), w.lost.Add(agent.Took(err))
			return llm.End{}, err
		}
		switch {
		case step.End != nil:
			return *step.End, w.whole(ctx, *step.End, begun)
		case step.Called != nil:
			w.used = step.Usage
			if err := w.called(ctx, *step.Called, begun); err != nil {
				return llm.End{}, err
			}
		case step.Begun != nil:
			w.publish("running", brief(*step.Begun), text.String())
		case step.Exchange != nil:
			text.Reset()
			if err := w.record(ctx, step, begun); err != nil {
				return llm.End{}, err
			}
			begun = time.Now()
		case step.Heard != nil:
			if err := w.inbox.heard(ctx); err != nil {
				return llm.End{}, err
			}
		case step.Delta != nil:
			w.delta(step.Delta, &text)
		}
	}
	return llm.End{}, &llm.Error{Kind: llm.Malformed, Message: "the response was cut off"}
}

func (w *speaker) delta(d *llm.Delta, text *strings.Builder) {
	text.WriteString(d.Text)
	state, note := "writing", ""
	switch {
	case d.Retry != nil:
		state, note = "waiting", fmt.Sprintf("try %d failed: %s", d.Retry.Attempt, d.Retry.Err.Message)
	case d.Call != nil:
		state, note = "calling", brief(*d.Call)
	case d.Note != "":
		state, note = "reading", d.Note
	case d.Think != "":
		state = "thinking"
	}
	w.publish(state, note, text.String())
}

// brief is a call in a few words.
func brief(c llm.Call) string { return strings.TrimSpace(c.Name + " " + c.Gist()) }

// whole records a final answer where looking at files or asking hooks comes before the turn ends.
func (w *turn) whole(ctx context.Context, end llm.End, begun time.Time) error {
	if !w.model.Info().Acts && len(w.added.extension.Hooks.Hooks) == 0 {
		return nil
	}
	return w.called(ctx, end, begun)
}

// called records an answer before anything is done about it.
func (w *speaker) called(ctx context.Context, end llm.End, begun time.Time) error {
	return w.add(context.WithoutCancel(ctx), talk.CalledKind.New("", w.model.Info().ID,
		talk.Called{Message: end.Message, Model: w.model.Info().ID, Usage: end.Usage, MS: time.Since(begun).Milliseconds()}))
}

// record keeps an exchange, and the state of the files if a call may have changed them.
func (w *turn) record(ctx context.Context, step agent.Step, begun time.Time) error {
	kept := context.WithoutCancel(ctx)
	derived := w.derived(step.Ran)
	if w.brought.Load() { // all calls have ended
		w.saw()
	}
	x := talk.Exchange{Messages: step.Exchange, Model: w.model.Info().ID, Usage: w.used, MS: time.Since(begun).Milliseconds()}
	for _, ran := range step.Ran {
		s := talk.Show{Call: ran.Call.ID, Line: ran.Output.Show, Diff: ran.Output.Diff, Wrote: ran.Output.Wrote, MS: ran.Took.Milliseconds(), Failed: ran.Err != nil}
		if ran.Err != nil {
			s.Line = ran.Call.Name + ": " + ran.Err.Error()
		}
		x.Shows = append(x.Shows, s)
		if ran.Output.Whole != "" {
			hash, err := w.lib.store.PutBlob(kept, ran.Output.Whole)
			if err != nil {
				return err
			}
			if x.Whole == nil {
				x.Whole = map[string]string{}
			}
			x.Whole[ran.Call.ID] = hash
		}
	}
	nodes := []tree.Node{talk.ExchangeKind.New("", w.model.Info().ID, x)}
	if w.files.take() {
		nodes = append(nodes, w.files.after(kept)...)
	}
	if err := w.add(kept, nodes...); err != nil {
		return err
	}
	if err := w.fetched(derived); err != nil {
		return err
	}
	return w.steered(kept)
}

// env is where a call runs, and what decides about it.
func (w *turn) env(c llm.Call, one tool.Tool) tool.Env {
	gate := w.gate(c.ID)
	env := tool.Env{Dir: w.t.Dir, Call: c.ID, Inner: w.lib.wiring.inner(w.t.Dir), Session: w.lib.session(w.t.Root), Script: &tool.Session{}, Keep: w.keep, Out: func(text string) { w.publish("printing", brief(c), text) }}
	if w.lib.wiring.Attended {
		env.Ask = w.question
	}
	if folder := w.lib.wiring.SkillFolder; folder != nil {
		env.SkillFolder = func(ctx context.Context, file string) (string, bool) { return folder(ctx, w.t.Dir, file) }
	}
	p := w.policy()
	env.Hides = p.Hides()
	if len(p.Fetched)+len(p.Abroad) > 0 {
		env.Outside = p.FromOutside
	}
	if len(p.Fetched) > 0 {
		w.fetching.mayCommit(w.t.Dir, one.Name, p)
	}
	pass := gate.Call(one.Name)
	env.Allow = pass.Allow
	if w.lib.wiring.Guard.Confine != nil {
		env.Start = w.confined(pass, env.Session, env.Script)
	}
	return env
}

func (w *turn) policy() permission.Policy {
	p, err := w.lib.wiring.Guard.Policy(w.t.Dir, w.mode)
	if err != nil { // rules that cannot be read allow nothing
		return permission.Policy{Mode: permission.Plan}
	}
	p.Grants = append(p.Grants, w.lib.granted(w.t.Root)...)
	p.Only, p.Sees = w.phase.Writes, w.strangers()
	return p
}
