package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// phase is one phase of a run, before its plan is carried out.
// It is made again for each round.
type phase struct {
	*Library
	root     tree.ID
	s        work.Status
	budget   *budget.Budget
	feedback string // of a person, on what the phase came to before
}

// Undecided says that the panel of an analysis came to no decision, so that a person has to. Few: fewer seats voted than its decision
// needs, as Why says; the debate is kept, and a resumed run holds another one in its place.
type Undecided struct {
	Room, Why string
	Few       bool
}

// Error names the debate, which a person can read and decide from.
func (u *Undecided) Error() string {
	if u.Few {
		return u.Why
	}
	return "the panel of debate " + u.Room + " reached no decision: " + u.Why
}

func (ph *phase) add(ctx context.Context, n tree.Node) error {
	_, err := ph.store.Append(ctx, n)
	return err
}

// ask has a model answer in the conversation of a phase; it may read the project, and write nothing.
// An answer that was recorded before a crash is not asked for again: see agent.
func (ph *phase) ask(ctx context.Context, p way.Phase, page, text, data string) (string, error) {
	m := ph.s.Way.Manner(p)
	model, err := ph.wiring.Model(ctx, m.Model)
	if err != nil {
		return "", err
	}
	if text, err = pass(ctx, ph.Library, ph.root, ph.s.Frame, p, true, text); err != nil {
		return "", err
	}
	r, err := ph.agent(ctx, job{name: ph.s.Frame.Run + "-" + string(p), dir: ph.s.Frame.Dir, say: turns.Say{Text: text,
		Data: data, Model: model, Phase: page, Effort: m.Effort, Only: m.Without(ph.wiring.Reads), Limits: turns.Limits{Timeout: m.Timeout},
		Budget: ph.budget}, idle: m.Idle})
	// Who was stopped has not failed, whatever its last words are.
	if err == nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	} else if err == nil && r.Failed != "" {
		err = errors.New(r.Failed)
	}
	if err != nil {
		return "", err
	}
	return pass(ctx, ph.Library, ph.root, ph.s.Frame, p, false, strings.TrimSpace(r.Said))
}

// wanted is what was asked for, made clear if it was, and what was given with it.
func (ph *phase) wanted(ctx context.Context) (text, data string, err error) {
	text = ph.s.Frame.Asked
	if r := ph.s.Refined; r != nil {
		if text, err = ph.store.Named(ctx, r.Text); err != nil {
			return "", "", err
		}
	}
	if ph.s.Frame.Data != "" {
		data, err = ph.store.Named(ctx, ph.s.Frame.Data)
	}
	return text, data, err
}

// refine makes clear what was asked. Where that fails, what was asked is used as it is.
// A better question is worth trying, and no run should end for want of it.
func (ph *phase) refine(ctx context.Context) error {
	_, data, err := ph.wanted(ctx)
	if err != nil {
		return err
	}
	text := ph.s.Frame.Asked
	if ph.feedback != "" {
		text, data = ph.feedback, ""
	}
	said, err := ph.ask(ctx, way.Refine, "refiner", text, data)
	if err != nil && ctx.Err() != nil {
		return err
	}
	out := way.Refined{Talk: ph.s.Frame.Run + "-" + string(way.Refine)}
	if err != nil {
		out.Failed = err.Error()
	} else if said == "" {
		out.Failed = "the answer is empty"
	}
	if out.Failed != "" {
		said = ph.s.Frame.Asked
	}
	if out.Text, err = ph.keep(ctx, said); err != nil {
		return err
	}
	return ph.add(ctx, way.RefineKind.New(ph.root, "code", out))
}

// analyze finds out how to do it: a panel debates it, or one model says so in the same form.
func (ph *phase) analyze(ctx context.Context) error {
	text, data, err := ph.wanted(ctx)
	if err != nil {
		return err
	}
	if ph.s.Way.Single {
		return ph.alone(ctx, text, data)
	}
	// Recorded with the room's name as soon as that is open, so that a resumed run goes on with this debate.
	a := way.Analyzed{Paid: true, Points: []plan.Point{}}
	if ph.feedback != "" {
		if data, err = ph.again(ctx, data); err != nil {
			return err
		}
	} else if ph.s.Analyzed != nil {
		// A debate for which too few voted stays as it is, and another one is held. Resuming it would ask nobody.
		if few, err := ph.few(ctx, ph.s.Analyzed.Room); err != nil {
			return err
		} else if few == nil {
			a = *ph.s.Analyzed
		}
	}
	root, err := ph.debate(ctx, &a, text, data)
	if err != nil {
		return err
	}
	for _, err := range ph.engine.Watch(ctx, root, ph.engine.Recorded(root)) {
		if err != nil {
			return err
		}
	}
	if err := errors.Join(ph.engine.Wait(root), context.Cause(ctx)); err != nil {
		return err
	}
	if few, err := ph.few(ctx, a.Room); err != nil {
		return err
	} else if few != nil {
		return few
	}
	done, err := ph.decided(ctx, a.Room)
	if err != nil {
		return err
	}
	done.Paid = a.Paid
	text, err = ph.store.Named(ctx, done.Text)
	if err == nil {
		text, err = pass(ctx, ph.Library, ph.root, ph.s.Frame, way.Analyze, false, text)
	}
	if err != nil {
		return err
	}
	if done.Text, err = ph.keep(ctx, text); err != nil {
		return err
	}
	return ph.add(ctx, way.AnalyzeKind.New(ph.root, "code", done))
}

