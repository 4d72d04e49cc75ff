package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Undecided means that the panel of an analysis reached no decision, so that a person has to decide. Few: fewer seats voted than a
// decision needs, as Why says; the debate is kept, and a resumed run holds another one instead.
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

// analyze finds out how to do the work: by a panel's debate, or by one model that answers in the same form.
func (ph *phase) analyze(ctx context.Context) error {
	text, data, err := ph.requested(ctx)
	if err != nil {
		return err
	}
	if ph.status.Way.Single {
		return ph.analyzeAlone(ctx, text, data)
	}
	// Recorded with the room's name as soon as the room is open, so that a resumed run continues this debate.
	a := way.Analyzed{Paid: true, Points: []plan.Point{}}
	if ph.feedback != "" {
		if data, err = ph.feedbackData(ctx, data); err != nil {
			return err
		}
	} else if ph.status.Analyzed != nil {
		// A debate in which too few voted stays as it is, and another one is held. Resuming it would ask nobody.
		if few, err := ph.lacksVotes(ctx, ph.status.Analyzed.Room); err != nil {
			return err
		} else if few == nil {
			a = *ph.status.Analyzed
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
	if few, err := ph.lacksVotes(ctx, a.Room); err != nil {
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
		text, err = passHooks(ctx, ph.Library, ph.root, ph.status.Frame, way.Analyze, false, text)
	}
	if err != nil {
		return err
	}
	if done.Text, err = ph.keep(ctx, text); err != nil {
		return err
	}
	return ph.add(ctx, way.AnalyzeKind.New(ph.root, "code", done))
}

// lacksVotes describes the missing votes of a debate that has ended; nil: none are missing, it continues, or a person decided it.
func (ph *phase) lacksVotes(ctx context.Context, room string) (*Undecided, error) {
	if room == "" {
		return nil, nil
	}
	res, err := rooms.Named(ctx, ph.rooms, room)
	if err != nil {
		return nil, err
	}
	voted, need := res.Panel.Voted+res.Panel.Abstained, min(ph.status.Way.MinSeats, res.Panel.Seats)
	if !res.Ended || res.Ruling != nil || voted >= need {
		return nil, nil
	}
	var lost []string // the seats that did not vote, with the reasons
	for _, s := range res.Seats {
		if s.Status != "voted" && s.Status != "abstained" {
			lost = append(lost, s.ID+": "+strings.TrimRight(strings.Join(strings.Fields(s.Reason), " "), "."))
		}
	}
	return &Undecided{Room: res.Room, Few: true, Why: fmt.Sprintf(
		"%d of %d seats of debate %s voted, and work.analyze.min_seats requires %d (%s)",
		voted, res.Panel.Seats, res.Room, need, strings.Join(lost, "; "))}, nil
}

// feedbackData is the data for a panel that debates again: the earlier data, the earlier result, and the person's comment on it.
func (ph *phase) feedbackData(ctx context.Context, data string) (string, error) {
	was, err := ph.store.Named(ctx, ph.status.Analyzed.Text)
	return strings.TrimSpace(data + "\n\n## What was decided before\n\n" + was +
		"\n\n## What the person says about it\n\n" + ph.feedback), err
}

// debate opens the debate of an analysis, or resumes it.
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
	if question, err = passHooks(ctx, ph.Library, ph.root, ph.status.Frame, way.Analyze, true, question); err != nil {
		return "", err
	}
	op, err := ph.wiring.Debate(ctx, ph.status.Frame.Dir, question, ph.status.Way)
	if err != nil {
		return "", err
	}
	if err := ph.limitToBudget(&op.Frame.Limits); err != nil {
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

// limitToBudget keeps a debate within the rest of the run's budget. If the run has no limit, the debate's own applies.
func (ph *phase) limitToBudget(l *table.Limits) error {
	o := ph.status.Options()
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

// decided returns the result of a debate as an analysis.
func (l *Library) decided(ctx context.Context, room string) (a way.Analyzed, err error) {
	res, err := rooms.Named(ctx, l.rooms, room)
	if err != nil {
		return a, err
	}
	if !res.Ended {
		return a, rooms.Unended(ctx, l.rooms, res.Room)
	}
	if !res.Outcome.Decision() {
		return a, &Undecided{Room: res.Room, Why: res.Why}
	}
	d := document.Of(res)
	a = way.Analyzed{Room: res.Room, Points: points(d)}
	a.Text, err = l.store.PutBlob(ctx, d.Markdown())
	return a, err
}

// points are what a plan must address of a decision: accepted claims, the dissent, and what would change it.
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

// pointLine matches a point in an analysis by one model.
var pointLine = pattern.Of(`(?m)^- +([cdf][0-9]+): +(.+)$`)

// kindOf is the kind of a point by the first letter of its id.
var kindOf = map[byte]string{'c': "accepted claim", 'd': "dissent", 'f': "what would flip it"}

// analyzeAlone asks one model for the analysis.
func (ph *phase) analyzeAlone(ctx context.Context, text, data string) error {
	if ph.feedback != "" {
		text, data = ph.feedback, ""
	}
	said, err := ph.ask(ctx, way.Analyze, "analyst", text, data)
	if err != nil {
		return err
	}
	a := way.Analyzed{Talk: ph.status.Frame.Run + "-" + string(way.Analyze), Points: pointsOf(said)}
	if a.Text, err = ph.keep(ctx, cmp.Or(said, "(nothing)")); err != nil {
		return err
	}
	return ph.add(ctx, way.AnalyzeKind.New(ph.root, "code", a))
}

// pointsOf returns the points that an analysis lists, one per line.
func pointsOf(text string) []plan.Point {
	points := []plan.Point{}
	for _, m := range pointLine().FindAllStringSubmatch(text, -1) {
		points = append(points, plan.Point{ID: m[1], Kind: kindOf[m[1][0]], Text: m[2]})
	}
	return points
}
