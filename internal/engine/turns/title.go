package turns

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// titlePrompt asks for the title of a conversation.
const titlePrompt = `Write the title of a conversation that begins with the message below: two to six words in the language of the message,
naming the task, without quotes and without a full stop. Answer with the title alone; do not answer the message.`

// longestBeginning is how much of the first message the model is shown, and titleGrace how long it may continue writing after the turn has
// ended.
const (
	longestBeginning = 4000
	titleGrace       = 2 * time.Second
)

// needsTitle reports whether a turn begins a conversation that nobody named.
func needsTitle(ctx context.Context, w *turn, path []tree.Node) bool {
	said := func(n tree.Node) bool { return n.Kind == string(talk.SayKind) }
	if w.lib.wiring.Titles == "" || w.op.Aside || w.op.Again || w.op.Text == "" || slices.ContainsFunc(path, said) {
		return false
	}
	return w.lib.talks.Unnamed(ctx, w.t)
}

// startTitle lets the model for titles write one while the turn runs. end reports that the turn has ended, completely or interrupted: the
// title then has a moment left, or none. The conversation is free by then; closing the engine waits for that moment.
func (w *turn) startTitle(ctx context.Context) (end func(whole bool)) {
	if !w.first {
		return func(bool) {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	money, written := w.allowance(), make(chan struct{})
	w.lib.mu.Lock()
	w.lib.state(w.t.Root).titled = written
	w.lib.mu.Unlock()
	w.lib.titles.Go(func() {
		defer close(written)
		defer cancel()
		writeTitle(ctx, w, money)
	})
	return func(whole bool) {
		if !whole {
			cancel()
			return
		}
		time.AfterFunc(titleGrace, cancel)
	}
}

// AwaitTitle returns once the title that a turn of this process began to write is recorded, or was given up.
func (l *Library) AwaitTitle(ctx context.Context, root tree.ID) {
	l.mu.Lock()
	written := l.state(root).titled
	l.mu.Unlock()
	if written == nil {
		return
	}
	select {
	case <-written:
	case <-ctx.Done():
	}
}

// writeTitle asks for a title and records it. Without one, the beginning of the message stays the title.
func writeTitle(ctx context.Context, w *turn, money *budget.Budget) {
	m, err := w.lib.wiring.Seat(ctx, w.lib.wiring.Titles)
	if err != nil || m.Info().Acts {
		return
	}
	text := w.op.Text
	if len(text) > longestBeginning {
		text = strings.ToValidUTF8(text[:longestBeginning], "")
	}
	req := llm.Request{System: titlePrompt, Messages: []llm.Message{llm.UserText(fence.Block("message", text))}, MaxTokens: 1000}
	settle, err := money.Reserve(m.Info(), req)
	if err != nil {
		return
	}
	end, took, err := meter.Ask(ctx, m, req)
	settle(took)
	title := conversation.Headline(strings.Trim(strings.TrimSpace(end.Message.Text()), "\"'`“”„«»"))
	if err != nil || end.Whole() != nil || title == "" {
		// A paid call is recorded, even if the title is only the first words.
		if title = conversation.Headline(w.op.Text); took == (cost.Usage{}) {
			return
		}
	}
	named := margin.TitleKind.New(w.t.Root, m.Info().ID, margin.Title{Text: title, Usage: took})
	_, _ = w.lib.store.Append(context.WithoutCancel(ctx), named)
}
