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

// queue is what was typed while a turn ran. Messages are sent to that turn, whose model reads them before its next step; what the
// turn did not read is said once it has ended.
type queue struct {
	all     []queued
	sending string           // what was typed last, until it is on its way: the screen may end first
	read    map[tree.ID]bool // messages that a turn has read before it was known which entry they are
}

type queued struct {
	text string
	sent tree.ID // the message to the running turn; empty: it was not sent
}

// take takes the oldest entry out; ok is false if there is none.
func (q *queue) take() (text string, ok bool) {
	if len(q.all) == 0 {
		return "", false
	}
	text = q.all[0].text
	q.all = q.all[1:]
	return text, true
}

// doubtful is the oldest message that was sent and of which nothing was heard; empty: there is none.
func (q *queue) doubtful() tree.ID {
	for _, e := range q.all {
		if e.sent != "" {
			return e.sent
		}
	}
	return ""
}

// settle says whether a turn that has ended has read a message; what it did not read was not sent.
func (q *queue) settle(id tree.ID, read bool) {
	i := slices.IndexFunc(q.all, func(e queued) bool { return e.sent == id })
	switch {
	case i < 0: // it was heard of meanwhile
	case read:
		q.all = slices.Delete(q.all, i, i+1)
	default:
		q.all[i].sent = ""
	}
}

// back takes the newest entry out, unless it was sent.
func (q *queue) back() (text string, ok bool) {
	last := len(q.all) - 1
	if last < 0 || q.all[last].sent != "" {
		return "", false
	}
	text = q.all[last].text
	q.all = q.all[:last]
	return text, true
}

// hear takes out what a turn has read.
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

// sends notes that the oldest entry that was not sent is a message now.
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

// next is the oldest entry that was not sent, unless a turn cannot read it.
func (q *queue) next() (text string, ok bool) {
	for _, e := range q.all {
		if e.sent == "" {
			return e.text, slash.Message(e.text)
		}
	}
	return "", false
}

// turns are what is said to those who answer, and what a turn does with it.
type turnRunner struct {
	p       *Page
	queue   queue
	busy    int         // commands at work, and looks at the whole conversation
	stopped bool        // the turn was asked to end
	lines   []typedLine // of which no message tells: commands
	over    []overRun   // of which the conversation does not know yet that they have ended
}

// unsent is what was typed that no turn has heard of, as far as is known here.
func (q *queue) unsent() (out []string) {
	if q.sending != "" {
		out = append(out, q.sending)
	}
	for _, e := range q.all {
		out = append(out, e.text)
	}
	return out
}

// interject sends what was typed to the turn that runs, one message after the other.
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
			if err != nil { // the turn has just ended, or the store says so at the next word
				return tn.next()
			}
			tn.queue.sends(id)
			return tea.Batch(tn.interject(), tn.next())
		}
	})
}

// next says the next of what was queued, once nothing is at work.
// A turn may have ended before its last words were heard of here: whether it read what was sent to it is asked of the store.
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

// offer finds what a conversation offers.
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
