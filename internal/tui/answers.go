package tui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// answer is something that was answered, to be seen beside another one.
type answer struct{ who, text string }

// compareAnswers has the person choose two answers, of a conversation on whatever branch or of a debate, and shows them
// side by side.
func (d *Desk) compareAnswers() tea.Cmd {
	switch p := d.current().(type) {
	case *chatPage:
		if p.env.Tree != "" {
			return p.compareAnswers()
		}
	case *debatePage:
		return p.compareAnswers()
	}
	d.Refuse("answers are compared in a conversation or debate that has begun")
	return nil
}

func (p *chatPage) compareAnswers() tea.Cmd {
	root := p.scene.Tree.Root
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		nodes, err := p.d.Engine.Tree(ctx, root)
		return func() tea.Cmd {
			if err != nil {
				p.d.Fail(err)
				return nil
			}
			items, twins := p.answers(nodes)
			p.d.pickTwo(items, twins)
			return nil
		}
	})
}

// answers are those of a conversation, the newest first, under what they answer; twins are the newest two that answer the
// same.
func (p *chatPage) answers(nodes []tree.Node) (items []picker.Item, twins []int) {
	asked := map[tree.ID]tree.Node{} // what a node answers
	first := map[tree.ID]int{}
	var all []answer
	var to []tree.Node
	for _, n := range nodes {
		asked[n.ID] = asked[n.Parent]
		if _, ok := talk.SayKind.Of(n); ok {
			asked[n.ID] = n
		} else if r, ok := talk.ReplyKind.Of(n); ok && r.Message.Text() != "" {
			who := r.Model
			if r.Answers != "" {
				who = r.Answers
			}
			all, to = append(all, answer{who, r.Message.Text()}), append(to, asked[n.ID])
		}
	}
	slices.Reverse(all)
	slices.Reverse(to)
	for i, a := range all {
		s, _ := talk.SayKind.Of(to[i])
		items = append(items, picker.Item{Title: line.One(p.d.Clean(a.who + ": " + a.text)), Group: line.Clip(line.One(p.d.Clean("❯ "+s.Text)), 80), Value: a})
		if at, again := first[to[i].ID]; again && twins == nil {
			twins = []int{at, i}
		} else if !again {
			first[to[i].ID] = i
		}
	}
	return items, twins
}

// compareAnswers offers what the seats answered, the newest first.
func (p *debatePage) compareAnswers() tea.Cmd {
	var items []picker.Item
	var turns []*scene.Turn
	for _, s := range p.scene.Seats {
		turns = append(turns, s.Turns...)
	}
	slices.SortStableFunc(turns, func(a, b *scene.Turn) int { return b.Asked.Round - a.Asked.Round })
	for _, t := range turns {
		if t.Reply == nil || t.Text == "" {
			continue
		}
		text := p.scene.Read(t)
		items = append(items, picker.Item{Title: line.One(p.d.Clean(t.Asked.Seat + ": " + text)), Group: scene.Stage(t.Asked), Value: answer{t.Asked.Seat + " · " + scene.Stage(t.Asked), text}})
	}
	p.d.pickTwo(items, nil)
	return nil
}

// pickTwo has two of some answers chosen, and shows them. Two are marked if both answer the same.
func (d *Desk) pickTwo(items []picker.Item, twins []int) {
	if len(items) < 2 {
		d.Refuse("there are no two answers yet")
		return
	}
	p := newPick(d, "Mark two answers with the space bar; Enter shows them side by side", items, nil)
	p.list.Multi = true
	p.list.Preview = func(i picker.Item, w, h int) []string {
		m := markdown.New(d.Theme)
		m.Set(d.Clean(i.Value.(answer).text), w)
		return m.Lines()[:min(h, len(m.Lines()))]
	}
	for _, i := range twins {
		p.list.Mark(i)
	}
	p.several = func(chosen []picker.Item) tea.Cmd {
		if len(chosen) != 2 {
			d.Tell(fmt.Sprintf("two answers are compared; %d are marked", len(chosen)))
			d.Push(p)
			return nil
		}
		d.sideBySide(chosen[0].Value.(answer), chosen[1].Value.(answer))
		return nil
	}
	d.Push(p)
}

func (d *Desk) sideBySide(a, b answer) {
	var lines []string
	width := 0
	d.panel("Two answers", func(w int) []string {
		if w != width {
			width = w
			lines = markdown.Pair(d.Theme, [2]string{d.Clean(a.who), d.Clean(b.who)}, d.Clean(a.text), d.Clean(b.text), w)
		}
		return lines
	}).whole = true
}
