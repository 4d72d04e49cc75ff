package talk

import (
	"context"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tree"
)

// watch shows events until the news ends, and asks questions. Ctrl-C ends the turn, a second one at once. News is
// held back while a line is typed, so that nothing is drawn over it; a question is not held, because the turn waits
// for it: the line is set aside and restored after the answer.
func (c *chat) watch(ctx context.Context, op engine.Op, news <-chan arrival, run *scene.Run) error {
	var q *asked
	var held []engine.News // while a line is typed
	var aside string       // the line set aside during a question
	stops, typing := 0, c.rich && !c.line.Empty()
	c.ahead = c.person && c.run == nil // a run reads no messages
	defer func() { c.ahead = false }()
	for {
		prompt, complete := "", (func(string) []string)(nil)
		switch {
		case q != nil:
			prompt = q.prompt
		case typing:
			prompt, complete = aheadPrompt, completesNone
		}
		ev := c.next(prompt, complete, news)
		if typing && ev.kind != happened {
			switch typing = false; ev.kind {
			case typedLine: // it does not answer a question that arrived meanwhile
				c.interject(ctx, ev.text)
			case interrupted: // clears the line, does not stop the turn
				c.drop()
			case newsOver: // the line is restored after the prompt
				c.a.Out.Err.Raw("\r\x1b[K")
				c.prompt = ""
			}
			for _, n := range held {
				q = c.hear(n, q, run)
			}
			if held = nil; ev.kind == typedLine || ev.kind == interrupted || ev.kind == emptied {
				continue
			}
		}
		switch ev.kind {
		case begun:
			c.view.pause()
			typing = true
			c.prompt = aheadPrompt
			c.press(ev.key, nil)
		case newsOver:
			if stops > 0 && !c.person { // the rest of the pipe was meant to build on it
				return failure.New(failure.ExitInterrupted, "cancelled", "", "")
			}
			if stops > 0 {
				c.unsay()
			}
			return nil
		case happened:
			if ev.err != nil {
				return ev.err
			}
			if typing && asks(ev.news) { // the turn waits: set the line aside
				aside = c.line.Text()
				c.drop()
				typing = false
				for _, n := range held {
					q = c.hear(n, q, run)
				}
				held = nil
			}
			if typing {
				held = append(held, ev.news)
				continue
			}
			q = c.hear(ev.news, q, run)
		case typedLine:
			if q == nil {
				c.interject(ctx, ev.text)
				continue
			}
			if !q.take(ev.text) {
				continue
			}
			if _, err := c.e.Do(ctx, q.Answer); err != nil {
				return err
			}
			if q = nil; aside != "" {
				c.line.Set(aside)
				typing, aside = true, ""
			}
		case interrupted, inputOver, terminated:
			c.drop()
			stops++
			root, err := c.root(ctx)
			if err != nil {
				return err
			}
			if q = nil; ev.kind == terminated || stops > 1 || c.run != nil {
				c.stop(ctx, root, call.EndReason(ev.code))
			} else {
				c.e.Do(ctx, engine.Interrupt{Root: root})
			}
			// Give the turn time to record how it ended.
			if ev.kind == terminated {
				c.e.Wait(root)
				return failure.New(ev.code, "cancelled", "", "")
			}
		}
	}
}

// hear applies news, and returns the question that is then open.
func (c *chat) hear(n engine.News, q *asked, run *scene.Run) *asked {
	if n.Snapshot != nil {
		if q == nil {
			c.view.snapshot(*n.Snapshot)
		}
		return q
	}
	if c.run != nil {
		c.run.hear(c, *n.Node)
		return q
	}
	body := run.Node(*n.Node)
	q = c.happen(*n.Node, body, q)
	c.hears.Hear(*n.Node, body)
	if s, ok := body.(talk.Said); ok && s.Interjection != "" {
		c.sent = slices.DeleteFunc(c.sent, func(m sent) bool { return m.id == s.Interjection })
	}
	return q
}

// completesNone completes nothing; being set, it keeps lines typed ahead in the history.
func completesNone(string) []string { return nil }

// asks reports whether news is a question to the person.
func asks(n engine.News) bool {
	return n.Node != nil && n.Node.Kind == string(asking.NeedKind)
}

// unsay returns messages that a stopped turn has not read to the prompt.
func (c *chat) unsay() {
	var lines []string
	for _, m := range c.sent {
		lines = append(lines, m.text)
	}
	if c.sent = nil; len(lines) > 0 && c.rich {
		c.line.Set(strings.Join(lines, "\n"))
	}
}

// aheadPrompt is the prompt while a turn runs.
const aheadPrompt = "» "

// sent is a line typed while a turn ran. A message has an id once it was sent to that turn; after the turn, unread
// messages are sent and commands are run.
type sent struct {
	id   tree.ID
	text string
}

// interject sends a message to the running turn. A command, or anything typed after one, waits for the end of the
// turn, because a person expects the order to be kept.
func (c *chat) interject(ctx context.Context, text string) {
	m := sent{text: text}
	if strings.TrimSpace(text) == "" {
		return
	}
	if slash.Message(text) && !slices.ContainsFunc(c.sent, func(m sent) bool { return m.id == "" }) { // only if nothing typed earlier waits
		if id, err := c.e.Do(ctx, slash.Interject(ctx, c.env, text)); err == nil {
			m.id = id
		}
	}
	c.sent = append(c.sent, m)
}

// root returns the tree of the job: that of the running plan, or the conversation.
func (c *chat) root(ctx context.Context) (tree.ID, error) {
	if c.run != nil {
		return c.run.root, nil
	}
	t, err := conversation.In(c.e).Open(ctx, c.env.Tree)
	return t.Root, err
}

// happen shows a committed node, and returns the question that is then open.
func (c *chat) happen(n tree.Node, body any, q *asked) *asked {
	if _, answer := body.(asking.Answered); answer && q != nil && n.Parent == q.To {
		c.drop() // another front end answered
		return nil
	}
	need, ok := body.(asking.Need)
	if !ok {
		c.view.node(n, body)
		return q
	}
	if !c.person {
		return q
	}
	q = &asked{Answer: turns.Answer{To: n.ID}, need: need}
	q.prompt = c.view.ask(need)
	c.forget()
	return q
}

// stop ends a turn or a run. A run that a person stops is paused, so that it does not continue by itself.
func (c *chat) stop(ctx context.Context, root tree.ID, reason string) {
	if c.run != nil && reason == "" {
		c.e.Do(ctx, runs.Hold{Run: c.run.lines.Status.Frame.Run})
	}
	c.e.Do(ctx, engine.Stop{Root: root, Reason: reason})
}
