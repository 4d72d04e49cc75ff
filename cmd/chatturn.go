package cmd

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// watch shows what happens until there is no more news. What is asked is asked here; ctrl-C ends the turn, and a second
// one at once.
func (c *chat) watch(ctx context.Context, op engine.Op, news <-chan heard, res *runResult) error {
	var q *asked
	stops := 0
	res.Usage = map[string]llm.Usage{}
	for {
		prompt := ""
		if q != nil {
			prompt = q.prompt
		}
		ev := c.next(prompt, nil, news)
		switch ev.kind {
		case newsOver:
			if stops > 0 && !c.person { // what the pipe still holds was meant to build on it
				return &failure{exitInterrupted, "cancelled", "", ""}
			}
			return nil
		case happened:
			if ev.err != nil {
				return ev.err
			}
			if q = c.happen(ev.news, q); ev.news.Node != nil {
				res.take(*ev.news.Node)
				c.a.hears.hear(*ev.news.Node)
			}
		case typedLine:
			if !q.take(ev.text) {
				continue
			}
			if _, err := c.e.Do(ctx, q.Answer); err != nil {
				return err
			}
			q = nil
		case interrupted, inputOver, terminated:
			c.drop()
			stops++
			root, err := c.root(ctx)
			if err != nil {
				return err
			}
			if q = nil; ev.kind == terminated || stops > 1 {
				c.e.Do(ctx, engine.Stop{Root: root})
			} else {
				c.e.Do(ctx, engine.Interrupt{Root: root})
			}
			if ev.kind == terminated {
				c.e.Wait(root)
				return &failure{ev.code, "cancelled", "", ""}
			}
		}
	}
}

func (c *chat) root(ctx context.Context) (tree.ID, error) {
	t, err := c.e.OpenTree(ctx, c.env.Tree)
	return t.Root, err
}

// happen shows news, and returns the question that is open then.
func (c *chat) happen(n engine.News, q *asked) *asked {
	if n.Snapshot != nil {
		if q == nil {
			c.view.snapshot(*n.Snapshot)
		}
		return q
	}
	if q != nil && n.Node.Parent == q.To && n.Node.Kind == string(talk.AnswerKind) {
		c.drop() // somebody else answered
		return nil
	}
	need, ok := talk.NeedKind.Of(*n.Node)
	if !ok {
		c.view.node(*n.Node)
		return q
	}
	if !c.person {
		return q
	}
	q = &asked{Answer: engine.Answer{To: n.Node.ID}, need: need}
	q.prompt = c.view.ask(need)
	c.forget()
	return q
}
