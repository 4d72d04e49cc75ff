package turns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// compactPrompt asks for a summary.
const compactPrompt = `Sum up the conversation so far for yourself, so that you can go on with the work from your summary alone.
Keep: what the person wants and has decided, in their words; what was found out, with file:line; what was changed, file by file;
what was run and how it came out; what failed and why; what is open and what comes next. Leave out how it was found.
Write what you know, not what you guess.`

// errNothing means that a summary would replace nothing.
var errNothing = errors.New("nothing to summarize")

// compact summarizes everything so far. The person's messages stay word for word, and messages after the model's last answer stay as they
// are. No answer of the model is kept: its reasoning would be valid only after the text that is gone.
func (w *turn) compact(ctx context.Context, path []tree.Node) error {
	from, to := 1, len(path)-1
	for from < len(path) && !isShown(path[from]) {
		from++
	}
	for to > from && !isAnswer(path[to]) {
		to--
	}
	// A single node is not worth a summary.
	if from >= to {
		return errNothing
	}
	told, err := w.added.compactHooks(ctx)
	if err != nil {
		return err
	}
	sum := material.Summary{From: path[from].ID, To: path[to].ID}
	if err := w.summary(ctx, path[:to+1], &sum); err != nil {
		return fmt.Errorf("compact the conversation: %w", err)
	}
	return w.add(context.WithoutCancel(ctx), append([]tree.Node{material.SummaryKind.New("", w.model.Info().ID, sum)}, told...)...)
}

// isAnswer reports whether a node is from the model, or adds the conclusion of another branch.
func isAnswer(n tree.Node) bool {
	switch n.Kind {
	case string(talk.ExchangeKind), string(talk.ReplyKind), string(material.MergeKind):
		return true
	}
	return false
}

// isShown reports whether a model sees a node.
func isShown(n tree.Node) bool {
	switch n.Kind {
	case string(talk.SayKind), string(talk.ExchangeKind), string(talk.ReplyKind),
		string(material.SummaryKind), string(material.MergeKind), string(material.AddKind),
		string(material.HandleKind), string(memory.RecallKind):
		return true
	}
	return false
}

// errNoSummary means that the answer is not a complete summary.
var errNoSummary = errors.New("the model's summary is incomplete")

// shorterPrompt is added to the prompt after a summary was cut or empty.
const shorterPrompt = "\nIt must be whole: at most 1,500 words, without calling a tool, and without thinking for long."

// summary asks the model for a summary. The request is the one that would have come next, with its tools, so that the vendor's cache is
// used; if the summary was cut, or the request does not fit, it is asked for again.
func (w *turn) summary(ctx context.Context, path []tree.Node, sum *material.Summary) error {
	w.publish("compacting", "summarizing the history", "")
	messages, prompt := w.attachments.sendable(ctx, w.model.Info(), view.Messages(path)), compactPrompt
	var err error
	// Five attempts bound the cost of a model that writes no summary.
	for range 5 {
		if sum.Text, err = w.sumUp(ctx, messages, prompt, &sum.Usage); err == nil {
			return nil
		}
		if e := (*trouble.Error)(nil); errors.As(err, &e) && e.Kind == trouble.Context {
			shorten(messages, bytesOf(messages)*2/3)
		} else if errors.Is(err, errNoSummary) && prompt == compactPrompt {
			prompt += shorterPrompt
		} else {
			break
		}
	}
	w.lostUsage = w.lostUsage.Add(sum.Usage)
	return err
}

