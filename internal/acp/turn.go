package acp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// take starts a job, and reports its progress until it has ended.
func (s *session) take(now *answering, op engine.Op) (string, error) {
	root, err := s.Engine.Do(s.ctx, op)
	if err != nil {
		return "", err
	}
	over := make(chan struct{})
	waits, stop := context.WithCancel(s.ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	defer close(over)
	beside.Go(func() { s.stopped(now, engine.Interrupt{Root: root}, engine.Stop{Root: root}, over) })
	v := newTeller(s, s.env.Dir)
	v.spec = turns.In(s.Engine).Turn(root).Model
	for n, err := range s.Engine.Watch(context.WithoutCancel(s.ctx), root, s.Engine.Recorded(root)) {
		switch {
		case err != nil:
			return "", err
		case n.Snapshot != nil:
			v.grows(*n.Snapshot)
			continue
		}
		if need, ok := asking.NeedKind.Of(*n.Node); ok {
			v.ask(waits, &beside, now, n.Node.ID, need)
		}
		v.node(*n.Node)
	}
	if err := s.Engine.Wait(root); err != nil {
		return "", err
	}
	v.spent(root)
	return v.end()
}

// teller sends an editor what is committed in a conversation, each node once and in order. It is used by one
// goroutine.
type teller struct {
	*session
	dir     string
	spec    string // of the model that answers; empty: unknown
	run     scene.Run
	grown   *out.Grown
	thought *out.Grown         // of its reasoning
	thinks  bool               // reasoning of the growing answer was sent
	called  bool               // the text before the running calls was sent
	calls   map[string]string  // tools whose end was not reported yet, by id
	needs   map[tree.ID]func() // open questions: the function that ends each
	used    int                // tokens of the last call
	printed time.Time          // when output of a command was last sent
	known   map[string]bool    // notes that were sent
}

// newTeller returns a teller that has sent nothing yet.
func newTeller(s *session, dir string) *teller {
	v := &teller{session: s, dir: dir, calls: map[string]string{}, needs: map[tree.ID]func(){}, known: map[string]bool{}}
	v.grown = s.Out.Grown(func(_, piece string) { s.say(piece) })
	v.thought = s.Out.Grown(func(_, piece string) { v.thinks = true; s.update(chunk{"agent_thought_chunk", textBlock(piece)}) })
	return v
}

// grows sends a model's text as it arrives, and a command's output at intervals.
func (v *teller) grows(s feed.Snapshot) {
	if s.State != feed.Printing {
		v.thought.Show(string(s.Of), s.Thought)
		v.grown.Show(string(s.Of), s.Text)
		return
	}
	name, _, _ := strings.Cut(s.Note, " ")
	call := v.callOf(name, "")
	if call == "" || time.Since(v.printed) < pace || strings.TrimSpace(s.Text) == "" {
		return
	}
	v.printed = time.Now()
	text := []rune(s.Text)
	v.update(toolCall{Kind: "tool_call_update", ID: call, Status: "in_progress",
		Content: []toolContent{words(fenced(string(text[max(0, len(text)-mostPrinted):])))}})
}

// said sends the rest of a complete message. Reasoning that was streamed in other words than it was committed is not
// sent again.
func (v *teller) said(m llm.Message) {
	whole := m.Thought()
	if rest := strings.TrimSpace(v.thought.End(whole)); rest != "" && (rest != whole || !v.thinks) {
		v.think(rest)
	}
	v.thinks = false
	v.say(v.grown.End(m.Text()))
}

// mostPrinted is how many letters of a running command's output are shown.
const mostPrinted = 8000

// node reports a node that was just committed.
func (v *teller) node(n tree.Node) {
	body := v.run.Node(n)
	if c, ok := talk.CalledKind.Of(n); ok && !v.run.InTask(n.ID) {
		// What a program said before a call of its own comes with the result.
		if v.called = len(c.Message.Calls()) > 0 && !c.ByItself(); v.called {
			v.said(c.Message)
		}
		for _, call := range c.Message.Calls() {
			v.begin(call)
		}
		return
	}
	if end := v.needs[n.Parent]; end != nil && n.Kind == string(asking.AnswerKind) {
		end()
	}
	if said, ok := body.(talk.Said); ok {
		if said.Interjection != "" {
			v.think("read: " + clean.Line(said.Text))
		}
		return
	}
	v.tell(n, body)
}

// again reports an earlier node.
func (v *teller) again(n tree.Node, body any) {
	if said, ok := body.(talk.Said); ok {
		text := said.Typed
		if text == "" {
			text = strings.TrimSpace(said.Text + "\n\n" + said.Data)
		}
		if text != "" || len(said.Images) == 0 {
			v.update(chunk{"user_message_chunk", textBlock(text)})
		}
		for _, i := range said.Images {
			if text, err := v.Engine.Text(v.ctx, i.Blob); i.Blob != "" && err == nil {
				i.Data = attach.Unpack(text)
			}
			if i.Data == nil || i.MIME == llm.PDF {
				v.update(chunk{"user_message_chunk", textBlock(i.Label())})
				continue
			}
			v.update(chunk{"user_message_chunk", block{Type: "image", MIME: i.MIME, Data: i.Data}})
		}
		return
	}
	v.tell(n, body)
}

// tell reports what is the same for new and earlier nodes.
func (v *teller) tell(n tree.Node, body any) {
	switch b := body.(type) {
	case talk.Exchange:
		v.exchange(b)
	case talk.Reply:
		v.used = cmp.Or(sizeOf(b.Usage), v.used)
		v.said(b.Message)
		if b.State != talk.Done {
			v.notice("warning", string(b.State)+": "+b.Reason)
		}
	case material.Handle:
		if b.Held {
			v.think("in the context: " + b.Name())
		} else {
			v.say(v.grown.End(b.Face) + "\n")
		}
	case material.Merged:
		if b.Run {
			b.Text = "Run " + b.Branch + ": " + b.Text
		}
		v.say(b.Text + "\n")
	case material.Summary:
		v.think("The conversation so far was compacted; the full history is kept.")
	case material.Added:
		if b.From+b.Title != "" {
			v.say(v.grown.End(b.Text) + "\n")
			return
		}
		kind := map[bool]string{true: "user_message_chunk", false: "agent_message_chunk"}[b.Role == "user"]
		v.update(chunk{kind, textBlock(b.Text)})
	case talk.Brief:
		for _, note := range b.Notes {
			v.note(note)
		}
	case memory.Recalled:
		v.think("from memory: " + clean.Line(b.Show))
	case talk.Notice:
		if !b.Model {
			v.note(b.Text)
		}
	case margin.Snap:
		if b.Why == "restored" {
			v.think(strings.TrimSpace(told.Brought(b, "/redo")))
		}
	case margin.Title:
		v.update(infoUpdate{"session_info_update", b.Text})
	}
}

// note sends a note once.
func (v *teller) note(text string) {
	if !v.known[text] {
		v.notice("info", text)
	}
	v.known[text] = true
}

// sizeOf returns the size of a request with its answer: what fills the model's window.
func sizeOf(u cost.Usage) int { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// spent reports how full the model's window is, and the cost of the conversation.
func (v *teller) spent(root tree.ID) {
	ctx := context.WithoutCancel(v.ctx)
	size := v.Window(ctx, v.spec)
	if size == 0 || v.used == 0 {
		return
	}
	u := usageUpdate{Kind: "usage_update", Used: v.used, Size: size}
	all, err := v.Engine.Tree(ctx, root)
	sum, known := 0.0, err == nil
	for _, s := range spending.Spent(all) {
		sum, known = sum+s.Usage.USD, known && s.Usage.Source != cost.Unknown
	}
	if known {
		u.Cost = &money{sum, "USD"}
	}
	v.update(u)
}

// end returns how the turn ended.
func (v *teller) end() (string, error) {
	r := v.run.Reply
	switch {
	case r == nil:
		return ended, nil
	case r.State == talk.Interrupted:
		return cancelled, nil
	case r.State == talk.Limited:
		return limited, nil
	case r.State == talk.Failed && r.Kind == trouble.Auth:
		return "", &problem{Code: needsSignIn, Message: r.Reason + "; sign in: socrates doctor shows the key or login of each model"}
	case r.State == talk.Failed:
		return "", errors.New(r.Reason)
	}
	return ended, nil
}