// few says how a debate that has ended lacks votes; nil: it does not, it goes on, or a person decided it.
func (ph *phase) few(ctx context.Context, room string) (*Undecided, error) {
	if room == "" {
		return nil, nil
	}
	root, err := ph.rooms.Room(ctx, room)
	if err != nil {
		return nil, err
	}
	res, err := ph.rooms.Result(ctx, root)
	if err != nil {
		return nil, err
	}
	voted, need := res.Panel.Voted+res.Panel.Abstained, min(ph.s.Way.MinSeats, res.Panel.Seats)
	if !res.Ended || res.Ruling != nil || voted >= need {
		return nil, nil
	}
	var lost []string // the seats that did not vote, each with why
	for _, s := range res.Seats {
		if s.Status != "voted" && s.Status != "abstained" {
			lost = append(lost, s.ID+": "+strings.TrimRight(strings.Join(strings.Fields(s.Reason), " "), "."))
		}
	}
	return &Undecided{Room: res.Room, Few: true, Why: fmt.Sprintf(
		"%d of %d seats of debate %s voted, and work.analyze.min_seats requires %d (%s)",
		voted, res.Panel.Seats, res.Room, need, strings.Join(lost, "; "))}, nil
}

// again is what a panel is given that debates once more: what it was given before, what that came to, and what a person says of it.
func (ph *phase) again(ctx context.Context, data string) (string, error) {
	was, err := ph.store.Named(ctx, ph.s.Analyzed.Text)
	return strings.TrimSpace(data + "\n\n## What was decided before\n\n" + was +
		"\n\n## What the person says about it\n\n" + ph.feedback), err
}

// debate opens the debate of an analysis, or goes on with it.
func (ph *phase) debate(ctx context.Context, a *way.Analyzed, text, data string) (_ tree.ID, err error) {
	if a.Room != "" {
		return ph.engine.Do(ctx, rooms.Resume{Room: a.Room})
	}
	question := text
	if !strings.HasSuffix(strings.TrimSpace(text), "?") {
		question = "How should this be done in this project? " + text
	}
	if data != "" {
		question = motion.With(question, data)
	}
	if question, err = pass(ctx, ph.Library, ph.root, ph.s.Frame, way.Analyze, true, question); err != nil {
		return "", err
	}
	op, err := ph.wiring.Debate(ctx, ph.s.Frame.Dir, question, ph.s.Way)
	if err != nil {
		return "", err
	}
	if err := ph.within(&op.Frame.Limits); err != nil {
		return "", err
	}
	root, err := ph.engine.Do(ctx, *op)
	if err != nil {
		return "", err
	}
	res, err := ph.rooms.Result(ctx, root)
	if err != nil {
		return "", err
	}
	a.Room = res.Room
	return root, ph.add(ctx, way.AnalyzeKind.New(ph.root, "code", *a))
}

// within keeps a debate within what is left of the run's budget.
// Without a limit of the run the debate's own holds.
func (ph *phase) within(l *table.Limits) error {
	o := ph.s.Options()
	usd, tokens := ph.budget.Left()
	if o.USD > 0 && usd == 0 || o.Tokens > 0 && tokens == 0 {
		return errors.New("the run's budget is used up")
	}
	if o.USD > 0 && (l.USD == 0 || usd < l.USD) {
		l.USD = usd
	}
	if o.Tokens > 0 && (l.Tokens == 0 || tokens < l.Tokens) {
		l.Tokens = tokens
	}
	return nil
}

// decided is what a debate came to, as an analysis.
func (l *Library) decided(ctx context.Context, room string) (a way.Analyzed, err error) {
	root, err := l.rooms.Room(ctx, room)
	if err != nil {
		return a, err
	}
	res, err := l.rooms.Result(ctx, root)
	if err != nil {
		return a, err
	}
	if !res.Ended {
		return a, &engine.Refusal{Message: "debate " + room + " has not ended", Hint: "resume it: socrates debate resume " + room}
	}
	if !res.Outcome.Decision() {
		return a, &Undecided{Room: res.Room, Why: res.Why}
	}
	d := document.Of(res)
	a = way.Analyzed{Room: res.Room, Points: points(d)}
	a.Text, err = l.store.PutBlob(ctx, d.Markdown())
	return a, err
}