// sumUp makes one attempt; its usage is added to used.
func (w *turn) sumUp(ctx context.Context, messages []llm.Message, prompt string, used *cost.Usage) (string, error) {
	a := w.agent(ctx)
	// The tools are listed, for the vendor's cache, but none may be called.
	a.Calls, a.Turns, a.Schema, a.Env, a.Inbox = 0, 3, nil, nil, nil
	a.Reserve = func(req llm.Request) (func(cost.Usage), error) { return w.reserve(ctx, req, w.op.Budget) }
	messages = slices.Clone(messages)
	if n := len(messages) - 1; n >= 0 && messages[n].Role == llm.User {
		last := messages[n]
		last.Parts = append(slices.Clone(last.Parts), llm.Text{Text: prompt})
		messages[n] = last
	} else {
		messages = append(messages, llm.UserText(prompt))
	}
	for step, err := range a.Run(ctx, messages) {
		// Failed attempts cost money, too.
		*used = used.Add(step.Usage)
		if err != nil {
			*used = used.Add(agent.Took(err))
			// It called tools.
			if e := (*trouble.Error)(nil); errors.Is(err, agent.ErrTurns) || errors.As(err, &e) && e.Kind == trouble.Refused {
				err = errNoSummary
			}
			return "", err
		}
		if step.End == nil {
			continue
		}
		text := strings.TrimSpace(step.End.Message.Text())
		if text == "" || step.End.Stop != llm.StopDone {
			return "", errNoSummary
		}
		return text, nil
	}
	return "", errNoSummary
}

// shorten replaces attachments by their names and cuts long tool results until all messages have at most so many bytes.
func shorten(messages []llm.Message, most int) {
	for i, m := range messages { // reasoning is only valid after its original beginning
		messages[i].Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p llm.Part) bool {
			_, thought := p.(llm.Think)
			return thought && len(m.Parts) > 1
		})
		for j, p := range messages[i].Parts {
			if a, ok := p.(llm.Attachment); ok {
				messages[i].Parts[j] = llm.Text{Text: a.Label()}
			}
		}
	}
	for limit := 8 << 10; bytesOf(messages) > most && limit >= 256; limit /= 2 {
		for i, m := range messages {
			parts := append([]llm.Part(nil), m.Parts...)
			for j, p := range parts {
				if r, ok := p.(llm.Result); ok && len(r.Text) > limit {
					r.Text = strings.ToValidUTF8(r.Text[:limit], "") + "\n[cut]"
					parts[j] = r
				}
			}
			messages[i].Parts = parts
		}
	}
}

// Compact summarizes a conversation now, or takes the last summary back. It starts a job even if there is nothing to
// summarize; the job's error then says so. Undo takes effect at once.
type Compact struct {
	Tree, Model string
	Undo        bool
}

// Do implements engine.Op.
func (op Compact) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if op.Undo {
		return l.uncompact(ctx, op.Tree)
	}
	t, unlock, err := l.talks.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	w := l.turn(Say{Tree: t.Name, Model: op.Model}, t)
	path, err := l.store.Path(ctx, t.Head)
	if err == nil {
		w.settings = margin.Settings(path)
		if op.Model != "" {
			w.settings["model"] = op.Model
		}
		err = w.equip(ctx, path)
	}
	if err == nil {
		w.seq, err = l.store.Version(ctx)
	}
	if err != nil {
		unlock()
		return t.Root, err
	}
	// A summary that a person asks for has no limit.
	w.budget = budget.New(0, 0, nil)
	w.said = t.Head // its progress is published under this node
	l.core.Start(ctx, t.Root, w.seq, func(ctx context.Context, j *engine.Job) error {
		defer unlock()
		defer l.core.Feed.Done(w.said)
		ctx, cancel := stoppable(ctx, j)
		defer cancel(nil)
		err := w.compact(ctx, path)
		if stopped := interruption(ctx); err != nil && stopped != nil {
			return stopped
		}
		if errors.Is(err, errNothing) {
			return &engine.Refusal{Message: "nothing to compact yet"}
		}
		return err
	})
	return t.Root, nil
}

// uncompact shows the model again what the last summary replaced.
func (l *Library) uncompact(ctx context.Context, name string) (tree.ID, error) {
	t, err := l.talks.Open(ctx, name)
	if err != nil {
		return "", err
	}
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	set := margin.Settings(path)
	for _, n := range slices.Backward(path) {
		if _, ok := material.SummaryKind.Of(n); ok && set[margin.UndoSummary(n.ID).Key] == "" {
			return t.Root, l.set(ctx, name, margin.UndoSummary(n.ID))
		}
	}
	return t.Root, &engine.Refusal{Message: "nothing was compacted on this branch"}
}
