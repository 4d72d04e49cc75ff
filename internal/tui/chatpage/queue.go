package chatpage

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// queue holds lines that were typed while a turn ran. Messages are sent to that turn, whose model reads them
// before its next step; what the turn did not read is sent once it has ended.
type queue struct {
	all     []queued
	sending string           // the last typed line, until it is on its way: the screen may end first
	read    map[tree.ID]bool // messages that a turn read before their entries were known
}

type queued struct {
	text string
	sent tree.ID // the message to the running turn; empty: not sent
}

// take removes the oldest entry; ok is false if there is none.
func (q *queue) take() (text string, ok bool) {
	if len(q.all) == 0 {
		return "", false
	}
	text = q.all[0].text
	q.all = q.all[1:]
	return text, true
}

// doubtful returns the oldest message that was sent and not confirmed; empty: none.
func (q *queue) doubtful() tree.ID {
	for _, e := range q.all {
		if e.sent != "" {
			return e.sent
		}
	}
	return ""
}

// settle records whether a turn that has ended has read a message; an unread one counts as not sent.
func (q *queue) settle(id tree.ID, read bool) {
	i := slices.IndexFunc(q.all, func(e queued) bool { return e.sent == id })
	switch {
	case i < 0: // it was confirmed meanwhile
	case read:
		q.all = slices.Delete(q.all, i, i+1)
	default:
		q.all[i].sent = ""
	}
}

// back removes the newest entry, unless it was sent.
func (q *queue) back() (text string, ok bool) {
	last := len(q.all) - 1
	if last < 0 || q.all[last].sent != "" {
		return "", false
	}
	text = q.all[last].text
	q.all = q.all[:last]
	return text, true
}

// hear removes what a turn has read.
func (q *queue) hear(body any) {
	s, ok := body.(talk.Said)
	if !ok || s.Interjection == "" {
		return
	}
	before := len(q.all)
	if q.all = slices.DeleteFunc(q.all, func(e queued) bool { return e.sent == s.Interjection }); len(q.all) == before {
		if q.read == nil {
			q.read = map[tree.ID]bool{}
		}
		q.read[s.Interjection] = true
	}
}

// sends marks the oldest unsent entry as sent.
func (q *queue) sends(id tree.ID) {
	for i := range q.all {
		if q.all[i].sent == "" {
			if q.all[i].sent = id; q.read[id] {
				q.all = slices.Delete(q.all, i, i+1)
			}
			return
		}
	}
}

// next returns the oldest unsent entry, unless a turn cannot read it.
func (q *queue) next() (text string, ok bool) {
	for _, e := range q.all {
		if e.sent == "" {
			return e.text, slash.Message(e.text)
		}
	}
	return "", false
}

// turnRunner sends messages to the model and commands to the engine, and tracks the turn.
type turnRunner struct {
	p       *Page
	queue   queue
	busy    int         // running commands, and reads of the whole conversation
	stopped bool        // the turn was asked to stop
	lines   []typedLine // those that no message shows: commands
	over    []overRun   // runs whose end the conversation has not recorded yet
}

// unsent returns what was typed and, as far as is known here, has reached no turn.
func (q *queue) unsent() (out []string) {
	if q.sending != "" {
		out = append(out, q.sending)
	}
	for _, e := range q.all {
		out = append(out, e.text)
	}
	return out
}

// interject sends queued messages to the running turn, one after the other.
func (tn *turnRunner) interject() tea.Cmd {
	text, ok := tn.queue.next()
	if !ok || !tn.p.running() || tn.busy > 0 {
		return nil
	}
	tn.busy++
	env := tn.p.env.Copy()
	env.Tree = tn.p.scene.Tree.Name
	return tn.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		id, err := tn.p.d.Engine.Do(ctx, slash.Interject(ctx, env, text))
		return func() tea.Cmd {
			tn.busy--
			if err != nil { // the turn has just ended, or the next message reports the store's error
				return tn.next()
			}
			tn.queue.sends(id)
			return tea.Batch(tn.interject(), tn.next())
		}
	})
}

// next sends the next queued line, once nothing runs. A turn may have ended before news of its last nodes
// arrived here: the store tells whether it read what was sent to it.
func (tn *turnRunner) next() tea.Cmd {
	if tn.p.running() || tn.busy > 0 {
		return nil
	}
	if len(tn.over) > 0 {
		return conclude(tn)
	}
	if id := tn.queue.doubtful(); id != "" {
		tn.busy++
		name := tn.p.scene.Tree.Name
		return tn.p.d.Away(func(ctx context.Context) func() tea.Cmd {
			read, err := turns.In(tn.p.d.Engine).AwaitRead(ctx, name, id)
			return func() tea.Cmd {
				tn.busy--
				tn.p.d.Fail(err)
				tn.queue.settle(id, read)
				return tn.next()
			}
		})
	}
	text, ok := tn.queue.take()
	if !ok {
		return nil
	}
	return tn.Submit(text)
}

// offer finds completions for the input.
func (tn *turnRunner) offer() tea.Cmd {
	env := tn.p.env.Copy()
	return tn.p.menu.Offer(tn.p.d, tn.p.input, func(ctx context.Context, key string) (offers []slash.Offer) {
		if key != "@" {
			return slash.Offers(ctx, env, key)
		}
		for _, f := range env.Files(ctx) {
			offers = append(offers, slash.Offer{Word: "@" + f})
		}
		return offers
	})
}
