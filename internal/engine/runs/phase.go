package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// phase is one phase of a run, before its plan is executed. It is made again for each round.
type phase struct {
	*Library
	root     tree.ID
	status   work.Status
	budget   *budget.Budget
	feedback string // of a person, on the earlier result of the phase
}

func (ph *phase) add(ctx context.Context, n tree.Node) error {
	_, err := ph.store.Append(ctx, n)
	return err
}

// ask asks a model in the conversation of a phase; the model may read the project, and write nothing. An answer that
// was recorded before a crash is not asked for again: see runTurn.
func (ph *phase) ask(ctx context.Context, p way.Phase, page, text, data string) (string, error) {
	m := ph.status.Way.Manner(p)
	model, err := ph.wiring.Model(ctx, m.Model)
	if err != nil {
		return "", err
	}
	if text, err = passHooks(ctx, ph.Library, ph.root, ph.status.Frame, p, true, text); err != nil {
		return "", err
	}
	r, err := ph.runAgent(ctx, agentJob{name: ph.status.Frame.Run + "-" + string(p), dir: ph.status.Frame.Dir, say: turns.Say{Text: text,
		Data: data, Model: model, Phase: page, Effort: m.Effort, Only: m.Without(ph.wiring.Reads), Limits: turns.Limits{Timeout: m.Timeout},
		Budget: ph.budget}, idle: m.Idle})
	// A phase that was stopped has not failed, whatever its last message is.
	if err == nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	} else if err == nil && r.Failed != "" {
		err = errors.New(r.Failed)
	}
	if err != nil {
		return "", err
	}
	return passHooks(ctx, ph.Library, ph.root, ph.status.Frame, p, false, strings.TrimSpace(r.Said))
}

// requested returns what was asked for, in its refined form if there is one, and the data given with it.
func (ph *phase) requested(ctx context.Context) (text, data string, err error) {
	text = ph.status.Frame.Asked
	if r := ph.status.Refined; r != nil {
		if text, err = ph.store.Named(ctx, r.Text); err != nil {
			return "", "", err
		}
	}
	if ph.status.Frame.Data != "" {
		data, err = ph.store.Named(ctx, ph.status.Frame.Data)
	}
	return text, data, err
}

// refine clarifies what was asked for. If that fails, the original text is used: a better question is worth a try, but
// no run should end because there is none.
func (ph *phase) refine(ctx context.Context) error {
	_, data, err := ph.requested(ctx)
	if err != nil {
		return err
	}
	text := ph.status.Frame.Asked
	if ph.feedback != "" {
		text, data = ph.feedback, ""
	}
	said, err := ph.ask(ctx, way.Refine, "refiner", text, data)
	if err != nil && ctx.Err() != nil {
		return err
	}
	out := way.Refined{Talk: ph.status.Frame.Run + "-" + string(way.Refine)}
	if err != nil {
		out.Failed = err.Error()
	} else if said == "" {
		out.Failed = "the answer is empty"
	}
	if out.Failed != "" {
		said = ph.status.Frame.Asked
	}
	if out.Text, err = ph.keep(ctx, said); err != nil {
		return err
	}
	return ph.add(ctx, way.RefineKind.New(ph.root, "code", out))
}

// answerAsPlan asks for the plan as an answer: the planner writes no file here.
const answerAsPlan = `

Nobody can be asked, and nothing can be written here. Answer with the text of plan.md, from its first line to its last, and
nothing else. No step names a steering file (AGENTS.md, settings of agents, editors or git): agents may not write it. A step
that changes how checks run waits for a person. A step that repairs a fault has the line "- fixes: yes". A check is one command in
backquotes, without a shell: no pipes, quotes or variables.
`

// plan has the plan written. Faults that code finds go back to the planner once.
func (ph *phase) plan(ctx context.Context) error {
	text, data, err := ph.plannerRequest(ctx)
	if err != nil {
		return err
	}
	name := ph.status.Frame.Run + "-" + string(way.Plan)
	// The second time with the faults; a planner that fails twice needs a person.
	for range 2 {
		said, aerr := ph.ask(ctx, way.Plan, "planner", text, data)
		if aerr != nil {
			return aerr
		}
		err = ph.addVersion(ctx, ph.root, ph.status, planText(said), name, nil)
		w, ok := errors.AsType[*Wrong](err)
		if !ok {
			return err
		}
		w.Talk = name
		var list []string
		for _, f := range w.Faults[:min(len(w.Faults), 50)] {
			list = append(list, f.String())
		}
		text = "Code found these problems in the plan:\n\n- " + strings.Join(list, "\n- ") +
			"\n\nAnswer with the whole plan.md, repaired." + answerAsPlan
		data = ""
	}
	return err
}

