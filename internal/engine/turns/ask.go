package turns

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Answer answers a turn's question: about a permission (once, session, project or deny, with a reason) or from a tool.
// It is recorded whether or not anybody is still waiting; the first answer to a question counts.
type Answer struct {
	To     tree.ID // the node of the question
	Choice string
	Reason string
}

// Do implements engine.Op.
func (op Answer) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	asks, err := l.store.Node(ctx, op.To)
	if err != nil {
		return "", engine.NotFound("question "+string(op.To), "", err)
	}
	root, err := l.store.Root(ctx, op.To)
	if err != nil {
		return "", err
	}
	n := asking.AnswerKind.New(asks.ID, "person", asking.Answered{Choice: op.Choice, Reason: op.Reason})
	_, err = l.store.Append(ctx, n)
	return root.ID, err
}

// recordDecision records every decision about a call. A grant that lasts is stored outside the tree, so that no way through the tree
// brings it back.
func (w *turn) recordDecision(call string) func(context.Context, permission.Request, permission.Answer, []permission.Grant) error {
	return func(ctx context.Context, r permission.Request, a permission.Answer, given []permission.Grant) error {
		d := r.Decision
		j := talk.Judged{Call: call, Tool: r.Tool, Acts: r.Acts, Verdict: string(d.Verdict), Reason: d.Reason, Rule: d.Rule,
			Answer: a.Choice, Because: a.Reason, Began: d.Verdict == permission.Ask && d.Waits()}
		let := j.Let()
		// Only what actually happens can bring in text or change something.
		j.Brings, j.Alters = let && d.Brings(), let && d.Alters()
		n := talk.JudgeKind.New("", "code", j)
		for _, g := range given {
			if g.Scope == "project" {
				file, project, err := w.lib.wiring.Guard.grantFile(w.t.Dir)
				if err == nil {
					err = file.Add(project, g)
				}
				if err != nil {
					return err
				}
			} else {
				w.lib.grant(w.t.Root, g)
			}
		}
		if j.Brings {
			w.broughtUntrusted.Store(true)
		}
		if j.Brings || let && d.Leaves() && w.isTainted() { // the script of a model that read strangers' text is derived from that text
			w.fetching.begin(w.t.Dir, r.Tool, w.policy())
		}
		return w.add(context.WithoutCancel(ctx), n)
	}
}

// ask asks the person about a request and waits for the answer, from whichever process.
func (w *recorder) ask(ctx context.Context, r permission.Request) (permission.Answer, error) {
	d := r.Decision
	need := asking.NeedKind.New("", "code", asking.Need{Tool: r.Tool, Acts: r.Acts, Reason: d.Reason, Parts: shownParts(d, w.t.Dir)})
	a, err := w.waitFor(ctx, need)
	return permission.Answer{Choice: a.Choice, Reason: a.Reason}, err
}

// shownParts are the parts as the person is shown them: files of the project as seen from there, and invisible
// characters written as their numbers.
func shownParts(d permission.Decision, dir string) (out []asking.Part) {
	for _, p := range d.Parts {
		shown := clean.Reveal
		if rel, err := filepath.Rel(dir, p.Act.Path); err == nil && p.Act.Path != "" && filepath.IsLocal(rel) && rel != "." {
			shown = func(text string) string { return clean.Reveal(strings.ReplaceAll(text, p.Act.Path, rel)) }
		}
		n := asking.Part{Text: shown(p.Text), Asked: p.Verdict == permission.Ask, Reason: shown(p.Reason), Lost: p.Lost,
			Leaves: p.Leaves, Sends: p.Sends, Covers: shown(p.Covers())}
		for _, path := range p.Elsewhere() {
			n.Paths = append(n.Paths, clean.Reveal(path))
		}
		out = append(out, n)
	}
	return out
}

// question asks the person a tool's question.
func (w *recorder) question(ctx context.Context, q tool.Question) (string, error) {
	a, err := w.waitFor(ctx, asking.NeedKind.New("", "code", asking.Need{Question: &q}))
	return a.Choice, err
}

func (w *recorder) waitFor(ctx context.Context, need tree.Node) (asking.Answered, error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	if ctx.Err() != nil {
		return asking.Answered{}, context.Cause(ctx)
	}
	if err := w.add(context.WithoutCancel(ctx), need); err != nil {
		return asking.Answered{}, err
	}
	w.publish("waiting", "for you", "")
	defer func(since time.Time) { w.waited.Add(int64(time.Since(since))) }(time.Now())
	tick := time.NewTicker(engine.PollEvery)
	defer tick.Stop()
	stored, err := w.lib.store.Node(ctx, need.ID)
	if err != nil {
		return asking.Answered{}, err
	}
	for after := stored.Seq; ; {
		// Answers from other processes are found by the ticker, since nobody need follow this engine.
		changed := w.lib.core.Feed.Wait()
		for n, err := range w.lib.store.Since(context.WithoutCancel(ctx), after, w.t.Root) {
			if err != nil {
				return asking.Answered{}, err
			}
			after = n.Seq
			if a, ok := asking.AnswerKind.Of(n); ok && n.Parent == need.ID {
				w.publish("running", "", "")
				return a, nil
			}
		}
		select {
		case <-ctx.Done():
			return asking.Answered{}, context.Cause(ctx)
		case <-changed:
		case <-tick.C:
		}
	}
}
