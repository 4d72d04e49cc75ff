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

// longestBeginning is how much of the first message the model is shown, and titleGrace how long its title is waited for once the
// turn has ended.
const (
	longestBeginning = 4000
	titleGrace       = 2 * time.Second
)

// untitled says whether a turn begins a conversation that nobody gave a name.
func untitled(ctx context.Context, w *turn, path []tree.Node) bool {
	said := func(n tree.Node) bool { return n.Kind == string(talk.SayKind) }
	if w.lib.wiring.Titles == "" || w.op.Aside || w.op.Again || w.op.Text == "" || slices.ContainsFunc(path, said) {
		return false
	}
	return w.lib.talks.Unnamed(ctx, w.t)
}

// title has the model for titles write one while the turn runs. end waits for it, for a moment only.
// It is cancelled with the turn and never holds it up for longer than titleGrace.
func (w *turn) title(ctx context.Context) (end func()) {
	if !w.first {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	money := w.allowance()
	go func() {
		defer close(done)
		entitle(ctx, w, money)
	}()
	return func() {
		defer cancel()
		select {
		case <-done:
		case <-time.After(titleGrace):
			cancel()
			<-done
		}
	}
}

// entitle asks for a title and records it. Without one the first words stay the title.
func entitle(ctx context.Context, w *turn, money *budget.Budget) {
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
		// A call that was paid is recorded, be it with a title of the first words.
		if title = conversation.Headline(w.op.Text); took == (cost.Usage{}) {
			return
		}
	}
	named := margin.TitleKind.New(w.t.Root, m.Info().ID, margin.Title{Text: title, Usage: took})
	_, _ = w.lib.store.Append(context.WithoutCancel(ctx), named)
}

// allowance is what the turn may spend.
func (w *turn) allowance() *budget.Budget {
	if w.budget == nil {
		w.budget = budget.New(w.op.Limits.USD, w.op.Limits.Tokens, w.op.Budget)
	}
	return w.budget
}