// plannerRequest is the message to the planner.
func (ph *phase) plannerRequest(ctx context.Context) (text, data string, err error) {
	if ph.feedback != "" {
		left := ""
		for _, t := range ph.status.Merged() {
			left += fmt.Sprintf("Step %s (%s) is merged: it keeps its number and its text.\n", t.ID, t.Title)
		}
		now, err := ph.store.Named(ctx, ph.status.Planned.Text)
		return "Change the plan: " + ph.feedback + "\n\n" + left +
			"The plan as it is now is below. Answer with the whole of the new one." + answerAsPlan, now, err
	}
	if text, data, err = ph.requested(ctx); err != nil {
		return "", "", err
	}
	if text == "" {
		text = "Carry out what was decided."
	}
	if a := ph.status.Analyzed; a != nil {
		found, err := ph.store.Named(ctx, a.Text)
		if err != nil {
			return "", "", err
		}
		data = strings.TrimSpace(data + "\n\n" + found)
		text += "\n\nHow it is done was decided; the decision is below."
		text += mustAnswer(*a)
	}
	text += answerAsPlan
	if allow := ph.status.Way.Allow; len(allow) > 0 {
		text += "Commands that may be checks, word by word: " + strings.Join(allow, "; ") + "\n"
	}
	return text, data, nil
}

// Owed tells the model of a conversation what a plan must address that executes a debate's decision.
func (l *Library) Owed(ctx context.Context, name, room string) (conversation.Remark, error) {
	a, err := l.decided(ctx, room)
	return conversation.Remark{Tree: name, Role: "user", Title: "what the plan must answer", Text: strings.TrimSpace(mustAnswer(a))}, err
}

// mustAnswer tells a planner which points of a decision the plan must address.
func mustAnswer(a way.Analyzed) string {
	var b strings.Builder
	if a.Room != "" {
		fmt.Fprintf(&b, "\n\nThe plan carries out what the debate %[1]s decided. Write \"- decision: %[1]s\" at its head.", a.Room)
	}
	if len(a.Points) == 0 {
		return b.String()
	}
	b.WriteString("\n\nThe plan must answer each of these, by its id: in the line \"- claims: ID, ID\" of a step that acts on it, " +
		"or under \"## Not in this plan\" as \"- ID: why\".\n\n")
	for _, p := range a.Points {
		fmt.Fprintf(&b, "- %s (%s): %s\n", p.ID, p.Kind, p.Text)
	}
	return b.String()
}

// planText extracts the plan from an answer: models like to put a fence around it, or a sentence before it.
func planText(text string) string {
	if i := strings.Index(text, "# Plan"); i >= 0 {
		text = text[i:]
	}
	if i := strings.LastIndex(text, "\n```"); i >= 0 && strings.Count(text, "\n```")%2 == 1 { // a fence around all of it
		text = text[:i]
	}
	return strings.TrimSpace(text) + "\n"
}

// Reword replaces the result of the last phase of a run by a person's text: a request, or an analysis by one model. A plan is changed by
// Plan, which lets code check it; a panel's decision cannot be changed.
type Reword struct{ Run, Text string }

// Do implements engine.Op.
func (op Reword) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	text := strings.TrimSpace(l.store.Clean(op.Text))
	if text == "" {
		return root, &engine.Refusal{Message: "the text is empty: nothing was changed"}
	}
	hash, err := l.keep(ctx, text)
	if err != nil {
		return root, err
	}
	var n tree.Node
	switch p := s.Behind(); {
	case p == way.Refine:
		n = way.RefineKind.New(root, "person", way.Refined{Text: hash, Talk: s.Refined.Talk})
	case p == way.Analyze && s.Analyzed.Room == "":
		n = way.AnalyzeKind.New(root, "person", way.Analyzed{Talk: s.Analyzed.Talk, Text: hash, Points: pointsOf(text)})
	case p == way.Analyze:
		return root, &engine.Refusal{Message: "a panel's decision cannot be edited", Hint: "say what to change, and it debates again"}
	default:
		return root, &engine.Refusal{Message: "run " + op.Run + " has nothing to edit yet"}
	}
	_, err = l.store.Append(ctx, n)
	return root, err
}
