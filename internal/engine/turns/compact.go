package turns

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// compactPrompt asks for a summary.
const compactPrompt = `Sum up the conversation so far for yourself, so that you can go on with the work from your summary alone.
Keep: what the person wants and has decided, in their words; what was found out, with file:line; what was changed, file by file; what was run and
how it came out; what failed and why; what is open and what comes next. Leave out how it was found. Write what you know, not what you guess.`

// tooLong says whether a request would fill more than four fifths of the model's window.
func (w *speaker) tooLong(messages []llm.Message) bool {
	window := w.model.Info().Window
	if window == 0 {
		return false
	}
	return size(messages)/3+len(w.system)/3+32_000 > window && size(messages)/3 > window/2 || size(messages)/3 > window*4/5
}

func size(messages []llm.Message) (n int) {
	for _, m := range messages {
		n += m.Bytes()
	}
	return n
}

// compact sums up what lies before the last thing the person said, or, if that is all there is, the exchanges since.
func (w *speaker) compact(ctx context.Context, path []tree.Node) error {
	turns := talk.Turns(path)
	from, to := 1, len(path)-1
	if len(turns) > 1 {
		to = turns[len(turns)-1] - 1
	}
	for to > from && path[to].Kind == string(talk.RecallKind) { // it belongs to what was said after it
		to--
	}
	for from < len(path) && !shown(path[from]) {
		from++
	}
	if from >= to {
		return errors.New("conversation exceeds the context window and cannot be compacted further")
	}
	sum := talk.Summary{From: path[from].ID, To: path[to].ID}
	if err := w.summary(ctx, path[:to+1], &sum); err != nil {
		return fmt.Errorf("compact the conversation: %w", err)
	}
	return w.add(context.WithoutCancel(ctx), talk.SummaryKind.New("", w.model.Info().ID, sum))
}

// shown says whether a node is one a model sees.
func shown(n tree.Node) bool {
	switch n.Kind {
	case string(talk.SayKind), string(talk.ExchangeKind), string(talk.ReplyKind), string(talk.SummaryKind), string(talk.MergeKind), string(talk.AddKind),
		string(talk.HandleKind), string(talk.RecallKind):
		return true
	}
	return false
}

// summary asks the model for the text of a summary. What does not fit its window is cut out of the middle, tool results first.
func (w *speaker) summary(ctx context.Context, path []tree.Node, sum *talk.Summary) error {
	w.publish("compacting", "summarizing the history", "")
	messages := talk.View(path)
	if window := w.model.Info().Window; window > 0 {
		shorten(messages, window*2)
	}
	req := llm.Request{System: w.system, Messages: append(messages, llm.UserText(compactPrompt)), MaxTokens: 4000, Session: ""}
	settle, err := w.budget.Reserve(w.model.Info(), req)
	if err != nil {
		return err
	}
	end, took, err := llm.Ask(ctx, w.model, req)
	if err == nil || !took.Least { // else its reservation stays
		settle(took)
	}
	if err != nil {
		w.lost = w.lost.Add(took)
		return err
	}
	sum.Usage = took
	if sum.Text = strings.TrimSpace(end.Message.Text()); sum.Text == "" {
		return errors.New("the model returned an empty response")
	}
	return nil
}

// shorten cuts long tool results until all messages have at most size bytes.
func shorten(messages []llm.Message, most int) {
	for limit := 8 << 10; size(messages) > most && limit >= 256; limit /= 2 {
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

// Compact sums a conversation up now.
type Compact struct{ Tree, Model string }

// Do implements engine.Op.
func (op Compact) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, unlock, err := l.talks.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	w := l.turn(Say{Tree: t.Name, Model: op.Model}, t)
	path, err := l.store.Path(ctx, t.Head)
	if err == nil {
		w.set = talk.Settings(path)
		if op.Model != "" {
			w.set["model"] = op.Model
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
	w.budget = budget.New(0, 0, nil)
	l.core.Start(ctx, t.Root, w.seq, func(ctx context.Context, _ *engine.Job) error {
		defer unlock()
		return w.compactAll(ctx, path)
	})
	return t.Root, nil
}

// compactAll sums up everything on the path.
func (w *speaker) compactAll(ctx context.Context, path []tree.Node) error {
	from := 1
	for from < len(path) && !shown(path[from]) {
		from++
	}
	if from >= len(path)-1 {
		return &engine.Refusal{Message: "nothing to compact yet"}
	}
	sum := talk.Summary{From: path[from].ID, To: path[len(path)-1].ID}
	if err := w.summary(ctx, path, &sum); err != nil {
		return err
	}
	return w.add(context.WithoutCancel(ctx), talk.SummaryKind.New("", w.model.Info().ID, sum))
}
