package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The limits of tasks. Their spending is reserved with the turn's own calls.
const (
	deepest   = 2  // how deeply tasks may give tasks
	mostTasks = 16 // in one turn of the person
	taskCalls = 80 // for its model
)

// topTurn is the person's turn that a task is part of: it asks the person, and saves the files.
func topTurn(w *turn) *turn {
	for w.parent != nil {
		w = w.parent
	}
	return w
}

// runTask lets a separate agent do a task that a call of w gives. The task is a branch that begins at w's current node,
// and its agent sees nothing of what came before; its report is the call's result. It may do no more than w. The result
// is for the model. What the task spends comes out of the turn's budget, whether or not it succeeds.
func runTask(ctx context.Context, w *turn, call string, task tool.Task) (tool.Output, error) {
	switch {
	case strings.TrimSpace(task.Prompt) == "":
		return tool.Output{}, errors.New("prompt is empty: say what is to be done, and all it needs to know")
	case w.depth >= deepest:
		return tool.Output{}, fmt.Errorf("tasks can be nested %d deep: do this one yourself", deepest)
	case w.tasks.Add(1) > mostTasks:
		return tool.Output{}, fmt.Errorf("%d tasks were given in this turn, which is the limit: do the rest yourself", mostTasks)
	}
	c, err := beginTask(ctx, w, call, task)
	if err != nil {
		return tool.Output{}, err
	}
	defer c.taskSession.Close()
	end, err := c.answer(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	uncancelled := context.WithoutCancel(ctx)
	lost := c.end(uncancelled, talk.ReplyKind.New("", c.model.Info().ID, replyOf(c, end, err)))
	if s, ok := errors.AsType[*Steering](err); ok { // it ends the turn, too
		w.steerWatch.Put(s.Changes)
	}
	// The report may repeat what the task has read.
	if c.isTainted() && !w.isTainted() {
		w.broughtUntrusted.Store(true)
		lost = errors.Join(lost, w.add(uncancelled, talk.JudgeKind.New("", "code", talk.Judged{Call: call, Tool: "task", Verdict: "allow",
			Brings: true, Reason: "the task has read untrusted text"})))
	}
	if err = errors.Join(err, lost); err != nil {
		return tool.Output{}, fmt.Errorf("the task ended early: %w; its branch is %s; its output until then:\n%s",
			err, c.t.Branch, c.partial)
	}
	took := fmt.Sprintf("%d model calls, branch %s", c.calls, c.t.Branch)
	if c.calls == 1 {
		took = "1 model call, branch " + c.t.Branch
	}
	return tool.Output{Text: strings.TrimSpace(c.answerStart+end.Message.Text()) + "\n[task: " + took + "]\n", Show: "task: " + took}, nil
}

// beginTask begins the branch of a task.
func beginTask(ctx context.Context, w *turn, call string, task tool.Task) (*turn, error) {
	op := Say{Tree: w.t.Name, Text: task.Prompt, Only: w.op.Only, Effort: w.op.Effort, Bare: w.op.Bare,
		Limits: Limits{Turns: taskCalls}, Budget: w.allowance()}
	if task.Reads {
		op.Only = readOnlyTools(w)
	}
	t, at, said := w.t, w.here(), tree.NewID()
	t.Branch, t.Head = "task-"+string(said[len(said)-5:]), at
	c := w.lib.turn(op, t)
	c.recorder.at, c.recorder.inTask, c.recorder.said = at, true, topTurn(w).said
	c.parent, c.depth, c.tasks, c.taskSession = w, w.depth+1, w.tasks, &tool.Session{}
	// One watch for the turn and its tasks: their programs run at the same time.
	c.steerWatch, c.began = w.steerWatch, time.Now()
	c.tainted.Store(w.isTainted())
	c.settings = maps.Clone(w.settings)
	c.settings["mode"], c.settings["phase"] = string(w.mode), cmp.Or(task.Role, w.phase.Name)
	var err error
	if c.settings["model"], err = taskModel(w, task); err != nil {
		return nil, err
	}
	if err = c.equip(ctx, nil); err != nil {
		return nil, err
	}
	if c.model.Info().Acts {
		return nil, fmt.Errorf("%s uses its own tools and accepts no tasks: name another model", c.spec)
	}
	// A role's page may allow more than the turn's phase does; the narrower one applies.
	if len(w.phase.Writes) > 0 {
		c.phase.Writes = w.phase.Writes
	}
	if c.seq, err = w.lib.store.Version(ctx); err != nil {
		return nil, err
	}
	c.inbox.taken = c.seq
	if _, err = w.lib.engine.Do(ctx, conversation.Branch{Tree: t.Name, Name: t.Branch, At: string(at), Stay: true}); err != nil {
		return nil, err
	}
	begins := talk.SayKind.New("", w.model.Info().ID, talk.Said{Text: task.Prompt, Task: call})
	return c, c.add(ctx, begins, margin.SetKind.New("", "code", margin.Set{Key: "phase", Value: c.phase.Name}),
		margin.SetKind.New("", "code", margin.Set{Key: "model", Value: c.settings["model"]}), *c.newBrief)
}

// readOnlyTools returns the names of a turn's tools that change nothing.
func readOnlyTools(w *turn) (names []string) {
	for _, one := range w.allTools() {
		if (one.Effect == tool.Reads || one.Name == "todo") && one.In(w.op.Only) {
			names = append(names, one.Name)
		}
	}
	return names
}

// taskModel is the model a task asks for. It must be one of the vendor that sees the conversation already.
func taskModel(w *turn, task tool.Task) (string, error) {
	spec := w.settings["model"]
	vendor, _, _ := strings.Cut(spec, ":")
	switch {
	case task.Model != "":
		if of, _, _ := strings.Cut(task.Model, ":"); of != vendor {
			return "", fmt.Errorf("model %s belongs to another vendor; use one of %s, as %s:MODEL", task.Model, vendor, vendor)
		}
		return task.Model, nil
	case task.Tier == "" && task.Role != "": // its page may name a tier
		return spec, nil
	case task.Tier == "":
		return w.spec, nil
	case task.Tier != string(llm.Small) && task.Tier != string(llm.Mid) && task.Tier != string(llm.Big):
		return "", fmt.Errorf("tier must be small, mid or big, not %q", task.Tier)
	}
	return vendor + ":" + task.Tier, nil
}