// points are what a plan must answer of a decision: claims that were accepted, the dissent, and what would flip it.
func points(d document.Document) []plan.Point {
	list := []plan.Point{}
	for _, p := range d.Accepted {
		list = append(list, plan.Point{ID: p.Claim, Kind: "accepted claim", Text: strings.Join(strings.Fields(p.Text), " ")})
	}
	for _, p := range d.Dissent.Points {
		if p.Claim != "" {
			list = append(list, plan.Point{ID: p.Claim, Kind: "dissent", Text: strings.Join(strings.Fields(p.Text), " ")})
		}
	}
	for i, text := range d.Flip {
		list = append(list, plan.Point{ID: fmt.Sprintf("f%d", i+1), Kind: "what would flip it", Text: text})
	}
	return list
}

// pointLine is how an analysis by one model names a point.
var pointLine = pattern.Of(`(?m)^- +([cdf][0-9]+): +(.+)$`)

// kindOf is the kind of a point by the letter of its id.
var kindOf = map[byte]string{'c': "accepted claim", 'd': "dissent", 'f': "what would flip it"}

// alone has one model analyze.
func (ph *phase) alone(ctx context.Context, text, data string) error {
	if ph.feedback != "" {
		text, data = ph.feedback, ""
	}
	said, err := ph.ask(ctx, way.Analyze, "analyst", text, data)
	if err != nil {
		return err
	}
	a := way.Analyzed{Talk: ph.s.Frame.Run + "-" + string(way.Analyze), Points: pointsOf(said)}
	if a.Text, err = ph.keep(ctx, cmp.Or(said, "(nothing)")); err != nil {
		return err
	}
	return ph.add(ctx, way.AnalyzeKind.New(ph.root, "code", a))
}

// asPlan asks for the plan as an answer: whoever plans here writes no file.
const asPlan = `

Nobody can be asked, and nothing can be written here. Answer with the text of plan.md, from its first line to its last, and
nothing else. No step names a steering file (AGENTS.md, settings of agents, editors or git): agents may not write it. A step
that changes how checks run waits for a person. A step that repairs a fault has the line "- fixes: yes". A check is one command in
backquotes, without a shell: no pipes, quotes or variables.
`

// plan has the plan written. What code finds wrong with it goes back once.
func (ph *phase) plan(ctx context.Context) error {
	text, data, err := ph.request(ctx)
	if err != nil {
		return err
	}
	name := ph.s.Frame.Run + "-" + string(way.Plan)
	// The second time with what was wrong; a planner that errs twice needs a person.
	for range 2 {
		said, aerr := ph.ask(ctx, way.Plan, "planner", text, data)
		if aerr != nil {
			return aerr
		}
		err = ph.version(ctx, ph.root, ph.s, planText(said), name, nil)
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
			"\n\nAnswer with the whole plan.md, repaired." + asPlan
		data = ""
	}
	return err
}

// request is what a planner is told.
func (ph *phase) request(ctx context.Context) (text, data string, err error) {
	if ph.feedback != "" {
		left := ""
		for _, t := range ph.s.Merged() {
			left += fmt.Sprintf("Step %s (%s) is merged: it keeps its number and its text.\n", t.ID, t.Title)
		}
		now, err := ph.store.Named(ctx, ph.s.Planned.Text)
		return "Change the plan: " + ph.feedback + "\n\n" + left +
			"The plan as it is now is below. Answer with the whole of the new one." + asPlan, now, err
	}
	if text, data, err = ph.wanted(ctx); err != nil {
		return "", "", err
	}
	if text == "" {
		text = "Carry out what was decided."
	}
	if a := ph.s.Analyzed; a != nil {
		found, err := ph.store.Named(ctx, a.Text)
		if err != nil {
			return "", "", err
		}
		data = strings.TrimSpace(data + "\n\n" + found)
		text += "\n\nHow it is done was decided; the decision is below."
		text += answer(*a)
	}
	text += asPlan
	if allow := ph.s.Way.Allow; len(allow) > 0 {
		text += "Commands that may be checks, word by word: " + strings.Join(allow, "; ") + "\n"
	}
	return text, data, nil
}

// Owed tells the model of a conversation what a plan that carries a debate's decision out must answer.
func (l *Library) Owed(ctx context.Context, name, room string) (conversation.Remark, error) {
	a, err := l.decided(ctx, room)
	return conversation.Remark{Tree: name, Role: "user", Title: "what the plan must answer", Text: strings.TrimSpace(answer(a))}, err
}

// answer says to a planner which points of a decision a plan must answer.
func answer(a way.Analyzed) string {
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

// planText is the plan in an answer that may have said more.
// Models like to put a fence around it, or a sentence before it.
func planText(text string) string {
	if i := strings.Index(text, "# Plan"); i >= 0 {
		text = text[i:]
	}
	if i := strings.LastIndex(text, "\n```"); i >= 0 && strings.Count(text, "\n```")%2 == 1 { // the fence around all of it
		text = text[:i]
	}
	return strings.TrimSpace(text) + "\n"
}
